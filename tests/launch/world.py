"""A server in virtual time that a launch is played against: it loses, delays, refuses, and others
change the pods meanwhile. What it did is kept, so that promises are judged from the history."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from fullcrew.launch import (
    Answer,
    Bind,
    Forget,
    Launch,
    Moved,
    Outcome,
    Patience,
    PodSeen,
    ReadGroup,
    ReadPod,
    Request,
    Rest,
    Sight,
    Terms,
    TermsSeen,
    answer_of,
)
from fullcrew.model.gang import Gang
from fullcrew.room import Binding, Start

TIMEOUT = 5.0
PATIENCE = Patience(request_seconds=TIMEOUT)
TERMS = Terms(minimum=2, roles=(), queue="q")
DONE = Answer(Outcome.DONE)


def start(
    pods: int, *, minimum: int | None = None, live: int = 0, first: int = 0, gang: str = "ns/g"
) -> Start:
    """A start of pods p0, p1, ... each to a node of its own; `minimum` of them are needed."""
    needed = pods if minimum is None else minimum
    bindings = tuple(
        Binding(f"ns/p{number}", f"u{number}", f"n{number}")
        for number in range(first, first + pods)
    )
    planned = Gang(gang, "volcano", "q", max(1, needed + live), 0, 0, (), live=live)
    return Start(planned, bindings, needed)


def launch(begun: Start, *, terms: Terms | None = None) -> Launch:
    """A launch that waits to begin."""
    return Launch(begun, terms=terms, patience=PATIENCE)


def refused(code: int = 422, *, cause: str = "") -> Answer:
    """The server's no."""
    return answer_of(code, words="no", cause=cause)


@dataclass(frozen=True, slots=True)
class Blow:
    """What happens to one bind: what the server does, what we hear, and what else happens."""

    acts: bool = True
    code: int = 201  # what is heard; 0: nothing
    act_seconds: float = 0.0  # the server may act later than we hear that the line was cut
    cut_seconds: float = TIMEOUT  # when we hear that there will be no answer
    pod: str = ""  # what becomes of the pod before: gone, leaving, gated, elsewhere


HONEST = Blow()


@dataclass(slots=True)
class World:
    """Plays one launch to its end. `blows` are spent one a bind, then the server is honest."""

    launch: Launch
    blows: list[Blow] = field(default_factory=list)
    groups: list[TermsSeen] = field(default_factory=list)
    denied: set[int] = field(default_factory=set)  # numbers of sends that the room forbids
    latency: Callable[[], float] = field(default=lambda: 0.01)

    now: float = 0.0
    pods: dict[str, str] = field(default_factory=dict)  # by uid: "", a node, or what became of it
    sent: list[tuple[float, str, str]] = field(default_factory=list)
    ours: dict[str, str] = field(default_factory=dict)  # by uid: where a bind of ours put it
    fates: dict[str, list[Request]] = field(default_factory=dict)
    rests: list[Rest] = field(default_factory=list)
    group_read_at: float | None = None
    _agenda: list[tuple[float, int, Callable[[], object]]] = field(default_factory=list)
    _numbers: count[int] = field(default_factory=count)
    _sends: count[int] = field(default_factory=count)

    def play(self, *, limit: int = 20_000) -> None:
        """From the first request to the last answer, and on to the last late act."""
        self.take(self.launch.begin())
        for _ in range(limit):
            if not self._agenda:
                return
            self.now, _, step = heapq.heappop(self._agenda)
            step()
        raise AssertionError("the launch does not end")

    def at(self, seconds: float, step: Callable[[], object]) -> None:
        """Does something so many seconds from now."""
        heapq.heappush(self._agenda, (self.now + seconds, next(self._numbers), step))

    def take(self, requests: Iterable[Request]) -> None:
        """What the launch asks for."""
        for request in requests:
            match request:
                case Bind():
                    self.at(request.after_seconds, partial(self._bind, request))
                case ReadPod():
                    self.at(request.after_seconds, partial(self._read, request))
                case ReadGroup():
                    self.at(request.after_seconds, self._read_group)
                case Rest():
                    self.rests.append(request)
                    for _, uid in request.pods if request.keeps_room else ():
                        self.fates.setdefault(uid, []).append(request)
                case Forget() | Moved():
                    self.fates.setdefault(request.uid, []).append(request)

    def _bind(self, bind: Bind) -> None:
        is_denied = next(self._sends) in self.denied
        if is_denied or not self.launch.may_send(bind.uid):
            self.take(self.launch.bind_answered(bind.uid, Answer(Outcome.UNSENT)))
            return
        self.sent.append((self.now, bind.uid, bind.node))
        blow = self.blows.pop(0) if self.blows else HONEST
        if blow.pod:
            self.pods[bind.uid] = blow.pod
        heard = answer_of(blow.code) if blow.code not in {0, 201} else None
        if blow.acts and blow.act_seconds:
            self.at(min(blow.act_seconds, TIMEOUT - 0.001), lambda: self._act(bind))
        elif blow.acts:
            did = self._act(bind)
            heard = heard or (did if blow.code else None)
        answer = heard or answer_of(0)
        self.at(
            self.latency() if heard else blow.cut_seconds,
            lambda: self.take(self._bound(bind, answer)),
        )

    def _bound(self, bind: Bind, answer: Answer) -> Sequence[Request]:
        before = self.launch.bound
        follows = self.launch.bind_answered(bind.uid, answer)
        if self.launch.bound > before:
            self.fates.setdefault(bind.uid, []).append(bind)
        return follows

    def _act(self, bind: Bind) -> Answer:
        """As the API server: only what is there, free and not gated is bound."""
        found = self.pods.get(bind.uid, "")
        if found == "gone":
            return answer_of(404)
        if found:
            return answer_of(409)
        self.pods[bind.uid] = self.ours[bind.uid] = bind.node
        return DONE

    def _read(self, read: ReadPod) -> None:
        found = self.pods.get(read.uid, "")
        sights = {"gone": Sight.GONE, "leaving": Sight.GONE, "gated": Sight.WAITING}
        seen = PodSeen(sights.get(found, Sight.BOUND if found else Sight.WAITING), found)
        self.at(self.latency(), lambda: self._seen(read, seen))

    def _seen(self, read: ReadPod, seen: PodSeen) -> None:
        before = self.launch.bound
        follows = self.launch.pod_told(read.uid, seen)
        if self.launch.bound > before and not any(isinstance(f, Moved) for f in follows):
            self.fates.setdefault(read.uid, []).append(read)
        self.take(follows)

    def _read_group(self) -> None:
        seen = self.groups.pop(0) if self.groups else TermsSeen(TERMS)
        self.group_read_at = self.now
        self.at(self.latency(), lambda: self.take(self.launch.group_told(seen)))
