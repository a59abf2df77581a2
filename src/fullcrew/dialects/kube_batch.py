"""kube-batch's groups, `scheduling.incubator.k8s.io/v1alpha1` and `scheduling.sigs.dev/v1alpha2`.

Both groups have the same fields. Pods name their group in the annotation
`scheduling.k8s.io/group-name`, which they share with Volcano's. Where kube-batch let a gang fall
back to Pending when its pods succeeded, ours stays Running: succeeded members count.
"""

from __future__ import annotations

from typing import Final

from fullcrew.dialects import reading
from fullcrew.dialects.facts import GroupFacts
from fullcrew.dialects.words import EventWords, Words
from fullcrew.model.reason import Kind as Cause
from fullcrew.objects.group import PodGroup

__all__ = ["NAME", "WORDS", "facts"]

NAME: Final = "kube-batch"

# As its own scheduler and controller write them.
WORDS: Final = Words(
    fresh="Pending",
    admitted="Pending",
    running="Running",
    wounded="Unknown",
    finished="Running",
    waits="Unschedulable",
    started="",  # it knows one condition only
    why_started="",
    why={
        Cause.TOO_FEW_PODS: "NotEnoughTasks",
        Cause.GATED: "NotEnoughTasks",
        Cause.NO_GROUP: "NotEnoughTasks",
    },
    why_else="NotEnoughResources",
    why_role="",  # it knows none
    events=EventWords(waits="Unschedulable", started="Scheduled"),
)


def facts(group: PodGroup) -> GroupFacts:
    """kube-batch's three fields; what Volcano added means nothing here."""
    return reading.facts(group, dialect=NAME)
