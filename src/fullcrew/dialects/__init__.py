"""How each project names a group of pods: whose pods, what the group says, what to write on it."""

from __future__ import annotations

from fullcrew.dialects import kube_batch, labels, single, volcano
from fullcrew.dialects.facts import GroupFacts, Membership, role_of, task_priority_of
from fullcrew.dialects.groups import WORDS, facts
from fullcrew.dialects.membership import membership, preferred
from fullcrew.dialects.words import EventWords, Words

__all__ = [
    "WORDS",
    "EventWords",
    "GroupFacts",
    "Membership",
    "Words",
    "facts",
    "kube_batch",
    "labels",
    "membership",
    "preferred",
    "role_of",
    "single",
    "task_priority_of",
    "volcano",
]
