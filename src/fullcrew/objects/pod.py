"""The pod, with all that a scheduler must know of it and nothing else."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from fullcrew.objects.affinity import Affinity, TopologySpreadConstraint
from fullcrew.objects.container import Container, ContainerStatus, Resources
from fullcrew.objects.metadata import Condition, Kind, KubernetesObject
from fullcrew.objects.shape import NO_AMOUNTS, NO_STRINGS, Amounts, Int32, Int64, Shape, Strings

__all__ = [
    "ClaimReference",
    "DiskVolume",
    "EphemeralVolume",
    "InlineDriver",
    "Pod",
    "PodResourceClaim",
    "PodSpec",
    "PodStatus",
    "SchedulingGate",
    "SchedulingGroup",
    "Toleration",
    "Volume",
]


class Toleration(Shape, frozen=True):
    """What a pod puts up with; `selecting` checks and reads it."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""


class ClaimReference(Shape, frozen=True):
    """A volume claim in the pod's own namespace."""

    claim_name: str = ""
    read_only: bool = False


class EphemeralVolume(Shape, frozen=True):
    """A claim that is made with the pod, under the name `<pod>-<volume>`."""


class DiskVolume(Shape, frozen=True):
    """A disk named in the pod itself, which one node, or one writer, may have at a time."""

    pd_name: str = ""
    volume_id: str = msgspec.field(default="", name="volumeID")
    disk_name: str = ""
    iqn: str = ""
    image: str = ""
    pool: str = ""
    monitors: tuple[str, ...] = ()
    read_only: bool = False


class InlineDriver(Shape, frozen=True):
    """A volume that a CSI driver makes for this pod alone."""

    driver: str = ""


class Volume(Shape, frozen=True):
    """A volume of a kind that limits which nodes the pod can use; other kinds stay empty here."""

    name: str = ""
    persistent_volume_claim: ClaimReference | None = None
    ephemeral: EphemeralVolume | None = None
    csi: InlineDriver | None = None
    gce_persistent_disk: DiskVolume | None = None
    aws_elastic_block_store: DiskVolume | None = None
    azure_disk: DiskVolume | None = None
    cinder: DiskVolume | None = None
    iscsi: DiskVolume | None = None
    rbd: DiskVolume | None = None


class SchedulingGate(Shape, frozen=True):
    """Somebody holds the pod back until he takes this off."""

    name: str = ""


class PodResourceClaim(Shape, frozen=True):
    """A claim on devices (dynamic resource allocation)."""

    name: str = ""
    resource_claim_name: str = ""
    resource_claim_template_name: str = ""


class SchedulingGroup(Shape, frozen=True):
    """Kubernetes' own gangs; we name the group, so that its pods are not taken for single ones."""

    pod_group_name: str = ""


class PodSpec(Shape, frozen=True):
    """What was asked for. An empty scheduler name is what a manifest that names none has."""

    scheduler_name: str = ""
    node_name: str = ""
    priority: Int32 | None = None
    priority_class_name: str = ""
    preemption_policy: str = ""
    node_selector: Strings = NO_STRINGS
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    overhead: Amounts = NO_AMOUNTS
    resources: Resources | None = None
    volumes: tuple[Volume, ...] = ()
    resource_claims: tuple[PodResourceClaim, ...] = ()
    scheduling_gates: tuple[SchedulingGate, ...] = ()
    scheduling_group: SchedulingGroup | None = None
    host_network: bool = False
    termination_grace_period_seconds: Int64 | None = None
    active_deadline_seconds: Int64 | None = None


class PodStatus(Shape, frozen=True):
    """What became of it. `resize` is how clusters before 1.33 told the state of a resize."""

    phase: str = ""
    reason: str = ""
    message: str = ""
    start_time: str = ""
    nominated_node_name: str = ""
    conditions: tuple[Condition, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    resources: Resources | None = None
    allocated_resources: Amounts = NO_AMOUNTS
    resize: str = ""


class Pod(KubernetesObject, frozen=True):
    """One pod."""

    KIND: ClassVar[Kind] = Kind("", "Pod")

    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def is_finished(self) -> bool:
        """It ran to its end, well or badly: it takes no room any more, whatever its node."""
        return self.status.phase in {"Succeeded", "Failed"}

    @property
    def is_bound(self) -> bool:
        """It has a node and may be running there."""
        return self.spec.node_name != "" and not self.is_finished

    @property
    def is_gated(self) -> bool:
        """Somebody holds it back; nobody may bind it."""
        return bool(self.spec.scheduling_gates)
