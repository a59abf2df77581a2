"""Volumes and the claims on them, as far as they decide which nodes a pod can use."""

from __future__ import annotations

from typing import ClassVar

from fullcrew.objects.affinity import NodeSelector
from fullcrew.objects.metadata import Kind, KubernetesObject
from fullcrew.objects.shape import NO_AMOUNTS, JudgedAmounts, Shape

__all__ = [
    "BoundClaim",
    "ClaimSpec",
    "ClaimStatus",
    "Driver",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "VolumeNodeAffinity",
    "VolumeSpec",
    "VolumeStatus",
]


class VolumeNodeAffinity(Shape, frozen=True):
    """From where the volume can be reached."""

    required: NodeSelector | None = None


class BoundClaim(Shape, frozen=True):
    """The claim that has the volume, by uid: one made again under its name has it no longer."""

    namespace: str = ""
    name: str = ""
    uid: str = ""


class Driver(Shape, frozen=True):
    """The CSI driver that attaches the volume."""

    driver: str = ""
    volume_handle: str = ""


class VolumeSpec(Shape, frozen=True):
    """A volume without affinity may still be tied to a zone by its labels."""

    capacity: JudgedAmounts = NO_AMOUNTS
    access_modes: tuple[str, ...] = ()
    storage_class_name: str = ""
    node_affinity: VolumeNodeAffinity | None = None
    claim_ref: BoundClaim | None = None
    csi: Driver | None = None


class VolumeStatus(Shape, frozen=True):
    """Available, Bound, Released or Failed."""

    phase: str = ""


class PersistentVolume(KubernetesObject, frozen=True):
    """One volume of the cluster."""

    KIND: ClassVar[Kind] = Kind("", "PersistentVolume")
    IS_NAMESPACED: ClassVar[bool] = False

    spec: VolumeSpec = VolumeSpec()
    status: VolumeStatus = VolumeStatus()


class ClaimSpec(Shape, frozen=True):
    """No class at all (None) means the cluster's default, an empty name none."""

    volume_name: str = ""
    storage_class_name: str | None = None
    access_modes: tuple[str, ...] = ()


class ClaimStatus(Shape, frozen=True):
    """Pending, Bound or Lost."""

    phase: str = ""


class PersistentVolumeClaim(KubernetesObject, frozen=True):
    """One claim of a namespace on a volume."""

    KIND: ClassVar[Kind] = Kind("", "PersistentVolumeClaim")

    spec: ClaimSpec = ClaimSpec()
    status: ClaimStatus = ClaimStatus()

    @property
    def is_bound(self) -> bool:
        """It has its volume. A manifest may leave the status out; a server says `Bound` there."""
        return self.spec.volume_name != "" and self.status.phase in {"", "Bound"}
