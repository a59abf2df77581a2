"""What a node's volume drivers can attach; of all that, whether there is a limit."""

from __future__ import annotations

from typing import ClassVar

from fullcrew.objects.metadata import Kind, KubernetesObject
from fullcrew.objects.shape import Int32, Shape

__all__ = ["CsiDriver", "CsiLimit", "CsiNode", "CsiNodeSpec"]


class CsiLimit(Shape, frozen=True):
    """How many volumes at most; absent: as many as one likes."""

    count: Int32 | None = None


class CsiDriver(Shape, frozen=True):
    """A driver that runs on the node."""

    name: str = ""
    allocatable: CsiLimit | None = None


class CsiNodeSpec(Shape, frozen=True):
    """All drivers that run there."""

    drivers: tuple[CsiDriver, ...] = ()


class CsiNode(KubernetesObject, frozen=True):
    """The drivers of the node of the same name."""

    KIND: ClassVar[Kind] = Kind("storage.k8s.io", "CSINode")
    IS_NAMESPACED: ClassVar[bool] = False

    spec: CsiNodeSpec = CsiNodeSpec()

    @property
    def limited(self) -> frozenset[str]:
        """The drivers that attach only so many volumes there."""
        return frozenset(
            each.name
            for each in self.spec.drivers
            if each.allocatable is not None and each.allocatable.count is not None
        )
