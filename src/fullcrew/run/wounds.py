"""Until when a wounded gang keeps the room that its missing members would take.

State has no clock, so the deadline is set here, when the wound is first seen. A gang that stood
whole in between gets a new one, and so does one that a fault kept waiting: a queue that is gone, or
a rival, is no reason to let go what runs.

A member whose bind is under way, or was refused and rests, counts as standing for the plan, since
its room is taken. For the deadline it does not: else a member that is refused again and again would
give its gang a new one each time, and the gang would hold its room for ever.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
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
        """How many are wounded, those included that a fault keeps waiting and those whose members
        are on their way."""
        return self._count

    def applied_to(
        self, gangs: Sequence[Gang], *, now: float, is_settling: Callable[[str], bool]
    ) -> tuple[Gang, ...]:
        """The gangs as a plan may read them; who is not among the wounded any more is forgotten,
        unless `is_settling` says that members of it are on their way."""
        wounded = [gang for gang in gangs if gang.is_wounded]
        kept = self._kept(gangs, wounded, is_settling) if self._until else []
        self._count = len(wounded) + len(kept)
        if not wounded and not kept:
            self._until.clear()
            self._again_at.clear()
            return tuple(gangs)
        until = math.ceil(now + self._patience)
        mending = [gang.name for gang in wounded if gang.fault is None] + kept
        self._until = {name: self._until.get(name, until) for name in mending}
        self._again_at = {name: self._again_at[name] for name in mending if name in self._again_at}
        return tuple(
            replace(gang, hold_until=self._until[gang.name]) if gang.name in self._until else gang
            for gang in gangs
        )

    def stood(self, gang: str) -> None:
        """All that it lacked was bound: the next wound is another one."""
        self._until.pop(gang, None)
        self._again_at.pop(gang, None)

    def take_overdue(self, now: float, *, is_spared: Callable[[str], bool]) -> list[str]:
        """Those whose deadline is past; who stands yet after as much time once more, again. Who is
        spared, since its binds are on their way, stays overdue."""
        overdue = [name for name, at in self._times() if at <= now and not is_spared(name)]
        again_at = now + max(self._patience, AGAIN_SECONDS)
        self._again_at.update(dict.fromkeys(overdue, again_at))
        return overdue

    def next_deadline(self, *, is_spared: Callable[[str], bool]) -> float | None:
        """When the next of them is past, but for the spared."""
        return min((at for name, at in self._times() if not is_spared(name)), default=None)

    def _kept(
        self, gangs: Sequence[Gang], wounded: Sequence[Gang], is_settling: Callable[[str], bool]
    ) -> list[str]:
        """Those that only look whole, because what they lack is on its way."""
        others = self._until.keys() - {gang.name for gang in wounded}
        settling = {name for name in others if is_settling(name)}
        settling -= {gang.name for gang in gangs if gang.fault is not None} if settling else set()
        return sorted(settling)

    def _times(self) -> Iterator[tuple[str, float]]:
        for name, until in self._until.items():
            yield name, self._again_at.get(name, until)
