"""When a status may be written: what costs nothing is told at once, what moves all the time late.

A gang that is started within two seconds is never written as waiting. A change of the kind of
reason is worth a write at once after that; numbers alone wait their half minute.
"""

from __future__ import annotations

from enum import Enum, auto

from fullcrew.dialects import status
from fullcrew.dialects.status import Content

__all__ = ["HELD_SECONDS", "NUMBERS_SECONDS", "Change", "change", "due"]

HELD_SECONDS = 2.0  # a gang that starts within them is never written as waiting
NUMBERS_SECONDS = 30.0  # for what moves all the time
APART_SECONDS = 0.5
"""Between two writes of one group, also where its kind of reason changes all the time."""


class Change(Enum):
    """What differs between what stands on a group and what should."""

    NOTHING = auto()
    NUMBERS = auto()
    KIND = auto()


def change(old: Content, new: Content, *, minimum: int) -> Change:
    """The greatest of the differences."""
    if old == new:
        return Change.NOTHING
    is_same = status.look(old, minimum=minimum) == status.look(new, minimum=minimum)
    return Change.NUMBERS if is_same else Change.KIND


def due(found: Change, *, written_at: float) -> float:
    """From when on such a change may be written. Times are seconds on any steady clock."""
    return written_at + (NUMBERS_SECONDS if found is Change.NUMBERS else APART_SECONDS)
