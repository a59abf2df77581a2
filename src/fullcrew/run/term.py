"""One stretch of leadership: everything is read anew when it begins, and nothing outlives it."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, NamedTuple

from fullcrew import kube, policies
from fullcrew.launch import Patience
from fullcrew.model.gang import title_of
from fullcrew.run.events import Events
from fullcrew.run.feeding import Feed
from fullcrew.run.group_statuses import GroupStatuses
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics
from fullcrew.run.outcomes import Outcomes
from fullcrew.run.outlet import Outlet
from fullcrew.run.planning import Hooks, Planner
from fullcrew.run.pod_conditions import PodConditions
from fullcrew.run.queue_statuses import QueueStatuses
from fullcrew.run.releasing import Right, release
from fullcrew.run.rivalry import Rivalry
from fullcrew.run.settings import Settings
from fullcrew.run.telling import Teller
from fullcrew.run.verdicts import Verdicts
from fullcrew.run.wounds import Wounds
from fullcrew.state import State

__all__ = ["Term", "Wires"]

MEASURE_SECONDS = 5.0
UNSYNCED_SECONDS = 60.0
COLLECT_AFTER = 200_000
"""Objects made before Python looks for cycles: ours have none, and a pass over them all is long."""


class Wires(NamedTuple):
    """What a process has all the time, leader or not."""

    http: kube.Http
    flow: kube.Flow
    log: Log
    metrics: Metrics


class Term:
    """Follows, plans, binds and tells until it is cancelled."""

    def __init__(self, settings: Settings, wires: Wires, is_leader: Callable[[], bool]) -> None:
        http, flow, log, metrics = wires
        self._wires = wires
        self._is_leader = is_leader
        self._is_stopping = False
        self._looked = asyncio.Event()
        self._releasing: set[asyncio.Task[None]] = set()
        self._remover = kube.Remover(
            flow, seconds=settings.longest_bind_seconds, may_delete=is_leader
        )
        self._right = Right(frozenset(settings.scheduler_names), self._remover)
        self.state = State(
            owned=frozenset(settings.scheduler_names), default_queue=settings.default_queue
        )
        self.rivalry = Rivalry(self.state.answers.pending_pod)
        self.feed = Feed(http, self.state, log, metrics, self._fed)
        events = Events(flow, metrics)
        self._planner = Planner(self.state, policies.built_in(score=settings.score), (log, metrics))
        self._planner.wounds = Wounds(settings.mending_seconds)
        self._witness = Outcomes(
            self.state, events, (log, metrics), self._planner.alarm, self._planner.resting
        )
        self.binder = kube.Binder(
            flow,
            self.feed.resources,
            self._witness,
            patience=Patience(settings.longest_bind_seconds),
            may_bind=is_leader,
        )
        self._teller = self._telling(Outlet(flow, events, metrics, log))
        self._planner.connect(self.binder, self._hooks())
        self._seen_version = -1
        gc.set_threshold(COLLECT_AFTER, 20, 100)

    @property
    def may_plan(self) -> bool:
        """Whether new launches may begin."""
        return self._is_leader() and not self._is_stopping

    @property
    def unanswered(self) -> int:
        """How many binds and deletions the server may still carry out."""
        return self.binder.unanswered + self._remover.unanswered

    def close(self) -> None:
        """Nothing is bound or deleted any more, not even what waits for its turn."""
        self.binder.close()
        self._remover.close()

    async def run(self) -> None:
        """Returns when it is cancelled, and at once where something of ours broke."""
        try:
            await self._run()
        finally:
            for task in self._releasing:
                task.cancel()

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.feed.run())
            await self._read()
            await self._looked.wait()
            parts: list[Coroutine[Any, Any, None]] = [
                self._planner.run(),
                self._teller.run(),
                self._measure(),
            ]
            for part in parts:
                tasks.create_task(part)

    async def _read(self) -> None:
        """Returns when everything has been told once.

        The lease is kept however long that takes: what keeps us from it (a right that is missing,
        a broken conversion webhook, a server that fails) would keep the next one from it too, and
        leaders that take turns would read the cluster again and again.
        """
        started = time.perf_counter()
        gc.disable()  # what is listed lives long, and is not searched for cycles while it comes
        try:
            while not await self._is_read_soon():
                gc.enable()
                why = "; ".join(f"{kind}: {told}" for kind, told in self.feed.troubles.items())
                self._wires.log.warn("leads without having read the cluster", why=why)
        finally:
            gc.freeze()
            gc.enable()
        self._wires.metrics.set("is_synced", 1)
        kinds = len(self.feed.resources)
        self._wires.log.say("synced", kinds=kinds, seconds=time.perf_counter() - started)

    async def _is_read_soon(self) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(UNSYNCED_SECONDS):
                await self.feed.synced()
        return self.feed.is_synced

    async def stop(self, *, seconds: float) -> None:
        """No plan begins any more; gangs that began get whole, and those that go, go whole, if it
        takes no longer than this."""
        self._is_stopping = self._teller.plans_no_more = True
        try:
            async with asyncio.timeout(seconds):
                await self.binder.idle()
                while self._releasing:
                    await asyncio.wait(self._releasing)
        except TimeoutError:
            self._wires.log.warn(
                "launches left open", launches=sum(1 for _ in self.binder.launches)
            )

    @property
    def has_looked(self) -> bool:
        """Whether it was told once who else serves our names."""
        return self._looked.is_set()

    def seen_rivals(self, leases: dict[str, str]) -> None:
        """Who else serves our names now. Before the first word nothing is planned."""
        self._looked.set()
        if self.rivalry.seen(leases):
            self._planner.alarm.ring()

    def _telling(self, outlet: Outlet) -> Teller:
        teller = Teller(self.state.answers, self.binder, self._planner.resting)
        resources = self.feed.resources
        teller.groups = GroupStatuses(teller, resources, outlet, teller.look_at)
        teller.pods = PodConditions(self.state.answers, outlet)
        teller.queues = QueueStatuses(self.state, resources, outlet)
        self._witness.over_with = self._witness.held_up = teller.look_soon
        self._witness.stood = self._stood
        self._witness.forbids = self.rivalry.forbids
        return teller

    def _hooks(self) -> Hooks:
        return Hooks(
            may_plan=lambda: self.may_plan,
            held_back=self.rivalry.applied_to,
            judged=self._judged,
            release=self._release,
        )

    def _fed(self) -> None:
        """After each batch that was told us."""
        if self.state.version != self._seen_version:
            self._seen_version = self.state.version
            self._planner.alarm.ring()
        if self.feed.is_synced:
            self._teller.changed()

    def _judged(self, verdicts: Verdicts, plan: str) -> None:
        self._teller.judged(verdicts, plan)
        self._count_waiting()

    def _count_waiting(self) -> None:
        gangs, pods = self._teller.waiting()
        self._wires.metrics.set_all("waiting_gangs", gangs)
        self._wires.metrics.set_all("waiting_pods", pods)

    def _stood(self, gang: str) -> None:
        self._planner.wounds.stood(gang)
        self._wires.log.ended("keeps mending", gang=title_of(gang))

    def _release(self, gang: str) -> None:
        task = asyncio.create_task(self._released(gang))
        self._releasing.add(task)
        task.add_done_callback(self._releasing.discard)

    async def _released(self, gang: str) -> None:
        wires = self._wires
        group = self.state.answers.group(gang)
        kind = group.KIND if group is not None else None
        name = title_of(gang)
        notes = (wires.log, wires.metrics)
        if await release(name, kind, wires.flow, self._right, notes):
            self._planner.let_go(gang)

    async def _measure(self) -> None:
        while True:
            metrics, flow = self._wires.metrics, self._wires.flow
            self._count_waiting()
            metrics.set("open_launches", sum(1 for _ in self.binder.launches))
            metrics.set("request_limit", flow.pace.limit)
            for lane in kube.Lane:
                metrics.set("pending_requests", flow.pending(lane), lane=lane.name.lower())
            await asyncio.sleep(MEASURE_SECONDS)
