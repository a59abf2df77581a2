"""From plan to cluster, gang by gang: answers of the server in, the next requests out. Pure."""

from __future__ import annotations

from fullcrew.launch.answers import (
    Answer,
    Outcome,
    PodSeen,
    Sight,
    Terms,
    TermsSeen,
    answer_of,
)
from fullcrew.launch.fresh import GroupKey, Reads, gathered, terms_of
from fullcrew.launch.requests import (
    Bind,
    Forget,
    HeldUp,
    Moved,
    ReadGroup,
    ReadPod,
    Request,
    Rest,
)
from fullcrew.launch.resting import Resting
from fullcrew.launch.transaction import Launch, Patience, Phase

__all__ = [
    "Answer",
    "Bind",
    "Forget",
    "GroupKey",
    "HeldUp",
    "Launch",
    "Moved",
    "Outcome",
    "Patience",
    "Phase",
    "PodSeen",
    "ReadGroup",
    "ReadPod",
    "Reads",
    "Request",
    "Rest",
    "Resting",
    "Sight",
    "Terms",
    "TermsSeen",
    "answer_of",
    "gathered",
    "terms_of",
]
