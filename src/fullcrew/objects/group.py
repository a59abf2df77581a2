"""The group objects of kube-batch and Volcano. One struct reads them all; the class tells whose."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from fullcrew.objects.metadata import Condition, Kind, KubernetesObject
from fullcrew.objects.shape import NO_AMOUNTS, Amounts, Int32, Shape

__all__ = [
    "IncubatorPodGroup",
    "NetworkTopology",
    "PodGroup",
    "PodGroupSpec",
    "PodGroupStatus",
    "SigsPodGroup",
    "SubGroupPolicy",
    "VolcanoPodGroup",
]

_NO_MINIMUMS: Final[Mapping[str, Int32]] = MappingProxyType({})


class NetworkTopology(Shape, frozen=True):
    """How near to each other the pods of a group must be (Volcano)."""

    mode: str = ""
    highest_tier_allowed: Int32 | None = None
    highest_tier_name: str = ""


class SubGroupPolicy(Shape, frozen=True):
    """Pods that must be together inside the group (Volcano)."""

    name: str = ""


class PodGroupSpec(Shape, frozen=True):
    """kube-batch knows `minMember`, `queue` and `priorityClassName`; the rest is Volcano's."""

    min_member: Int32 = 0
    min_task_member: Mapping[str, Int32] = _NO_MINIMUMS
    min_resources: Amounts = NO_AMOUNTS
    queue: str = ""
    priority_class_name: str = ""
    network_topology: NetworkTopology | None = None
    sub_group_policy: tuple[SubGroupPolicy, ...] = ()


class PodGroupStatus(Shape, frozen=True):
    """What a scheduler wrote last."""

    phase: str = ""
    conditions: tuple[Condition, ...] = ()
    running: Int32 = 0
    succeeded: Int32 = 0
    failed: Int32 = 0


class PodGroup(KubernetesObject, frozen=True):
    """A group in any of the three API groups; only its subclasses are ever made."""

    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()


class IncubatorPodGroup(PodGroup, frozen=True):
    """kube-batch's first form."""

    KIND: ClassVar[Kind] = Kind("scheduling.incubator.k8s.io", "PodGroup")


class SigsPodGroup(PodGroup, frozen=True):
    """kube-batch's second form, the same fields under another group."""

    KIND: ClassVar[Kind] = Kind("scheduling.sigs.dev", "PodGroup")


class VolcanoPodGroup(PodGroup, frozen=True):
    """Volcano's form."""

    KIND: ClassVar[Kind] = Kind("scheduling.volcano.sh", "PodGroup")
