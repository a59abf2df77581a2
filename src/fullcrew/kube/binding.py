"""Carries plans out: drives the launch of each gang with the server's answers.

All decisions are the launch's; here is only who is asked what, and when. A fault in one launch is
told to the loop's exception handler and ends that launch alone: its room stays taken until the
server has carried out or given up what was sent, and then rests with a reason.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVarTuple

from fullcrew import errors
from fullcrew.kube import bodies, reading
from fullcrew.kube.carried import Carried, Launching, Witness
from fullcrew.kube.flow import Flow, Lane
from fullcrew.kube.group_reading import GroupReading
from fullcrew.kube.http import JSON, Reply, Wish
from fullcrew.kube.resources import Resource
from fullcrew.launch import (
    Answer,
    Bind,
    Forget,
    HeldUp,
    Launch,
    Moved,
    Outcome,
    Patience,
    Phase,
    PodSeen,
    ReadGroup,
    ReadPod,
    Request,
    Rest,
    Sight,
    TermsSeen,
)
from fullcrew.objects.metadata import Kind

__all__ = ["Binder"]

BEGUN_AT_ONCE = 256  # so that ten thousand launches do not stop the loop for a tenth of a second

Told = TypeVarTuple("Told")

_UNSENT = Answer(Outcome.UNSENT)


class Binder:
    """Sends what launches ask for. All that goes out asks `may_bind` and the witness right before.

    `patience.request_seconds` is how long a bind may take; who elects a leader makes it shorter
    than what is left of the lease when renewal has failed.
    """

    def __init__(
        self,
        flow: Flow,
        resources: Mapping[Kind, Resource],
        witness: Witness,
        *,
        patience: Patience,
        may_bind: Callable[[], bool],
    ) -> None:
        self._patience = patience
        self._limit = bodies.limit(patience.request_seconds)
        self._flow = flow
        self._witness = witness
        self._may_bind = may_bind
        self._loop = asyncio.get_running_loop()
        self._open: dict[str, Carried] = {}
        self._coming: deque[Carried] = deque()
        self._reading = GroupReading(flow, resources, patience.request_seconds)
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._is_closed = False

    def launch(self, launchings: Sequence[Launching]) -> None:
        """Carries these out, in this order, after what is under way. Returns at once."""
        was_empty = not self._coming
        for launching in launchings:
            gang = launching.start.gang.name
            carried = self._open.get(gang)
            if carried is None:
                carried = self._open[gang] = Carried(launching)
                self._coming.append(carried)
            else:
                self._guarded(carried, self._join, launching)
        if self._open:
            self._idle.clear()
        if was_empty and self._coming:
            self._loop.call_soon(self._begin_some)

    def close(self) -> None:
        """Nothing is sent any more, not even what waits for its time."""
        self._is_closed = True

    def is_open(self, gang: str) -> bool:
        """Whether a launch of this gang is not over."""
        return gang in self._open

    def unsettled(self, gang: str) -> HeldUp | None:
        """Which pods of this gang do not get on, and why, where something is asked again."""
        carried = self._open.get(gang)
        if carried is None:
            return None
        left = carried.leftovers
        if left is not None:
            return HeldUp(tuple(pod for pod, _ in left.pods), left.reason)
        return carried.launched.unsettled if carried.launched is not None else None

    @property
    def launches(self) -> Iterator[Launch]:
        """All that were begun and are not over."""
        return (each.launched for each in self._open.values() if each.launched is not None)

    @property
    def unanswered(self) -> int:
        """How many binds the server may still carry out; at none a lease may be let go."""
        broken = sum(max(0, carried.doubtful) for carried in self._open.values())
        return self._in_flight + broken + sum(launched.doubtful for launched in self.launches)

    async def idle(self) -> None:
        """Returns when every launch is over, with all that waited for them."""
        while self._open:
            await self._idle.wait()

    def _begin_some(self) -> None:
        for _ in range(min(BEGUN_AT_ONCE, len(self._coming))):
            carried = self._coming.popleft()
            self._guarded(carried, self._begin)
        if self._coming:
            self._loop.call_soon(self._begin_some)
        else:
            self._reading.flush()

    def _begin(self, carried: Carried) -> None:
        first = carried.first
        terms = first.terms if first.kind is not None else None
        launched = carried.launched = Launch(first.start, terms=terms, patience=self._patience)
        carried.stamp = bodies.stamp(first.plan, launched.minimum)
        self._follow(carried, launched.begin())

    def _join(self, carried: Carried, launching: Launching) -> None:
        launched = carried.launched
        if launched is None or not launched.takes(launching.start):
            carried.later.append(launching)
            return
        stamped = bodies.stamp(launching.plan, launching.start.gang.minimum)
        carried.stamps.update((binding.uid, stamped) for binding in launching.start.bindings)
        carried.joined.append(launching)
        self._follow(carried, launched.join(launching.start))

    def _follow(self, carried: Carried, requests: Sequence[Request]) -> None:
        """Does what a launch asks for, and lets it go when it is over."""
        for request in requests:
            if isinstance(request, Bind):
                self._ask(_Binding(self, carried, request), request.after_seconds)
            elif isinstance(request, ReadPod):
                self._ask(_Reading(self, carried, request), request.after_seconds)
            elif isinstance(request, ReadGroup):
                self._read_group(carried, request.after_seconds)
            else:
                self._tell(carried.gang, request)
        launched = carried.launched
        if launched is not None and launched.is_over:
            self._end(carried, launched)

    def _ask(self, errand: _Binding | _Reading, seconds: float) -> None:
        """What is asked again, or settles what was asked, goes before what was not asked yet."""
        if seconds > 0:
            self._loop.call_later(seconds, self._ask_again, errand)
        else:
            is_first = isinstance(errand, _Reading)
            self._flow.submit(Lane.BIND, errand, is_first=is_first)

    def _ask_again(self, errand: _Binding | _Reading) -> None:
        if not self._is_closed:
            self._flow.submit(Lane.BIND, errand, is_first=True)

    def _read_group(self, carried: Carried, seconds: float) -> None:
        """At once, or after a pause because it failed."""
        if seconds > 0:
            again = partial(self._want_group, carried, is_repeat=True)
            self._loop.call_later(seconds, again)
        else:
            self._want_group(carried, is_repeat=False)

    def _want_group(self, carried: Carried, *, is_repeat: bool) -> None:
        start, kind = carried.first.start, carried.first.kind
        if kind is None or self._is_closed:
            return
        if not self._reading.wants and not self._coming:
            self._loop.call_soon(self._reading.flush)  # with all that ask in this round

        def told(seen: TermsSeen) -> None:
            self._guarded(carried, self._group_told, seen)

        self._reading.want(kind, start.gang.title, told, is_repeat=is_repeat)

    def _tell(self, gang: str, request: Forget | Moved | Rest) -> None:
        if isinstance(request, Forget):
            self._witness.forget(gang, request.pod, request.uid)
        elif isinstance(request, Moved):
            self._witness.moved(gang, request.pod, request.uid, request.node)
        else:
            self._witness.rest(gang, request)

    def _end(self, carried: Carried, launched: Launch) -> None:
        self._close(carried)
        self._witness.over(carried.gang, launched)
        if launched.phase is Phase.STANDING:
            self.launch(carried.later)
            return
        for launching in carried.later:  # planned as if this one would stand
            for binding in launching.start.bindings:
                self._witness.forget(carried.gang, binding.pod, binding.uid)

    def _close(self, carried: Carried) -> None:
        del self._open[carried.gang]
        if not self._open:
            self._idle.set()

    def _group_told(self, carried: Carried, seen: TermsSeen) -> None:
        if carried.launched is not None:
            follows = carried.launched.group_told(seen)
            self._witness.answered(carried.gang, "group", seen.answer)
            self._follow(carried, follows)

    def _guarded(
        self, carried: Carried, step: Callable[[Carried, *Told], None], *told: *Told
    ) -> None:
        """A fault of ours in one launch ends that launch, and the others go on."""
        try:
            step(carried, *told)
        except Exception as error:
            words = f"the launch of {carried.gang} broke"
            self._loop.call_exception_handler({"message": words, "exception": error})
            self._break(carried)

    def _break(self, carried: Carried) -> None:
        """What was sent is settled after as long as a request may take, and once more for what a
        proxy keeps; then what is bound is seen to be, and the rest may be planned anew."""
        launched, carried.launched = carried.launched, None
        if self._open.get(carried.gang) is carried and carried.doubtful < 0:
            carried.doubtful = launched.doubtful if launched is not None else 0
            self._loop.call_later(2 * self._patience.request_seconds, self._rest, carried)

    def _rest(self, carried: Carried) -> None:
        left = carried.leftovers
        self._close(carried)
        if left is not None:
            self._witness.rest(carried.gang, left)

    # What follows is for the errands below.

    def bind_wish(self, carried: Carried, bind: Bind) -> Wish | None:
        """The bind, if it may go out at this very moment."""
        launched = carried.launched
        if launched is None or self._is_closed:
            return None
        if (
            self._may_bind()
            and launched.may_send(bind.uid)
            and self._witness.may_send(bind.pod, bind.uid)
        ):
            self._in_flight += 1
            stamped = carried.stamps.get(bind.uid, carried.stamp)
            body = bodies.binding(bind.pod, bind.uid, bind.node, stamped)
            path = bodies.binding_path(bind.pod) + self._limit
            is_repeat = bind.after_seconds > 0
            seconds = self._patience.request_seconds
            return Wish("POST", path, body, JSON, seconds, JSON, is_repeat)
        self._guarded(carried, self._bind_answered, bind, _UNSENT)
        return None

    def bind_told(self, carried: Carried, bind: Bind, answer: Answer, *, was_sent: bool) -> None:
        """What came of a bind; `was_sent` if it had gone out."""
        self._in_flight -= was_sent
        self._guarded(carried, self._bind_answered, bind, answer)

    def pod_wish(self, carried: Carried, read: ReadPod) -> Wish | None:
        """A consistent read of the pod."""
        if carried.launched is None or self._is_closed:
            return None
        path = bodies.pod_path(read.pod)
        seconds = self._patience.request_seconds
        return Wish("GET", path, None, JSON, seconds, JSON, is_repeat=True)  # of a bind that failed

    def pod_told(self, carried: Carried, read: ReadPod, seen: PodSeen) -> None:
        """How the pod stands."""
        self._guarded(carried, self._pod_seen, read, seen)

    def _bind_answered(self, carried: Carried, bind: Bind, answer: Answer) -> None:
        launched = carried.launched
        if launched is None:
            return
        before = launched.bound
        follows = launched.bind_answered(bind.uid, answer)
        self._witness.answered(carried.gang, "bind", answer)
        if launched.bound != before:
            self._witness.bound(carried.gang, bind.pod, bind.uid, bind.node)
        if follows or launched.is_over:
            self._follow(carried, follows)

    def _pod_seen(self, carried: Carried, read: ReadPod, seen: PodSeen) -> None:
        launched = carried.launched
        if launched is None:
            return
        before = launched.bound
        follows = launched.pod_told(read.uid, seen)
        has_moved = any(isinstance(each, Moved) for each in follows)
        if launched.bound != before and not has_moved:
            self._witness.bound(carried.gang, read.pod, read.uid, seen.node)
        if follows or launched.is_over:
            self._follow(carried, follows)


class _Binding:
    """The errand of one bind."""

    __slots__ = ("_bind", "_binder", "_carried", "_is_sent")

    def __init__(self, binder: Binder, carried: Carried, bind: Bind) -> None:
        self._binder = binder
        self._carried = carried
        self._bind = bind
        self._is_sent = False

    def wish(self) -> Wish | None:
        wish = self._binder.bind_wish(self._carried, self._bind)
        self._is_sent = wish is not None
        return wish

    def told(self, reply: Reply) -> None:
        answer = reading.answer_in(reply)
        self._binder.bind_told(self._carried, self._bind, answer, was_sent=True)

    def failed(self, error: errors.FullcrewError, /) -> None:
        """Not carried out if it never went out, else nobody knows."""
        outcome = Outcome.UNKNOWN if self._is_sent else Outcome.BUSY
        answer = Answer(outcome, error.problem)
        self._binder.bind_told(self._carried, self._bind, answer, was_sent=self._is_sent)


class _Reading:
    """The errand that reads one pod."""

    __slots__ = ("_binder", "_carried", "_read")

    def __init__(self, binder: Binder, carried: Carried, read: ReadPod) -> None:
        self._binder = binder
        self._carried = carried
        self._read = read

    def wish(self) -> Wish | None:
        return self._binder.pod_wish(self._carried, self._read)

    def told(self, reply: Reply) -> None:
        seen = reading.pod_seen(reply, self._read.uid)
        self._binder.pod_told(self._carried, self._read, seen)

    def failed(self, _: errors.FullcrewError, /) -> None:
        self._binder.pod_told(self._carried, self._read, PodSeen(Sight.UNKNOWN))
