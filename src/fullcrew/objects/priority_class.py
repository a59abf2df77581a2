"""The priority class: a number under a name."""

from __future__ import annotations

from typing import ClassVar

from fullcrew.objects.metadata import Kind, KubernetesObject
from fullcrew.objects.shape import Int32

__all__ = ["PriorityClass"]


class PriorityClass(KubernetesObject, frozen=True):
    """How important a pod or group is that names this class."""

    KIND: ClassVar[Kind] = Kind("scheduling.k8s.io", "PriorityClass")
    IS_NAMESPACED: ClassVar[bool] = False

    value: Int32 = 0
    global_default: bool = False
    preemption_policy: str = ""
