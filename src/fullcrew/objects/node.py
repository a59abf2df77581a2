"""The node: what it has, what it is called, what keeps pods off it."""

from __future__ import annotations

from typing import ClassVar

from fullcrew.objects.metadata import Condition, Kind, KubernetesObject
from fullcrew.objects.shape import NO_AMOUNTS, Amounts, JudgedAmounts, Shape

__all__ = ["Node", "NodeSpec", "NodeStatus", "Taint"]


class Taint(Shape, frozen=True):
    """What keeps pods off that do not tolerate it."""

    key: str = ""
    value: str = ""
    effect: str = ""


class NodeSpec(Shape, frozen=True):
    """What operators and controllers set."""

    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()


class NodeStatus(Shape, frozen=True):
    """What the kubelet reports."""

    allocatable: Amounts = NO_AMOUNTS
    capacity: JudgedAmounts = NO_AMOUNTS
    conditions: tuple[Condition, ...] = ()


class Node(KubernetesObject, frozen=True):
    """One node."""

    KIND: ClassVar[Kind] = Kind("", "Node")
    IS_NAMESPACED: ClassVar[bool] = False

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @property
    def is_ready(self) -> bool:
        """The kubelet says so; a node without that condition, as in a manifest, counts as ready."""
        ready = (at.status for at in self.status.conditions if at.type == "Ready")
        return next(ready, "True") == "True"
