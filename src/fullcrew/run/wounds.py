"""Until when a wounded gang keeps the room that its missing members would take.

State has no clock, so the deadline is set here, when the wound is first seen. A gang that stood
whole in between gets a new one, and so does one that a fault kept waiting: a queue that is gone, or
a rival, is no reason to let go what runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fullcrew.model.gang import Gang

__all__ = ["Wounds"]

AGAIN_SECONDS = 60.0
"""At least so long after an attempt to release a gang another one is made: it reads a namespace."""


class Wounds:
    """Deadlines of gangs that stand below their minimum. Times are unix seconds."""

    def __init__(self, patience_seconds: float) -> None:
        self._patience = patience_seconds
        self._until: dict[str, int] = {}
        self._again_at: dict[str, float] = {}  # of those that were to be let go, and stand yet
        self._count = 0

    def __len__(self) -> int:
        """How many are wounded, those that a fault keeps waiting included."""
        return self._count

    def applied_to(self, gangs: Sequence[Gang], *, now: float) -> tuple[Gang, ...]:
        """The gangs as a plan may read them; who is not among the wounded any more is forgotten."""
        wounded = [gang for gang in gangs if gang.is_wounded]
        self._count = len(wounded)
        if not wounded:
            self._until.clear()
            self._again_at.clear()
            return tuple(gangs)
        until = math.ceil(now + self._patience)
        mending = [gang.name for gang in wounded if gang.fault is None]
        self._until = {name: self._until.get(name, until) for name in mending}
        self._again_at = {name: self._again_at[name] for name in mending if name in self._again_at}
        return tuple(
            replace(gang, hold_until=self._until[gang.name]) if gang.name in self._until else gang
            for gang in gangs
        )

    def take_overdue(self, now: float) -> list[str]:
        """Those whose deadline is past; who stands yet after as much time once more, again."""
        overdue = [name for name, at in self._times() if at <= now]
        again_at = now + max(self._patience, AGAIN_SECONDS)
        self._again_at.update(dict.fromkeys(overdue, again_at))
        return overdue

    @property
    def next_deadline(self) -> float | None:
        """When the next of them is past."""
        return min((at for _, at in self._times()), default=None)

    def _times(self) -> Iterator[tuple[str, float]]:
        for name, until in self._until.items():
            yield name, self._again_at.get(name, until)
