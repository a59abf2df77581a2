"""What a group object says, in one form for all dialects, and whose pods are whose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from fullcrew.objects.pod import Pod

__all__ = [
    "GROUP_NAME",
    "QUEUE_NAME",
    "TASK_PRIORITY",
    "TASK_SPEC",
    "GroupFacts",
    "Membership",
    "role_of",
    "task_priority_of",
]

GROUP_NAME: Final = "scheduling.k8s.io/group-name"  # kube-batch's, and Volcano's to this day
QUEUE_NAME: Final = "scheduling.volcano.sh/queue-name"  # on a pod, or on its namespace
TASK_SPEC: Final = "volcano.sh/task-spec"
TASK_PRIORITY: Final = "volcano.sh/task-priority"

_LONGEST_NUMBER = 10  # digits of a 32-bit number


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """One group object, read. `minimum` is at least 1; `roles` only where they bind.

    `fault` tells in words what cannot be; the numbers beside it then mean nothing. `not_built`
    names rules of the group that this release cannot keep.
    """

    dialect: str
    minimum: int
    queue: str = ""
    priority_class: str = ""
    created: int | None = None
    roles: tuple[tuple[str, int], ...] = ()  # sorted by name
    min_resources: Mapping[str, int] = field(default_factory=dict)
    is_leaving: bool = False
    not_built: tuple[str, ...] = ()
    fault: str = ""
    notes: tuple[str, ...] = ()


class Membership(NamedTuple):
    """Which gang a pod says it belongs to, by the marker that wins.

    `dialect` is that of the marker: `annotation` for kube-batch and Volcano, whose pods look the
    same, else the dialect itself. `fault` and `not_built` are of this pod alone.
    """

    dialect: str
    gang: str  # namespace/name; the pod's own for one without a group
    minimum: int = 0  # as the pod's labels tell it, in the labels dialect alone
    fault: str = ""
    not_built: str = ""
    notes: tuple[str, ...] = ()


def role_of(pod: Pod) -> str:
    """The pod's task: the annotation, else the label; "" where it has none."""
    annotations, labels = pod.metadata.annotations, pod.metadata.labels
    return annotations.get(TASK_SPEC) or labels.get(TASK_SPEC) or ""


def task_priority_of(pod: Pod) -> int | None:
    """Its place in its gang's order, where its job names one. What is no number names none."""
    told = pod.metadata.annotations.get(TASK_PRIORITY) or pod.metadata.labels.get(TASK_PRIORITY)
    if not told:
        return None
    digits = told.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST_NUMBER):
        return None
    return int(told)
