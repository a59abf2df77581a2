"""The obviously correct planner for one gang: it tries everything.

For up to eight nodes and four kinds of pods `fullcrew` promises to find a placement wherever there
is one; this says whether there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from differential import fitting
from differential.case import case
from differential.rows import Manifest

__all__ = ["can_start"]

NOTHING: Mapping[str, Any] = {"starts": [], "waits": [], "evictions": [], "seconds": {}}


def can_start(documents: Sequence[Manifest], title: str) -> bool | None:
    """Whether the gang could start if it were alone. None: too many ways to try them all."""
    empty = case(documents, NOTHING)
    (gang,) = (each for each in empty.cluster.gangs.values() if each.title == title)
    if not empty.may_place(gang):
        return False
    sorts = fitting.sorts_of(empty.cluster, gang.startable)
    left = fitting.room_left(empty.cluster, {})
    return fitting.fits(left, sorts, count=gang.lacks, roles=gang.owed)
