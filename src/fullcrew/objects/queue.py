"""The queues of kube-batch and Volcano. One struct reads them all; the class tells whose."""

from __future__ import annotations

from typing import ClassVar

from fullcrew.objects.metadata import Kind, KubernetesObject
from fullcrew.objects.shape import NO_AMOUNTS, Amounts, Int32, JudgedAmounts, Shape

__all__ = [
    "Guarantee",
    "IncubatorQueue",
    "Queue",
    "QueueSpec",
    "QueueStatus",
    "SigsQueue",
    "VolcanoQueue",
]


class Guarantee(Shape, frozen=True):
    """Room kept for a queue whether it uses it or not."""

    resource: JudgedAmounts = NO_AMOUNTS


class QueueSpec(Shape, frozen=True):
    """kube-batch knows `weight` and `capability`; the rest is Volcano's."""

    weight: Int32 | None = None
    capability: Amounts = NO_AMOUNTS
    deserved: JudgedAmounts = NO_AMOUNTS
    guarantee: Guarantee = Guarantee()
    reclaimable: bool | None = None
    parent: str = ""
    priority: Int32 = 0
    state: str = ""  # where Volcano had it before it moved to the status


class QueueStatus(Shape, frozen=True):
    """`state` is Open, Closed, Closing or Unknown; empty is open. The rest are groups by phase, and
    what their pods have on nodes."""

    state: str = ""
    unknown: Int32 = 0
    pending: Int32 = 0
    running: Int32 = 0
    inqueue: Int32 = 0
    completed: Int32 = 0
    allocated: Amounts = NO_AMOUNTS


class Queue(KubernetesObject, frozen=True):
    """A queue in any of the three API groups; only its subclasses are ever made."""

    IS_NAMESPACED: ClassVar[bool] = False

    spec: QueueSpec = QueueSpec()
    status: QueueStatus = QueueStatus()


class IncubatorQueue(Queue, frozen=True):
    """kube-batch's first form."""

    KIND: ClassVar[Kind] = Kind("scheduling.incubator.k8s.io", "Queue")


class SigsQueue(Queue, frozen=True):
    """kube-batch's second form."""

    KIND: ClassVar[Kind] = Kind("scheduling.sigs.dev", "Queue")


class VolcanoQueue(Queue, frozen=True):
    """Volcano's form."""

    KIND: ClassVar[Kind] = Kind("scheduling.volcano.sh", "Queue")
