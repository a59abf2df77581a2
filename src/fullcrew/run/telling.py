"""Tells the cluster how its gangs stand: looks at what changed when it is due, and at no other.

Nothing here runs while nothing changes: a gang is on the agenda because its pods or its group
changed, its verdict did, or a time has come that one of the rules named.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

from fullcrew import dialects
from fullcrew.dialects.status import Standing
from fullcrew.launch import HeldUp
from fullcrew.model.reason import Reason
from fullcrew.objects import PodGroup
from fullcrew.run.agenda import Agenda
from fullcrew.run.due import HELD_SECONDS
from fullcrew.run.group_statuses import GroupStatuses
from fullcrew.run.pod_conditions import PodConditions
from fullcrew.run.queue_statuses import QueueStatuses
from fullcrew.run.verdicts import Verdict, Verdicts
from fullcrew.state import Members

__all__ = ["Launches", "Observed", "Rests", "Teller", "standing"]

SOON_SECONDS = 0.1
"""Pods of one gang change by the hundred; what all of them add up to is told once."""

FIGURES_SECONDS = 5.0
"""Numbers are written twice a minute at most; to look at all of them after each plan, several times
a second, would take more time than binding."""

ROUND_SECONDS = 0.02
"""Ten thousand pods are bound at ten thousand moments; they are not looked at one by one."""

Counts = Mapping[tuple[str, ...], int]  # by stage and kind

MOST_AT_ONCE = 64
AT_A_TIME = 256


class Observed(Protocol):
    """Where gangs are known: the answers of `state.State`."""

    @property
    def version(self) -> int:
        """Grows with every change that a plan could depend on."""
        ...

    def group(self, gang: str) -> PodGroup | None:
        """The group object of a gang."""
        ...

    def members(self, gang: str) -> Members:
        """How many pods of a gang there are, by how they stand."""
        ...

    def gangs(self) -> Iterable[str]:
        """All gangs with a group object."""
        ...

    def take_touched(self) -> frozenset[str]:
        """Gangs whose members or group changed since the last call."""
        ...


class Launches(Protocol):
    """Which gangs are on their way to the cluster: `kube.Binder`."""

    def is_open(self, gang: str) -> bool:
        """Whether binds of it are not settled yet."""
        ...

    def unsettled(self, gang: str) -> HeldUp | None:
        """Which of its pods do not get on, and why, where something is asked again."""
        ...


class Rests(Protocol):
    """Which gangs failed and are not planned for now: `launch.Resting`."""

    def reason(self, gang: str) -> Reason | None:
        """Why a gang rests, or members of it."""
        ...

    def kept(self, gang: str) -> HeldUp | None:
        """Its members that rest with their room, and why: no plan speaks of them."""
        ...


class Teller:
    """Keeps the agenda, and hands each gang that is due to those who write."""

    def __init__(
        self,
        observed: Observed,
        launches: Launches,
        resting: Rests,
    ) -> None:
        self._observed = observed
        self._launches = launches
        self._resting = resting
        self._agenda = Agenda()
        self._last = Verdicts()
        self._held_up: dict[str, tuple[HeldUp, ...]] = {}  # what no plan speaks of
        self._woken = asyncio.Event()
        self._waiting_since: dict[str, float] = {}
        self._is_planned = False
        self._touched_at: dict[str, int] = {}
        self._unjudged: set[str] = set()
        self._version = -1
        self.plans_no_more = False
        self.groups: GroupStatuses
        self.pods: PodConditions
        self.queues: QueueStatuses

    def look_soon(self, gang: str) -> None:
        """Something about this gang changed."""
        self.look_at(gang, asyncio.get_running_loop().time() + SOON_SECONDS)

    def look_at(self, gang: str, at: float) -> None:
        """Look at it then, or before."""
        first = self._agenda.next
        self._agenda.put(gang, at)
        if first is None or at < first:
            self._woken.set()

    def changed(self) -> None:
        """The state was fed."""
        touched = self._observed.take_touched()
        version = self._observed.version
        if touched or version != self._version:
            self._version = version
            self.queues.changed()
        at = asyncio.get_running_loop().time() + SOON_SECONDS
        for gang in touched:
            self._touched_at[gang] = version
            self.look_at(gang, at)

    def judged(self, verdicts: Verdicts, plan: str) -> None:
        """A new plan is there."""
        self._last = verdicts
        self._is_planned = True
        self.groups.plan = plan
        unjudged, self._unjudged = self._unjudged, set()
        now = asyncio.get_running_loop().time()
        for gang in unjudged:
            self.look_at(gang, now)
        for gang in verdicts.news:
            self.look_soon(gang)
        later = asyncio.get_running_loop().time() + FIGURES_SECONDS
        for gang in verdicts.figures:
            self.look_at(gang, later)

    def group(self, gang: str) -> PodGroup | None:
        """The group object of a gang."""
        return self._observed.group(gang)

    def standing(self, gang: str, group: PodGroup) -> Standing | None:
        """The gang as the cluster shows it; None while its launch is under way and goes well."""
        held_up = self._launches.unsettled(gang)
        reason = held_up.reason if held_up else self._resting.reason(gang)
        if self._launches.is_open(gang) and reason is None:
            return None
        verdict = self._last.by_gang.get(gang)
        return standing(group, self._observed.members(gang), verdict, reason)

    def waiting(self) -> tuple[Counts, Counts]:
        """How many gangs and pods wait, by stage and kind."""
        gangs, pods = Counter(self._last.gangs), Counter(self._last.pods)
        for gang, found in self._held_up.items():
            if gang not in self._last.by_gang:
                gangs[_label(found[0].reason)] += 1
            for each in found:
                pods[_label(each.reason)] += len(each.pods)
        return gangs, pods

    async def run(self) -> None:
        """Until it is cancelled."""
        for gang in list(self._observed.gangs()):
            self.look_soon(gang)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.pods.run())
                tasks.create_task(self.queues.run())
                tasks.create_task(self._look_all())
        finally:
            self.groups.close()

    async def _look_all(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._woken.clear()
            await self._until(self._agenda.next)
            room = MOST_AT_ONCE - len(self.groups)
            if room <= 0:
                await asyncio.sleep(SOON_SECONDS / 10)
                continue
            now = loop.time()
            for gang in self._agenda.take(now, most=min(room, AT_A_TIME)):
                self._look(gang, now)
            following = self._agenda.next
            is_more_due = following is not None and following <= now
            await asyncio.sleep(0 if is_more_due else ROUND_SECONDS)

    async def _until(self, at: float | None) -> None:
        """Until then, or until something nearer was put on the agenda."""
        loop = asyncio.get_running_loop()
        while at is None or at > loop.time():
            try:
                async with asyncio.timeout_at(at):
                    await self._woken.wait()
            except TimeoutError:
                return
            self._woken.clear()
            at = self._agenda.next

    def _is_judged(self, gang: str) -> bool:
        """Whether the last plan knew the gang as it is. Told from an older one, or from none, a
        gang that waits would lose its reason, and one whose queue is closed would be admitted. Who
        is about to stop plans no more: what has started is told then all the same."""
        is_newer = self._touched_at.get(gang, 0) > self._last.version
        if not self._is_planned or is_newer or gang in self._last.stale:
            return self.plans_no_more and self._observed.members(gang).running > 0
        self._touched_at.pop(gang, None)
        return True

    def _look(self, gang: str, now: float) -> None:
        if not self._is_judged(gang):
            self._unjudged.add(gang)
            return
        group = self._observed.group(gang)
        if group is not None:
            self.groups.look_at(gang, now)
        else:
            self.groups.forget(gang)
        verdict = self._told(gang, now)
        if verdict is None:
            self._waiting_since.pop(gang, None)
            self.pods.forget(gang)
            return
        since = self._waiting_since.setdefault(gang, now)
        if now < since + HELD_SECONDS:
            self.look_at(gang, since + HELD_SECONDS)
        else:
            again = self.pods.look_at(gang, verdict, has_group=group is not None, now=now)
            if again is not None:
                self.look_at(gang, again)

    def _told(self, gang: str, now: float) -> Verdict | None:
        """Why its pods wait: what the plan said, and what became of binds since."""
        verdict = None if self._launches.is_open(gang) else self._last.by_gang.get(gang)
        found = (self._launches.unsettled(gang), self._resting.kept(gang))
        held_up = self._held_up[gang] = tuple(each for each in found if each is not None)
        if not held_up:
            del self._held_up[gang]
            return verdict
        self.look_at(gang, now + FIGURES_SECONDS)  # it may end without anybody telling
        return Verdict(held_up[0].reason, 0, (*(verdict.waits if verdict else ()), *held_up))


def _label(reason: Reason) -> tuple[str, ...]:
    return str(reason.stage), str(reason.kind)


def standing(
    group: PodGroup, members: Members, verdict: Verdict | None, reason: Reason | None
) -> Standing:
    """Counts of the state and the verdict of the plan, as a status reads them."""
    facts = dialects.facts(group)
    live = members.bound + members.running
    lacks = verdict.lacks if verdict is not None else 0
    told = reason or (verdict.reason if verdict is not None else None)
    return Standing(
        minimum=facts.minimum,
        waiting=members.pending + members.gated + members.assumed,
        live=live,
        running=members.running,
        succeeded=members.succeeded,
        failed=members.failed,
        leaving=members.leaving,
        lacks_role=lacks > 0 and live + members.succeeded >= facts.minimum,
        reason=told,
    )
