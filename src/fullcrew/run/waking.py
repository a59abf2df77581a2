"""What wakes the loop, and until when a burst of changes is gathered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import StrEnum

__all__ = ["Alarm", "Why"]

SHORTEST_GATHER_SECONDS = 0.001
LONGEST_GATHER_SECONDS = 0.05
"""A gang's pods come one by one; and a plan for each of ten thousand arrivals would be the whole
load. So changes are gathered for as long as the last cycle took: planning gets half of the time at
most, and a pod that comes alone waits a millisecond."""

SAFETY_SECONDS = 60.0


class Why(StrEnum):
    """What woke the loop. `SAFETY` finds nothing, or has found a defect."""

    CHANGE = "change"
    TIME = "time"
    SAFETY = "safety"


class Alarm:
    """Rings when something changed, or when a time has come that somebody named.

    Times are seconds on the event loop's clock.
    """

    def __init__(self) -> None:
        self._changed = asyncio.Event()
        self._gather = SHORTEST_GATHER_SECONDS

    def ring(self) -> None:
        """Something changed that a plan could depend on."""
        self._changed.set()

    def took(self, seconds: float) -> None:
        """How long the last cycle was."""
        self._gather = min(LONGEST_GATHER_SECONDS, max(SHORTEST_GATHER_SECONDS, seconds))

    async def wait(self, next_time: Callable[[], float | None]) -> Why:
        """Returns when a plan is due, and why; after a change, when others had time to follow."""
        loop = asyncio.get_running_loop()
        safety = loop.time() + SAFETY_SECONDS
        at = next_time()
        soonest = loop.time() + SHORTEST_GATHER_SECONDS  # a time that is past must not keep us busy
        until = safety if at is None else max(soonest, min(at, safety))
        try:
            async with asyncio.timeout_at(until):
                await self._changed.wait()
        except TimeoutError:
            return Why.TIME if at is not None and at <= loop.time() else Why.SAFETY
        await asyncio.sleep(self._gather)
        self._changed.clear()
        return Why.CHANGE
