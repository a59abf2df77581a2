"""The Kubernetes objects we read, as typed structs; their amounts, and what a pod asks for.

Only what is read is built, and nothing here decides anything. A fault inside one object is a value
(`Faulty`) or is raised as `BadInput` with the place in the object, for whoever reads on to turn
into that object's reason; it never stops the others.
"""

from __future__ import annotations

from fullcrew.objects import asking, choosing, fields, ports, quantity, selecting
from fullcrew.objects.csi_node import CsiNode
from fullcrew.objects.decoding import (
    BOOKMARK,
    ERROR,
    Decoder,
    Event,
    Faulty,
    Page,
    decode,
    fault_in,
    fault_where,
    readable,
)
from fullcrew.objects.group import (
    IncubatorPodGroup,
    PodGroup,
    SigsPodGroup,
    VolcanoPodGroup,
)
from fullcrew.objects.kinds import KINDS, group_of, kind_of
from fullcrew.objects.metadata import (
    Condition,
    Kind,
    KubernetesObject,
    ObjectMeta,
    OwnerReference,
    seconds,
)
from fullcrew.objects.namespace import Namespace
from fullcrew.objects.node import Node
from fullcrew.objects.pod import Pod
from fullcrew.objects.priority_class import PriorityClass
from fullcrew.objects.queue import IncubatorQueue, Queue, SigsQueue, VolcanoQueue
from fullcrew.objects.status import Status
from fullcrew.objects.volume import PersistentVolume, PersistentVolumeClaim

__all__ = [
    "BOOKMARK",
    "ERROR",
    "KINDS",
    "Condition",
    "CsiNode",
    "Decoder",
    "Event",
    "Faulty",
    "IncubatorPodGroup",
    "IncubatorQueue",
    "Kind",
    "KubernetesObject",
    "Namespace",
    "Node",
    "ObjectMeta",
    "OwnerReference",
    "Page",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodGroup",
    "PriorityClass",
    "Queue",
    "SigsPodGroup",
    "SigsQueue",
    "Status",
    "VolcanoPodGroup",
    "VolcanoQueue",
    "asking",
    "choosing",
    "decode",
    "fault_in",
    "fault_where",
    "fields",
    "group_of",
    "kind_of",
    "ports",
    "quantity",
    "readable",
    "seconds",
    "selecting",
]
