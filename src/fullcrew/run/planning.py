"""The loop: wake, freeze, plan in a thread, take room, hand over to be bound.

A plan is made from one snapshot and judged against the state as it is when the plan is there: what
changed meanwhile is dropped and planned again, never bent.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple, Protocol

from fullcrew import core, kube, launch
from fullcrew.model.gang import Gang
from fullcrew.room import Plan, Snapshot, Start
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics
from fullcrew.run.stamping import Stamps
from fullcrew.run.verdicts import Verdict, Verdicts, judged
from fullcrew.run.waking import Alarm, Why
from fullcrew.run.wounds import Wounds
from fullcrew.state import State

__all__ = ["Binds", "Hooks", "Planner"]

BREATH_SECONDS = 0.005
"""How long taking room may hold up decoding and binding before it lets them go on."""

STALE_SECONDS = 0.05


class Binds(Protocol):
    """Who carries plans out: `kube.Binder`."""

    def launch(self, launchings: Sequence[kube.Launching]) -> None:
        """Returns at once."""
        ...

    def is_open(self, gang: str) -> bool:
        """Whether binds of it are not settled yet."""
        ...


class Hooks(NamedTuple):
    """What the loop asks of those round it."""

    may_plan: Callable[[], bool]
    held_back: Callable[[Sequence[Gang]], Sequence[Gang]]  # gangs of names we may not bind for
    judged: Callable[[Verdicts, str], None]  # all verdicts, and the name of the plan
    release: Callable[[str], None]  # this wounded gang has had its time


class _Made(NamedTuple):
    plan: Plan
    verdicts: Verdicts
    generation: int
    why: Why


class Planner:
    """Plans whenever it is woken, one plan at a time, until it is cancelled."""

    def __init__(
        self,
        state: State,
        policies: core.Policies,
        notes: tuple[Log, Metrics],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._clock = clock
        self._state = state
        self._binder: Binds
        self._policies = policies
        self._hooks: Hooks
        self._log, self._metrics = notes
        self._memo = core.Memo()
        self._stamps = Stamps()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="planning")
        self._verdicts: dict[str, Verdict] = {}
        self._valid_until: int | None = None
        self._again_at: float | None = None
        self.alarm = Alarm()
        self.resting = launch.Resting()
        self.wounds = Wounds(0.0)

    def connect(self, binder: Binds, hooks: Hooks) -> None:
        """Once, before it runs: those round it need parts of it first."""
        self._binder = binder
        self._hooks = hooks

    async def run(self) -> None:
        """The loop."""
        self.alarm.ring()
        try:
            while True:
                why = await self.alarm.wait(self._next_time)
                if self._hooks.may_plan():
                    await self._cycle(why)
                else:
                    await asyncio.sleep(STALE_SECONDS)
                    self.alarm.ring()  # what woke us is planned when we may
        finally:
            self._thread.shutdown(wait=False, cancel_futures=True)

    def let_go(self, gang: str) -> None:
        """The gang was released whole: no room is kept for what it lacks."""
        for pod, uid in self.resting.let_go(gang):
            self._state.forget(pod, uid)
        self.alarm.ring()

    def _next_time(self) -> float | None:
        """The first of the moments at which a plan may come out otherwise."""
        now = asyncio.get_running_loop().time()
        deadline = self.wounds.next_deadline(is_spared=self._binder.is_open)
        walls = (self._valid_until, deadline)
        times = [now + max(0.0, wall - self._clock()) for wall in walls if wall is not None]
        if self._again_at is not None:  # what is stale is planned again, but not at every instant
            times = [max(at, self._again_at) for at in (*times, self._again_at)]
        if self.resting.next_end is not None:
            times.append(self.resting.next_end)
        return min(times, default=None)

    async def _cycle(self, why: Why) -> None:
        self._again_at = None
        self._wake_rested()
        started = time.perf_counter()
        version, snapshot = self._state.version, self._frozen()
        frozen = time.perf_counter()
        self._metrics.observe("snapshot_seconds", frozen - started)
        loop = asyncio.get_running_loop()
        planned = loop.run_in_executor(self._thread, self._planned, snapshot, version)
        plan, verdicts = await planned
        self._metrics.observe("plan_seconds", time.perf_counter() - frozen)
        self._metrics.count("cycles_total", why=str(why))
        if self._hooks.may_plan():
            await self._carry_out(_Made(plan, verdicts, snapshot.generation, why))
        self.resting.woken()
        self.alarm.took(time.perf_counter() - started)

    def _wake_rested(self) -> None:
        """What kept its room while it rested lets it go now, and is planned with the others."""
        for rest in self.resting.over(asyncio.get_running_loop().time()):
            for pod, uid in rest.pods if rest.keeps_room else ():
                self._state.forget(pod, uid)

    def _frozen(self) -> Snapshot:
        now = self._clock()
        snapshot = self._state.snapshot(int(now))
        gangs = self.resting.applied_to(snapshot.gangs)
        gangs = self.wounds.applied_to(
            self._hooks.held_back(gangs), now=now, is_settling=self._is_settling
        )
        self._metrics.set("wounded_gangs", len(self.wounds))
        return replace(snapshot, gangs=gangs)

    def _is_settling(self, gang: str) -> bool:
        """Whether it counts members that are not bound, for all that we know."""
        return self.resting.keeps_room(gang) or self._binder.is_open(gang)

    def _planned(self, snapshot: Snapshot, version: int) -> tuple[Plan, Verdicts]:
        """In the planning thread: nothing here may touch what the event loop changes."""
        plan = core.plan(snapshot, self._policies, self._memo)
        return plan, judged(plan, self._verdicts, version=version)

    async def _carry_out(self, made: _Made) -> None:
        self._valid_until = made.plan.valid_until
        name = self._stamps.next()
        taken = await self._taken(made, name)
        self._verdicts = dict(made.verdicts.by_gang)
        dropped = {start.gang.name for start in made.plan.starts}
        dropped -= {each.start.gang.name for each in taken}
        self._hooks.judged(replace(made.verdicts, stale=frozenset(dropped)), name)
        stale = len(made.plan.starts) - len(taken)
        if stale:
            self._metrics.count("stale_starts_total", stale)
            self._again_at = asyncio.get_running_loop().time() + STALE_SECONDS
        if taken:
            self._binder.launch(taken)
            self._metrics.count("starts_total", len(taken))
        if made.why is Why.SAFETY and taken:
            self._metrics.count("missed_wakeups_total", len(taken))
            self._log.warn("missed wake-up", gangs=len(taken), first=taken[0].start.gang.title)
        self._tell(made, [each.start for each in taken], stale)
        self._release_overdue({start.gang.name for start in made.plan.starts})

    def _release_overdue(self, started: Set[str]) -> None:
        """After the plan, which may mend at the last moment; and never while binds are under way:
        what they bind would be half a gang again."""

        def is_spared(gang: str) -> bool:
            return gang in started or self._binder.is_open(gang)

        for gang in self.wounds.take_overdue(self._clock(), is_spared=is_spared):
            self._hooks.release(gang)

    async def _taken(self, made: _Made, plan: str) -> list[kube.Launching]:
        """The starts whose room is ours now, in the order of decision, each with its group as it
        was then: one that changes before the last has its room is not what the plan was made for.
        """
        taken: list[kube.Launching] = []
        breath = time.perf_counter() + BREATH_SECONDS
        for start in made.plan.starts:
            if self._state.assume(start, generation=made.generation):
                taken.append(self._launching(start, plan))
            if time.perf_counter() > breath:
                await asyncio.sleep(0)
                breath = time.perf_counter() + BREATH_SECONDS
        return taken

    def _launching(self, start: Start, plan: str) -> kube.Launching:
        group = self._state.answers.group(start.gang.name)
        if group is None:
            return kube.Launching(start, None, None, plan)
        return kube.Launching(start, launch.terms_of(group), group.KIND, plan)

    def _tell(self, made: _Made, starts: Sequence[Start], stale: int) -> None:
        if starts or stale:
            pods = sum(len(start.bindings) for start in starts)
            waits = len(made.verdicts.by_gang)
            self._log.say("planned", starts=len(starts), pods=pods, waits=waits, stale=stale)
        for start in starts:
            gang, pods = start.gang, len(start.bindings)
            self._log.detail(1, "starts", gang=gang.title, queue=gang.queue, pods=pods)
