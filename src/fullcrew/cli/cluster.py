"""A cluster as it is now, read once by blocking requests: the objects that a plan is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from fullcrew.client import Client
from fullcrew.objects import (
    CsiNode,
    Decoder,
    Faulty,
    IncubatorPodGroup,
    IncubatorQueue,
    KubernetesObject,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PriorityClass,
    SigsPodGroup,
    SigsQueue,
    VolcanoPodGroup,
    VolcanoQueue,
)

__all__ = ["COLLECTIONS", "objects_of"]

# Where each kind lies. The groups' versions are the only ones those projects ever served; a kind
# that the cluster does not serve has no objects. Pods come last, so that their groups are there.
COLLECTIONS: Final[Mapping[type[KubernetesObject], str]] = MappingProxyType(
    {
        Namespace: "/api/v1/namespaces",
        PriorityClass: "/apis/scheduling.k8s.io/v1/priorityclasses",
        PersistentVolume: "/api/v1/persistentvolumes",
        PersistentVolumeClaim: "/api/v1/persistentvolumeclaims",
        CsiNode: "/apis/storage.k8s.io/v1/csinodes",
        IncubatorQueue: "/apis/scheduling.incubator.k8s.io/v1alpha1/queues",
        SigsQueue: "/apis/scheduling.sigs.dev/v1alpha2/queues",
        VolcanoQueue: "/apis/scheduling.volcano.sh/v1beta1/queues",
        IncubatorPodGroup: "/apis/scheduling.incubator.k8s.io/v1alpha1/podgroups",
        SigsPodGroup: "/apis/scheduling.sigs.dev/v1alpha2/podgroups",
        VolcanoPodGroup: "/apis/scheduling.volcano.sh/v1beta1/podgroups",
        Node: "/api/v1/nodes",
        Pod: "/api/v1/pods",
    }
)


def objects_of(client: Client) -> Iterator[KubernetesObject | Faulty[KubernetesObject]]:
    """Every object of every kind that we read, page by page. Raises what the client raises."""
    for kind, path in COLLECTIONS.items():
        decoder = Decoder(kind)
        for raw in client.list(path):
            yield decoder.one(raw)
