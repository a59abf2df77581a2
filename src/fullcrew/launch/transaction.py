"""One gang on its way from plan to cluster: the server's answers in, the next requests out.

    planned -> preparing -> binding -> standing
                        \\-> dropped      \\-> mending: some members failed, the gang stands short

Kubernetes binds pods one by one, so wholeness is kept here. Nothing is sent before the group was
read as the plan took it; an outcome that is not known is asked for again, with the same pod and
the same node, until the server settles it; and while nothing of a fresh gang is bound yet, the
first member that cannot be bound stops the others that were not sent.

`Launch` knows no socket and no clock. Whoever drives it sends what it asks for, in any order, and
brings back the answers; an answer that comes late or twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from fullcrew import errors
from fullcrew.launch import telling
from fullcrew.launch.answers import Answer, Outcome, PodSeen, Sight, Terms, TermsSeen
from fullcrew.launch.requests import (
    Bind,
    Forget,
    HeldUp,
    Moved,
    ReadGroup,
    ReadPod,
    Request,
    Rest,
)
from fullcrew.launch.setbacks import Setbacks
from fullcrew.model.reason import Reason
from fullcrew.room import Binding, Start

__all__ = ["Launch", "Patience", "Phase"]


class Phase(StrEnum):
    """Where a launch is. The last three are ends; a later plan makes a new launch."""

    PLANNED = "planned"
    PREPARING = "preparing"
    BINDING = "binding"
    STANDING = "standing"
    MENDING = "mending"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait. After `request_seconds` the server itself has given up a bind."""

    request_seconds: float
    again_seconds: float = 0.05
    longest_seconds: float = 5.0

    def before(self, attempt: int) -> float:
        """The pause before an attempt that is not the first; longer each time."""
        return float(min(self.longest_seconds, self.again_seconds * 2 ** min(attempt, 16)))


_OVER = frozenset({Phase.STANDING, Phase.MENDING, Phase.DROPPED})
_NOTHING: tuple[Request, ...] = ()


_NONE = Setbacks()  # shared, never written


