"""What becomes of launches: brought to the state, the next plan, the statuses and the log."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from fullcrew import launch
from fullcrew.run.events import NORMAL, About, Events
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics
from fullcrew.run.waking import Alarm

__all__ = ["Assumptions", "Outcomes"]

UNKNOWN_TOLD = 3
"""A connection is cut now and then; who has as many unknown outcomes is told of in the log."""


class Assumptions(Protocol):
    """Where assumed binds are kept: `state.State`."""

    def holds(self, pod: str, uid: str) -> bool:
        """Asked right before each bind."""
        ...

    def forget(self, pod: str, uid: str) -> None:
        """The assumed bind will not happen."""
        ...

    def moved(self, pod: str, uid: str, node: str) -> None:
        """Bound elsewhere than assumed."""
        ...


class Outcomes:
    """The witness of all launches (`kube.Witness`)."""

    def __init__(
        self,
        state: Assumptions,
        events: Events,
        notes: tuple[Log, Metrics],
        alarm: Alarm,
        resting: launch.Resting,
    ) -> None:
        self._state = state
        self._events = events
        self._log, self._metrics = notes
        self._alarm = alarm
        self._resting = resting
        self.over_with: Callable[[str], None] = lambda _gang: None
        self.stood: Callable[[str], None] = lambda _gang: None
        self.held_up: Callable[[str], None] = lambda _gang: None
        self._unknown: Counter[str] = Counter()  # by gang, in the launch that is under way
        self.forbids: Callable[[str], bool] = lambda _pod: False

    def may_send(self, pod: str, uid: str) -> bool:
        """Whether the room is still ours, by what was delivered to us last."""
        return self._state.holds(pod, uid) and not self.forbids(pod)

    def bound(self, gang: str, pod: str, uid: str, node: str) -> None:
        """The server has bound it."""
        self._metrics.count("pods_bound_total")
        space, _, name = pod.partition("/")
        message = f"Successfully assigned {pod} to {node}"
        about = About("v1", "Pod", space, name, uid)
        self._events.tell(about, kind=NORMAL, reason="Scheduled", message=message)
        self._log.detail(2, "bound", gang=gang, pod=pod, node=node)

    def answered(self, gang: str, asked: str, answer: launch.Answer) -> None:
        """What does not settle it is asked again, and told where it goes on so."""
        outcome = answer.outcome
        self._metrics.count("answers_total", asked=asked, outcome=outcome.name.lower())
        if outcome is launch.Outcome.DONE:
            return
        self.held_up(gang)
        if outcome is launch.Outcome.UNKNOWN:
            self._unknown[gang] += 1
            if self._unknown[gang] == UNKNOWN_TOLD:
                said = f"{answer.code}: {answer.words}" if answer.code else answer.words
                self._log.warn("no answer that settles it", gang=gang, asked=asked, last=said)

    def forget(self, gang: str, pod: str, uid: str) -> None:
        """It will not be bound by this plan."""
        self._log.detail(1, "bind given up", gang=gang, pod=pod)
        self._state.forget(pod, uid)
        self._alarm.ring()

    def moved(self, gang: str, pod: str, uid: str, node: str) -> None:
        """Somebody else bound it, to another node."""
        self._log.warn("bound elsewhere", gang=gang, pod=pod, node=node)
        self._state.moved(pod, uid, node)
        self._alarm.ring()

    def rest(self, gang: str, rest: launch.Rest) -> None:
        """It failed for good and is not planned again at once."""
        now = asyncio.get_running_loop().time()
        until = self._resting.add(gang, rest, now=now)
        kind = str(rest.reason.kind)
        self._metrics.count("rests_total", kind=kind)
        self._log.warn(
            "binding failed", gang=gang, kind=kind, seconds=until - now, why=rest.reason.message
        )
        self._unknown.pop(gang, None)
        self.held_up(gang)
        self._alarm.ring()

    def over(self, gang: str, ended: launch.Launch) -> None:
        """Every pod of this launch is settled."""
        self._metrics.count("launches_total", phase=str(ended.phase))
        self._unknown.pop(gang, None)
        if ended.phase is launch.Phase.STANDING:
            self._resting.stands(gang)
            if not self._resting.keeps_room(gang):
                self.stood(gang)
            self._log.detail(1, "stands", gang=gang, bound=ended.bound)
        else:
            self._alarm.ring()
        self.over_with(gang)
