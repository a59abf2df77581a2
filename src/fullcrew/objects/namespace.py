"""The namespace: its labels choose it, its annotation names its default queue."""

from __future__ import annotations

from typing import ClassVar

from fullcrew.objects.metadata import Kind, KubernetesObject
from fullcrew.objects.shape import Shape

__all__ = ["Namespace", "NamespaceStatus"]


class NamespaceStatus(Shape, frozen=True):
    """Active, or Terminating: then nothing new starts in it."""

    phase: str = ""


class Namespace(KubernetesObject, frozen=True):
    """One namespace."""

    KIND: ClassVar[Kind] = Kind("", "Namespace")
    IS_NAMESPACED: ClassVar[bool] = False

    status: NamespaceStatus = NamespaceStatus()
