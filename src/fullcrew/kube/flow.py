"""All writes and consistent reads on their way to the server: in lanes, and as many at once as
the server takes well.

A bind goes before a status, a status before an event, and what is lower never fills the line, so
that a bind that comes finds room in it. What the server refuses to a bind slows all that is below
it too; what it refuses to a lower lane, that lane alone. Events on groups and on pods are lanes of
their own: a gang's start is one event on its group, and must not be lost among those of its pods.
Workers take the next errand when they are done with the last: no task is made for a request while
there is work, which is what keeps the cost of a request near that of the bare client.
"""

from __future__ import annotations

import asyncio
from collections import deque
from enum import IntEnum
from typing import Final, Protocol

from fullcrew import errors
from fullcrew.kube.http import JSON, Reply, Wish
from fullcrew.kube.pacing import Pace, Restraint
from fullcrew.kube.tally import Tally

__all__ = ["Errand", "Flow", "Lane", "Wire"]

EVENTS_KEPT = 4096
TOO_MANY: Final = 429
_NO_ANSWER: Final = Reply(0, b"")


class Lane(IntEnum):
    """What goes first."""

    BIND = 0  # and the reads that a bind waits for
    STATUS = 1
    EVENT = 2
    POD_EVENT = 3  # the first thing that is dropped


_EVENTS: Final = (Lane.EVENT, Lane.POD_EVENT)


class Errand(Protocol):
    """One request that waits for its turn. All three are called once at most, by a worker."""

    def wish(self) -> Wish | None:
        """Asked right before it would be sent; None: it is not wanted any more."""

    def told(self, reply: Reply) -> None:
        """The server's answer, whatever it says."""

    def failed(self, error: errors.FullcrewError, /) -> None:
        """There was no answer, or it was never sent."""


class Wire(Protocol):
    """What carries a request; `Http` is one."""

    @property
    def is_due(self) -> bool:
        """Whether `look_again` must come first. Asked before each request."""

    async def look_again(self) -> None:
        """Takes up new credentials."""

    async def send(self, wish: Wish) -> Reply:
        """One attempt; `Unreachable` where no answer comes in time."""


