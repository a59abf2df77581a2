"""How many requests may be under way at once, as the server's answers tell it. No clock, no socket.

Two signals. A push-back (429) halves the limit, once for all requests that were under way
together; a fault (5xx, no answer) does, but once a second at most, since it may be the fault of
what was asked and not of how much. Latency says how many requests wait at the server beyond those
being served: by Little's law that is `limit * (1 - quickest / usual)`. Some must wait, so that the
server never runs dry while we are busy; more than that only makes each answer older. So the limit
grows by one a round while fewer than `FEWEST_WAITING` wait, and shrinks by one while more than
`MOST_WAITING` do; on a distant server it grows until the line is full, on a near one it stays
small, and each connection that is not opened saves a TLS handshake on both sides.

`Pace` is that of all requests together, as binds feel it. What a server refuses to statuses or
events alone (a limit on events, a webhook before the groups) must not slow binds: for that each
lower lane has a `Restraint` of its own.
"""

from __future__ import annotations

__all__ = ["Pace", "Restraint"]

FEWEST_WAITING = 32.0
MOST_WAITING = 64.0
QUICKEST_HOLDS_SECONDS = 300.0  # longer than a full line usually lasts, which hides the quickest
WEIGHT = 1 / 32  # of the newest answer in the usual latency
LONGEST_PAUSE_SECONDS = 60.0
FAULTS_EVERY_SECONDS = 1.0
FIRST_REST_SECONDS = 0.1  # of a lane that was refused without a word of how long to wait
LONGEST_REST_SECONDS = 10.0


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
        """The server was too busy."""
        self.pushed_back += 1
        if sent_at > self._cut_at:  # what was sent before the cut says nothing about it
            self._cut(now)
        self._pause(now, after_seconds)

    def failed(self, *, sent_at: float, now: float, after_seconds: float = 0.0) -> None:
        """The server failed, or did not answer at all."""
        self.pushed_back += 1
        if sent_at > self._cut_at and now - self._cut_at >= FAULTS_EVERY_SECONDS:
            self._cut(now)
        self._pause(now, after_seconds)

    def _cut(self, now: float) -> None:
        self._limit = max(self._floor, self._limit / 2)
        self._cut_at = now

    def _pause(self, now: float, seconds: float) -> None:
        if seconds > 0:
            until = now + min(seconds, LONGEST_PAUSE_SECONDS)
            self.paused_until = max(self.paused_until, until)


class Restraint:
    """How far one lane holds itself back, by what was refused to it and to no other."""

    __slots__ = ("_cut_at", "_limit", "_refusals", "paused_until")

    def __init__(self) -> None:
        self._limit = float("inf")
        self._refusals = 0  # one after the other
        self._cut_at = float("-inf")
        self.paused_until = float("-inf")

    @property
    def is_felt(self) -> bool:
        """Whether something was refused not long ago."""
        return self._limit < float("inf")

    def allows(self, under_way: int, *, now: float) -> bool:
        """Whether one more request may go beside those that are under way."""
        return under_way < self._limit and now >= self.paused_until

    def answered(self, *, enough: int) -> None:
        """A good answer. `enough`: a lane that may have so many under way is not restrained."""
        self._refusals = 0
        if self._limit < enough:
            self._limit += 1 / self._limit
        else:
            self._limit = float("inf")

    def refused(
        self, under_way: int, *, sent_at: float, now: float, after_seconds: float = 0.0
    ) -> None:
        """The server would not take it, or did not answer; `under_way` with it."""
        if sent_at > self._cut_at:
            self._limit = max(1.0, min(self._limit, under_way) / 2)
            self._cut_at = now
            rest = min(LONGEST_REST_SECONDS, FIRST_REST_SECONDS * (1 << min(self._refusals, 16)))
            self._refusals += 1
            self.paused_until = max(self.paused_until, now + rest)
        if after_seconds > 0:
            until = now + min(after_seconds, LONGEST_PAUSE_SECONDS)
            self.paused_until = max(self.paused_until, until)
