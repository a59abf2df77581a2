"""How many requests may be under way at once, as the server's answers tell it. No clock, no socket.

Two signals. A push-back (429, 5xx, no answer) halves the limit, once for all requests that were
under way together. Latency says how many requests wait at the server beyond those being served:
by Little's law that is `limit * (1 - quickest / usual)`. Some must wait, so that the server never
runs dry while we are busy; more than that only makes each answer older. So the limit grows by one
a round while fewer than `FEWEST_WAITING` wait, and shrinks by one while more than `MOST_WAITING`
do; on a distant server it grows until the line is full, on a near one it stays small, and each
connection that is not opened saves a TLS handshake on both sides.
"""

from __future__ import annotations

__all__ = ["Pace"]

FEWEST_WAITING = 32.0
MOST_WAITING = 64.0
QUICKEST_HOLDS_SECONDS = 300.0  # longer than a full line usually lasts, which hides the quickest
WEIGHT = 1 / 32  # of the newest answer in the usual latency
LONGEST_PAUSE_SECONDS = 60.0


class Pace:
    """The limit, and until when the server asked us to send nothing."""

    __slots__ = (
        "_before",
        "_ceiling",
        "_cut_at",
        "_floor",
        "_limit",
        "_quickest",
        "_since",
        "_usual",
        "paused_until",
        "pushed_back",
    )

    def __init__(self, *, start: int = 48, floor: int = 4, ceiling: int = 400) -> None:
        self._limit = float(start)
        self._floor = float(floor)
        self._ceiling = float(ceiling)
        self._quickest = self._before = float("inf")  # in this stretch of time, in the one before
        self._since = float("-inf")
        self._usual = 0.0
        self._cut_at = float("-inf")
        self.paused_until = float("-inf")
        self.pushed_back = 0

    @property
    def limit(self) -> int:
        """How many requests may be under way."""
        return int(self._limit)

    def answered(self, *, sent_at: float, now: float, is_full: bool) -> None:
        """A good answer. `is_full`: as many were under way as may, so the limit was felt."""
        took = now - sent_at
        if now - self._since > QUICKEST_HOLDS_SECONDS:
            self._before, self._quickest, self._since = self._quickest, took, now
        elif took < self._quickest:
            self._quickest = took
        self._usual += (took - self._usual) * (WEIGHT if self._usual else 1.0)
        if not is_full or self._usual <= 0:
            return
        quickest = min(self._quickest, self._before)
        waiting = self._limit * (1 - quickest / self._usual)
        if waiting < FEWEST_WAITING:
            self._limit = min(self._ceiling, self._limit + 1 / self._limit)
        elif waiting > MOST_WAITING:
            self._limit = max(self._floor, self._limit - 1 / self._limit)

    def refused(self, *, sent_at: float, now: float, after_seconds: float = 0.0) -> None:
        """The server was too busy, or did not answer at all."""
        self.pushed_back += 1
        if sent_at > self._cut_at:  # what was sent before the cut says nothing about it
            self._limit = max(self._floor, self._limit / 2)
            self._cut_at = now
        if after_seconds > 0:
            until = now + min(after_seconds, LONGEST_PAUSE_SECONDS)
            self.paused_until = max(self.paused_until, until)