class Flow:
    """The only way of requests to one server."""

    def __init__(self, http: Wire, *, pace: Pace | None = None) -> None:
        self.pace = pace or Pace()
        self.tally = Tally(tuple(lane.name.lower() for lane in Lane))
        self._http = http
        self._loop = asyncio.get_running_loop()
        self._queues: tuple[deque[Errand], ...] = tuple(deque() for _ in Lane)
        self._under_way = [0 for _ in Lane]
        self._restraints: tuple[Restraint, ...] = tuple(Restraint() for _ in Lane)  # no bind's
        self._workers: set[asyncio.Task[None]] = set()
        self._working = 0
        self._resuming: asyncio.TimerHandle | None = None  # all lanes
        self._waking: dict[Lane, asyncio.TimerHandle] = {}  # those that pause alone
        self._is_closed = False

    async def close(self) -> None:
        """Stops all workers; what was not sent never is."""
        self._is_closed = True
        for timer in (self._resuming, *self._waking.values()):
            if timer is not None:
                timer.cancel()
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        for queue in self._queues:
            while queue:
                self._fail(queue.popleft(), _not_sent("we are stopping"))

    def pending(self, lane: Lane) -> int:
        """How many requests of a lane are waiting or under way."""
        return len(self._queues[lane]) + self._under_way[lane]

    def submit(self, lane: Lane, errand: Errand, *, is_first: bool = False) -> None:
        """Takes an errand. `is_first`: before those that wait already, as a repeated bind."""
        if self._is_closed:
            self._fail(errand, _not_sent("we are stopping"))
            return
        queue = self._queues[lane]
        if is_first:
            queue.appendleft(errand)
        else:
            queue.append(errand)
        if lane in _EVENTS and len(queue) > EVENTS_KEPT:
            self._fail(queue.popleft(), _not_sent(f"more than {EVENTS_KEPT} events wait"))
        if self._working < self.pace.limit and self._resuming is None:
            self._add_worker()

    async def request(
        self,
        lane: Lane,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        content: str = JSON,
    ) -> Reply:
        """One request in its turn, with whatever the server answers; no answer: `Unreachable`."""
        return await self.ask(lane, Wish(method, path, body, content))

    async def ask(self, lane: Lane, wish: Wish) -> Reply:
        """The same with a limit of its own; its seconds count from when it is sent."""
        waiting: asyncio.Future[Reply] = self._loop.create_future()
        self.submit(lane, _Asked(wish, waiting))
        return await waiting

    def _add_worker(self) -> None:
        self._working += 1
        worker = self._loop.create_task(self._work())
        self._workers.add(worker)
        worker.add_done_callback(self._workers.discard)

    async def _work(self) -> None:
        """Errand after errand, until there is none or the line is full."""
        try:
            while (lane := self._next()) is not None:
                errand = self._queues[lane].popleft()
                self._under_way[lane] += 1
                try:
                    await self._carry_out(lane, errand)
                finally:
                    self._under_way[lane] -= 1
        finally:
            self._working -= 1

    def _next(self) -> Lane | None:
        """The lane whose turn it is. Lower ones leave a part of the line free for upper ones."""
        limit = self.pace.limit
        if self._working > limit or self._resuming is not None:
            return None
        binds, statuses, events, pod_events = self._queues
        if binds:
            return Lane.BIND
        low = sum(self._under_way) - self._under_way[Lane.BIND]
        if statuses and low < limit - limit // 4 and self._may_ask(Lane.STATUS):
            return Lane.STATUS
        if low >= limit // 2:
            return None
        if events and self._may_ask(Lane.EVENT):
            return Lane.EVENT
        return Lane.POD_EVENT if pod_events and self._may_ask(Lane.POD_EVENT) else None

    def _may_ask(self, lane: Lane) -> bool:
        return self._restraints[lane].allows(self._under_way[lane], now=self._loop.time())

    async def _carry_out(self, lane: Lane, errand: Errand) -> None:
        """One errand from its last question to its answer. Whatever fails here fails it alone."""
        try:
            if self._http.is_due:
                await self._http.look_again()
            wish = errand.wish()
            if wish is None:
                return
            reply = await self._send(lane, wish)
        except asyncio.CancelledError:
            self._fail(errand, _not_sent("we are stopping"))
            raise
        except errors.ClusterError as error:
            self._fail(errand, error)
            return
        except Exception as error:
            self._broken(errand, error)
            self._fail(errand, _not_sent("a fault of our own"))
            return
        try:
            errand.told(reply)
        except Exception as error:
            self._broken(errand, error)

    async def _send(self, lane: Lane, wish: Wish) -> Reply:
        sent_at = self._loop.time()
        try:
            reply = await self._http.send(wish)
        except errors.ClusterError:
            self._went_badly(lane, wish, _NO_ANSWER, sent_at)
            raise
        if reply.code >= 500 or reply.code == TOO_MANY:
            self._went_badly(lane, wish, reply, sent_at)
        else:
            self._went_well(lane, reply.code, sent_at)
        return reply

    def _went_well(self, lane: Lane, code: int, sent_at: float) -> None:
        now, limit = self._loop.time(), self.pace.limit
        self.tally.add(lane, code, now - sent_at)
        is_full = self._working >= limit
        self.pace.answered(sent_at=sent_at, now=now, is_full=is_full)
        if is_full and self._working < self.pace.limit and any(self._queues):
            self._add_worker()
        if lane is not Lane.BIND and self._restraints[lane].is_felt:
            self._restraints[lane].answered(enough=limit)
            if self._queues[lane] and self._resuming is None and self._working < self.pace.limit:
                self._add_worker()  # one at most may go beside this one, which goes on itself

    def _went_badly(self, lane: Lane, wish: Wish, reply: Reply, sent_at: float) -> None:
        now, after = self._loop.time(), reply.after_seconds
        self.tally.add(lane, reply.code, now - sent_at)
        if lane is not Lane.BIND:
            for each in _EVENTS if lane is Lane.EVENT else (lane,):
                self._restrain(each, sent_at, after)
            return
        if reply.code == TOO_MANY:
            self.pace.refused(sent_at=sent_at, now=now, after_seconds=after)
        elif not wish.is_repeat:
            self.pace.failed(sent_at=sent_at, now=now, after_seconds=after)
        if self.pace.paused_until > now and self._resuming is None:
            self._resuming = self._loop.call_at(self.pace.paused_until, self._resume)

    def _restrain(self, lane: Lane, sent_at: float, after_seconds: float) -> None:
        restraint, now, under_way = self._restraints[lane], self._loop.time(), self._under_way[lane]
        restraint.refused(under_way, sent_at=sent_at, now=now, after_seconds=after_seconds)
        if restraint.paused_until > now and lane not in self._waking:
            self._waking[lane] = self._loop.call_at(restraint.paused_until, self._wake, lane)

    def _resume(self) -> None:
        """The server's pause is over, unless it has asked for a longer one meanwhile."""
        self._resuming = None
        if self.pace.paused_until > self._loop.time():
            self._resuming = self._loop.call_at(self.pace.paused_until, self._resume)
            return
        for queue in self._queues:
            self._fill(queue)

    def _wake(self, lane: Lane) -> None:
        """The same for a lane that paused alone."""
        del self._waking[lane]
        until = self._restraints[lane].paused_until
        if until > self._loop.time():
            self._waking[lane] = self._loop.call_at(until, self._wake, lane)
        else:
            self._fill(self._queues[lane])

    def _fill(self, queue: deque[Errand]) -> None:
        """Workers for what waits, as many as may be; those that find nothing to do end at once."""
        if self._resuming is None:
            for _ in range(min(len(queue), self.pace.limit - self._working)):
                self._add_worker()

    def _fail(self, errand: Errand, error: errors.FullcrewError) -> None:
        try:
            errand.failed(error)
        except Exception as broken:
            self._broken(errand, broken)

    def _broken(self, errand: Errand, error: Exception) -> None:
        """A fault of ours in one errand: told to the loop's handler, and the others go on."""
        self._loop.call_exception_handler(
            {"message": f"an errand of {type(errand).__name__} failed", "exception": error}
        )


class _Asked:
    """A request that somebody awaits."""

    __slots__ = ("_waiting", "_wish")

    def __init__(self, wish: Wish, waiting: asyncio.Future[Reply]) -> None:
        self._wish = wish
        self._waiting = waiting

    def wish(self) -> Wish | None:
        return None if self._waiting.done() else self._wish

    def told(self, reply: Reply) -> None:
        if not self._waiting.done():
            self._waiting.set_result(reply)

    def failed(self, error: errors.FullcrewError) -> None:
        if not self._waiting.done():
            self._waiting.set_exception(error)


def _not_sent(why: str) -> errors.Unreachable:
    return errors.Unreachable("the API server", problem=f"nothing was sent: {why}")
