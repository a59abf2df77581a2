"""Which kinds we read, by API group and name; the version does not matter to what we read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fullcrew.objects.csi_node import CsiNode
from fullcrew.objects.group import IncubatorPodGroup, SigsPodGroup, VolcanoPodGroup
from fullcrew.objects.metadata import Kind, KubernetesObject
from fullcrew.objects.namespace import Namespace
from fullcrew.objects.node import Node
from fullcrew.objects.pod import Pod
from fullcrew.objects.priority_class import PriorityClass
from fullcrew.objects.queue import IncubatorQueue, SigsQueue, VolcanoQueue
from fullcrew.objects.volume import PersistentVolume, PersistentVolumeClaim

__all__ = ["KINDS", "group_of", "kind_of"]

_READ: Final[tuple[type[KubernetesObject], ...]] = (
    Node,
    Pod,
    Namespace,
    PriorityClass,
    PersistentVolume,
    PersistentVolumeClaim,
    CsiNode,
    IncubatorPodGroup,
    SigsPodGroup,
    VolcanoPodGroup,
    IncubatorQueue,
    SigsQueue,
    VolcanoQueue,
)

# The struct of each kind, under what `kind_of` makes of a document's first two lines.
KINDS: Final[Mapping[Kind, type[KubernetesObject]]] = MappingProxyType(
    {shape.KIND: shape for shape in _READ}
)


def group_of(api_version: str) -> str:
    """The API group: all before the slash, nothing for the core group's `v1`."""
    return api_version.rpartition("/")[0]


def kind_of(api_version: str, kind: str) -> type[KubernetesObject] | None:
    """The struct that reads such a document; None for a kind that we do not read."""
    return KINDS.get(Kind(group_of(api_version), kind))