class Launch:
    """The transaction of one gang. `bound` counts what the server confirmed."""

    __slots__ = (
        "_back",
        "_has_group",
        "_is_dropped",
        "_is_short",
        "_open",
        "_patience",
        "_spare",
        "_stood",
        "_terms",
        "_unread",
        "bound",
        "gang",
        "is_halted",
        "minimum",
        "phase",
    )

    def __init__(self, start: Start, *, terms: Terms | None, patience: Patience) -> None:
        """`terms`: what the plan took for granted of the group; None where there is no group."""
        self.gang = start.gang.name
        self.minimum = start.gang.minimum
        self.phase = Phase.PLANNED
        self.bound = 0
        self.is_halted = False
        self._stood = start.gang.live > 0
        self._has_group = terms is not None
        self._terms = terms if start.minimum else None  # who only grows has started long ago
        self._patience = patience
        self._is_dropped = False
        self._is_short = False  # some pod that the minimum needs will not be bound
        self._back = _NONE
        self._unread: Answer | None = None  # the last answer that was none, about the group
        self._open: dict[str, Binding] = {}  # all that is not settled yet, by uid
        self._spare: frozenset[str] = frozenset()  # those that the minimum does not need
        self._take(start)

    @property
    def is_over(self) -> bool:
        """Whether every pod is settled and nothing more will be asked."""
        return self.phase in _OVER

    def takes(self, start: Start) -> bool:
        """Whether another start of this gang may join: it is not over, and its group was read, or
        there is none, or the start only grows."""
        is_read = self._terms is not None or not self._has_group or not start.minimum
        return self.phase is Phase.BINDING and not self._is_dropped and is_read

    @property
    def doubtful(self) -> int:
        """How many binds were sent and may still be carried out, for all that we know."""
        return len(self._back.doubtful)

    @property
    def unsettled(self) -> HeldUp | None:
        """Which pods do not get on, and why, where something has to be asked again."""
        if self._unread is not None and self.phase is Phase.PREPARING:
            pods = tuple(binding.pod for binding in self._open.values())
            return HeldUp(pods, telling.group_unread(self._unread, minimum=self.minimum))
        return self._back.held_up(self._open, minimum=self.minimum)

    def begin(self) -> Sequence[Request]:
        """The first requests: the group if there is one, else the binds."""
        if self.phase is not Phase.PLANNED:
            raise errors.Bug(f"the launch of {self.gang} was begun twice")
        if self._terms is None:
            return self._bind_all()
        self.phase = Phase.PREPARING
        return [ReadGroup()]

    def join(self, start: Start) -> Sequence[Request]:
        """More pods of the same gang, planned while these are being bound."""
        if any(binding.uid in self._open for binding in start.bindings):
            raise errors.Bug(f"a pod of {self.gang} was planned while it is being bound")
        self._take(start)
        return [Bind(*binding) for binding in start.bindings]

    def may_send(self, uid: str) -> bool:
        """Asked right before a bind goes out. What may be under way already is always repeated."""
        return uid in self._open and (not self.is_halted or uid in self._back.doubtful)

    def group_told(self, seen: TermsSeen) -> Sequence[Request]:
        """The group as it is now: the plan holds for exactly the terms it was made for."""
        if self.phase is not Phase.PREPARING:
            return _NOTHING
        if seen.terms is not None and seen.terms == self._terms:
            return self._bind_all()
        match seen.answer.outcome:
            case Outcome.UNKNOWN | Outcome.BUSY:
                self._unread = seen.answer
                return [ReadGroup(max(self._pause(self.gang), seen.answer.after_seconds))]
            case Outcome.REFUSED:
                reason = telling.group_refused(seen.answer, minimum=self.minimum)
            case _:
                reason = telling.changed(minimum=self.minimum)
        return self._give_up(reason)

    def bind_answered(self, uid: str, answer: Answer) -> Sequence[Request]:
        """What follows from the answer to a bind."""
        binding = self._open.get(uid)
        if binding is None:
            return _NOTHING
        if answer.outcome is Outcome.DONE:
            return self._stands(binding)
        match answer.outcome:
            case Outcome.CONFLICT:
                follows: Sequence[Request] = [ReadPod(binding.pod, uid)]
            case Outcome.GONE:
                follows = self._is_lost(binding)
            case Outcome.UNSENT:
                follows = self._was_not_sent(binding)
            case Outcome.BUSY | Outcome.UNKNOWN:
                follows = self._once_more(binding, answer)
            case _:
                follows = self._was_refused(binding, answer)
        return follows

    def pod_told(self, uid: str, seen: PodSeen) -> Sequence[Request]:
        """What follows from how the pod itself stands."""
        binding = self._open.get(uid)
        if binding is None:
            return _NOTHING
        match seen.sight:
            case Sight.BOUND:
                moved = seen.node != binding.node
                told = [Moved(binding.pod, uid, seen.node)] if moved else []
                return [*told, *self._stands(binding)]
            case Sight.GONE:
                return self._is_lost(binding)
            case Sight.UNKNOWN:
                return [ReadPod(binding.pod, uid, self._pause(uid))]
            case Sight.WAITING:
                return self._still_waits(binding)

    def _take(self, start: Start) -> None:
        self._open.update((binding.uid, binding) for binding in start.bindings)
        if start.minimum < len(start.bindings):
            self._spare |= {binding.uid for binding in start.bindings[start.minimum :]}

    def _bind_all(self) -> Sequence[Request]:
        self.phase = Phase.BINDING
        return [Bind(*binding) for binding in self._open.values()] or self._proceed()

    def _own(self) -> Setbacks:
        if self._back is _NONE:
            self._back = Setbacks()
        return self._back

    def _pause(self, key: str) -> float:
        attempts = self._own().attempts
        attempt = attempts.get(key, 0)
        attempts[key] = attempt + 1
        return self._patience.before(attempt)

    def _give_up(self, reason: Reason) -> Sequence[Request]:
        """Nothing was sent yet, so everything is simply let go."""
        forgotten = [Forget(binding.pod, uid) for uid, binding in self._open.items()]
        self._open.clear()
        self.phase = Phase.DROPPED
        return [*forgotten, Rest((), reason, keeps_room=False)]

    def _stands(self, binding: Binding) -> Sequence[Request]:
        """Once one is bound, wholeness is served by binding the others."""
        self.bound += 1
        following = self._settled(binding)
        if not self.is_halted or self._is_dropped:
            return following
        self.is_halted = False
        waiting = [Bind(*self._open[uid]) for uid in self._back.held_back]
        self._back.held_back.clear()
        return [*following, *waiting]

    def _is_lost(self, binding: Binding) -> Sequence[Request]:
        """What we watch will tell the same, though maybe later: so it is not planned at once."""
        self._own().lost.append(binding)
        self._falls_short(binding.uid)
        return self._settled(binding)

    def _once_more(self, binding: Binding, answer: Answer) -> Sequence[Request]:
        back = self._own()
        if answer.outcome is Outcome.UNKNOWN:
            back.doubtful[binding.uid] = None
        back.asked_again[binding.uid] = answer
        return [Bind(*binding, max(self._pause(binding.uid), answer.after_seconds))]

    def _was_not_sent(self, binding: Binding) -> Sequence[Request]:
        """Held back with the others; or, if we were not halted, its room is gone, or our lease.

        What was sent before may still be carried out: its room is free when a server that has
        given it up by then shows it unbound, and not sooner. Most often it was carried out, and we
        send it no more since what we watch has told so: then reading it once settles it.
        """
        back = self._own()
        if binding.uid in back.doubtful:
            back.withheld.add(binding.uid)
            return [ReadPod(binding.pod, binding.uid)]
        if self.is_halted:
            back.held_back[binding.uid] = None
            return self._proceed()
        return self._is_let_go(binding)

    def _is_let_go(self, binding: Binding) -> Sequence[Request]:
        is_needed = binding.uid not in self._spare
        self._is_dropped = self._is_dropped or (is_needed and not self._has_started)
        self._falls_short(binding.uid)
        return [Forget(binding.pod, binding.uid), *self._settled(binding)]

    def _was_refused(self, binding: Binding, answer: Answer) -> Sequence[Request]:
        """An attempt before this one may still be carried out: only later the refusal is final."""
        self._own().refusals[binding.uid] = answer
        self._halt_for(binding.uid)
        return [ReadPod(binding.pod, binding.uid, self._patience.request_seconds)]

    def _still_waits(self, binding: Binding) -> Sequence[Request]:
        uid, back = binding.uid, self._own()
        if uid in back.refusals:
            back.failed[uid] = None
            back.doubtful.pop(uid, None)
            return self._proceed()
        if uid in back.doubtful and uid not in back.seen_waiting:
            back.seen_waiting.add(uid)
            return [ReadPod(binding.pod, uid, self._patience.request_seconds)]
        if uid in back.withheld:
            return self._is_let_go(binding)
        self._is_dropped = True  # gated or changed since: what was planned for it is void
        self.is_halted = True
        return self._is_lost(binding)

    @property
    def _has_started(self) -> bool:
        return self._stood or self.bound > 0

    def _halt_for(self, uid: str) -> None:
        if not self._has_started and uid not in self._spare:
            self.is_halted = True

    def _falls_short(self, uid: str) -> None:
        """This one will not be bound by this plan, whatever becomes of the others."""
        self._is_short = self._is_short or uid not in self._spare
        self._halt_for(uid)

    def _settled(self, binding: Binding) -> Sequence[Request]:
        uid, back = binding.uid, self._back
        del self._open[uid]
        if back is _NONE:
            return _NOTHING if self._open else self._proceed()
        back.doubtful.pop(uid, None)
        back.asked_again.pop(uid, None)
        back.held_back.pop(uid, None)  # these two where an answer came late
        back.failed.pop(uid, None)
        return self._proceed()

    def _proceed(self) -> Sequence[Request]:
        """Once nothing is under way: go on with what was held back, or end."""
        back = self._back
        if len(self._open) > len(back.held_back) + len(back.failed):
            return _NOTHING
        if not back.held_back:
            return self._ended()
        waiting = [self._open[uid] for uid in back.held_back]
        back.held_back.clear()
        if self._has_started and not self._is_dropped:
            self.is_halted = False
            return [Bind(*binding) for binding in waiting]
        for binding in waiting:
            del self._open[binding.uid]
        return [*(Forget(binding.pod, binding.uid) for binding in waiting), *self._ended()]

    def _ended(self) -> Sequence[Request]:
        back = self._back
        failed = [self._open.pop(uid) for uid in back.failed]
        left = [*failed, *back.lost]
        self.phase = self._last_phase(left)
        if not left and self._has_started:  # what was let go is free to be planned at once
            return _NOTHING
        reason = telling.changed(minimum=self.minimum)
        if failed:
            answer = back.refusals[failed[0].uid]
            reason = telling.refused(answer, pods=len(failed), minimum=self.minimum)
        if not self._has_started:
            forgotten = [Forget(binding.pod, binding.uid) for binding in left]
            return [*forgotten, Rest((), reason, keeps_room=False)]
        kept = tuple((b.pod, b.uid) for b in failed if b.uid not in self._spare)
        spare = [binding for binding in failed if binding.uid in self._spare]
        let_go = tuple((b.pod, b.uid) for b in (*spare, *back.lost))
        return [
            *(Forget(pod, uid) for pod, uid in let_go),
            *([Rest(kept, reason, keeps_room=True)] if kept else []),
            *([Rest(let_go, reason, keeps_room=False)] if let_go else []),
        ]

    def _last_phase(self, left: Sequence[Binding]) -> Phase:
        if not self._has_started:
            return Phase.DROPPED
        return Phase.MENDING if left or self._is_short else Phase.STANDING
