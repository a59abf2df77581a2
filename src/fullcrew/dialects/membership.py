"""Which gang a pod belongs to when it carries several markers, and which group object counts.

Design: the pod's field, then kube-batch's and Volcano's annotation, then the label of
scheduling.x-k8s.io, then ACK's labels. A marker of a dialect that this release does not have
keeps the pod waiting if it wins, and is told if it loses: bound alone, the pod would break the
promise that the marker makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from fullcrew.dialects import labels, single
from fullcrew.dialects.facts import GROUP_NAME, Membership
from fullcrew.objects.metadata import Kind
from fullcrew.objects.pod import Pod

__all__ = ["ANNOTATION", "NATIVE_FIELD", "X_K8S_LABEL", "membership", "preferred"]

ANNOTATION: Final = "annotation"
NATIVE_FIELD: Final = "spec.schedulingGroup"
X_K8S_LABEL: Final = "scheduling.x-k8s.io/pod-group"

_KUBE_BATCH: Final = (
    Kind("scheduling.incubator.k8s.io", "PodGroup"),
    Kind("scheduling.sigs.dev", "PodGroup"),
)
_VOLCANO: Final = Kind("scheduling.volcano.sh", "PodGroup")
_BY_PROJECT: Final = {"kube-batch": _KUBE_BATCH, "volcano": (_VOLCANO,)}
_ORDER: Final = (_VOLCANO, *_KUBE_BATCH)


def membership(pod: Pod) -> Membership:
    """The gang of a pod, and what there is to say about its other markers."""
    metadata = pod.metadata
    annotated = metadata.annotations.get(GROUP_NAME)
    if pod.spec.scheduling_group is None and X_K8S_LABEL not in metadata.labels:
        if annotated and labels.NAME_LABEL not in metadata.labels:
            return Membership(ANNOTATION, f"{pod.namespace}/{annotated}")
        if not annotated:
            return labels.membership(pod) or single.membership(pod)
    return _among_several(pod)


def _among_several(pod: Pod) -> Membership:
    found = _markers(pod)
    (marker, winner), losers = found[0], found[1:]
    if not losers:
        return winner
    others = ", ".join(name for name, _ in losers)
    return winner._replace(notes=(f"{marker} decides the pod's gang; beside it stands {others}",))


def _markers(pod: Pod) -> Sequence[tuple[str, Membership]]:
    """All markers on the pod, the one that wins first."""
    found: list[tuple[str, Membership]] = []
    group = pod.spec.scheduling_group
    if group is not None and group.pod_group_name:
        found.append((NATIVE_FIELD, _unsupported(pod, f"{NATIVE_FIELD}.podGroupName")))
    if annotated := pod.metadata.annotations.get(GROUP_NAME):
        found.append((GROUP_NAME, Membership(ANNOTATION, f"{pod.namespace}/{annotated}")))
    if pod.metadata.labels.get(X_K8S_LABEL):
        found.append((X_K8S_LABEL, _unsupported(pod, f"label {X_K8S_LABEL}")))
    if labelled := labels.membership(pod):
        found.append((labels.NAME_LABEL, labelled))
    return found or [("", single.membership(pod))]


def _unsupported(pod: Pod, marker: str) -> Membership:
    return Membership(single.NAME, pod.full_name, minimum=1, not_built=marker)


def preferred(kinds: Iterable[Kind], schedulers: Iterable[str]) -> Kind | None:
    """Of several group objects of one name: that of the project which the pods' schedulerName
    names, else Volcano's, then kube-batch's two. Pods that name both projects name Volcano."""
    there = frozenset(kinds)
    named = [
        kind for name in sorted(schedulers, reverse=True) for kind in _BY_PROJECT.get(name, ())
    ]
    return next((kind for kind in (*named, *_ORDER) if kind in there), None)
