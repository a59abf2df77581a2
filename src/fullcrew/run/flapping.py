"""What changes to and fro is told ever more seldom: a first change is worth a write at once, the
tenth return to what was said a moment ago is not.

Two gangs that take turns at the last free nodes change their reasons with each plan. Written each
time, on the group, on every pod and as an event, that would be the main load of a quiet cluster.
"""

from __future__ import annotations

from collections.abc import Hashable

__all__ = ["Flapping"]

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 60.0
REMEMBERED_SECONDS = 300.0
"""What was not said for so long is said as if for the first time."""


class _Past:
    """What was said of one gang, when last, and how often it returned to what it had said."""

    __slots__ = ("last", "returns", "said", "warned")

    def __init__(self) -> None:
        self.said: dict[Hashable, float] = {}
        self.warned: dict[Hashable, float] = {}
        self.last: Hashable = None
        self.returns = 0


class Flapping:
    """What was said of each gang lately. Times are seconds on any steady clock."""

    def __init__(self) -> None:
        self._gangs: dict[str, _Past] = {}

    def forget(self, gang: str) -> None:
        """It waits no more, or is gone."""
        self._gangs.pop(gang, None)

    def pause(self, gang: str, told: Hashable, now: float) -> float:
        """How long after the last word on this gang it may be told this."""
        past = self._gangs.get(gang)
        if past is None or told == past.last or not _is_recent(past.said.get(told), now):
            return 0.0
        return float(min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(past.returns, 16)))

    def said(self, gang: str, told: Hashable, now: float) -> None:
        """The gang was told this."""
        past = self._gangs.setdefault(gang, _Past())
        past.said = {key: at for key, at in past.said.items() if _is_recent(at, now)}
        if told != past.last:
            past.returns = past.returns + 1 if told in past.said else 0
        past.said[told], past.last = now, told

    def may_warn(self, gang: str, kind: Hashable, now: float) -> bool:
        """Whether an event of this kind is news; if it is, the next one is none for some time."""
        past = self._gangs.setdefault(gang, _Past())
        past.warned = {key: at for key, at in past.warned.items() if _is_recent(at, now)}
        return past.warned.setdefault(kind, now) == now


def _is_recent(at: float | None, now: float) -> bool:
    return at is not None and now < at + REMEMBERED_SECONDS
