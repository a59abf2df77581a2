"""The rules that this release does not keep: pods that use one wait, and are told which.

This is the one list of them; later releases make it shorter. A pod is never bound as if a rule of
its own were not there, not even one that is a mere wish: an answer that changes when the rule is
built would be no answer.

Attach limits: how many volumes of a CSI driver a node can hold stands in its CSINode, and on older
clusters among what the node has, as `attachable-volumes-csi-<driver>`. A pod with a volume of a
driver that any node limits waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from fullcrew.model.reason import Kind, Stage
from fullcrew.objects.pod import Pod, PodSpec, Volume
from fullcrew.state.causes import Cause

__all__ = [
    "ATTACH_LIMITS",
    "DISKS",
    "EPHEMERAL_CLAIMS",
    "SINGLE_POD_CLAIMS",
    "WAITING_CLAIMS",
    "cause_of",
    "is_plain",
    "of_group",
    "of_marker",
    "of_spec",
    "of_volume",
]

# What each rule is called in reasons, by the field that asks for it.
_POD_AFFINITY: Final = "affinity to other pods (spec.affinity.podAffinity)"
_POD_ANTI_AFFINITY: Final = "anti-affinity to other pods (spec.affinity.podAntiAffinity)"
_SPREAD: Final = "spreading over domains (spec.topologySpreadConstraints)"
_DEVICES: Final = "device claims (spec.resourceClaims)"

WAITING_CLAIMS: Final = "volume claims that are not bound yet"
SINGLE_POD_CLAIMS: Final = "volume claims for one pod at a time (ReadWriteOncePod)"
EPHEMERAL_CLAIMS: Final = "volume claims made with the pod (spec.volumes.ephemeral)"
ATTACH_LIMITS: Final = "limits on attached volumes"
DISKS: Final = "disks named in the pod (spec.volumes)"


def cause_of(rule: str, *, stage: Stage = Stage.PLACEMENT) -> Cause:
    """The reason of a pod that uses the rule."""
    return Cause(stage, Kind.NOT_BUILT, f"asking for what Fullcrew cannot keep yet: {rule}")


def of_spec(spec: PodSpec) -> Iterator[Cause]:
    """Rules that the pod itself asks for; those of its volumes are found with the volumes."""
    affinity = spec.affinity
    if affinity is not None and affinity.pod_affinity is not None:
        near = affinity.pod_affinity
        if (
            near.required_during_scheduling_ignored_during_execution
            or near.preferred_during_scheduling_ignored_during_execution
        ):
            yield cause_of(_POD_AFFINITY)
    if affinity is not None and affinity.pod_anti_affinity is not None:
        away = affinity.pod_anti_affinity
        if (
            away.required_during_scheduling_ignored_during_execution
            or away.preferred_during_scheduling_ignored_during_execution
        ):
            yield cause_of(_POD_ANTI_AFFINITY)
    if spec.topology_spread_constraints:
        yield cause_of(_SPREAD)
    if spec.resource_claims:
        yield cause_of(_DEVICES)


def of_marker(marker: str) -> Cause:
    """A gang of a dialect that we do not speak yet."""
    return cause_of(f"gangs named by {marker}")


def of_group(fields: Iterable[str]) -> str:
    """What to tell of a group with rules of its own about topology."""
    return f"the group asks for {', '.join(sorted(fields))}, which is not built yet"


def of_volume(volume: Volume) -> Cause | None:
    """Rules of volumes that need no other object to be seen."""
    if volume.ephemeral is not None:
        return cause_of(EPHEMERAL_CLAIMS, stage=Stage.VOLUMES)
    disks = (
        volume.gce_persistent_disk,
        volume.aws_elastic_block_store,
        volume.azure_disk,
        volume.cinder,
        volume.iscsi,
        volume.rbd,
    )
    if any(disk is not None for disk in disks):
        return cause_of(DISKS, stage=Stage.VOLUMES)
    return None


def is_plain(pod: Pod) -> bool:
    """Whether none of the pod's volumes has a say in where it runs, as of nearly every pod."""
    return all(_is_plain(volume) for volume in pod.spec.volumes)


def _is_plain(volume: Volume) -> bool:
    return (
        volume.persistent_volume_claim is None
        and volume.csi is None
        and volume == Volume(name=volume.name)
    )
