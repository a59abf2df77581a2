"""The loop: what wakes it, what it launches, what it drops; in virtual time, with the real state
and the real core, and a binder that only writes down what it got."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import given
from run import virtual
from run.looping import REFUSED, gang, looping, placed

from fullcrew.launch import Rest
from fullcrew.room import Start
from fullcrew.run.planning import BREATH_SECONDS
from fullcrew.state import State


def test_a_gang_is_launched_a_few_milliseconds_after_it_came() -> None:
    async def story() -> None:
        async with looping() as loop:
            loop.put(given.node("n", given.having(gpu=2)), *gang(2))
            await virtual.passing(0.02)
            assert loop.pods == ["default/w-0", "default/w-1"]
            (launching,) = loop.launched
            assert launching.terms is not None
            assert (launching.terms.minimum, launching.start.minimum) == (2, 2)

    virtual.run(story())


def test_nothing_is_planned_while_nothing_changes() -> None:
    async def story() -> None:
        async with looping() as loop:
            loop.put(given.node("n"), *gang(2))
            await virtual.passing(0.5)
            before = loop.cycles("change")
            await virtual.passing(600)
            assert loop.cycles("change") == before
            assert loop.cycles("safety") == 10

    virtual.run(story())


def test_what_only_the_safety_cycle_finds_is_counted_as_a_defect() -> None:
    async def story() -> None:
        async with looping() as loop:
            loop.put(given.node("n", given.having(gpu=2)), *gang(2), is_told=False)
            await virtual.passing(50)
            assert loop.pods == []
            await virtual.passing(20)
            assert len(loop.pods) == 2
            assert loop.metrics.value("missed_wakeups_total") == 1

    virtual.run(story())


def test_what_changed_while_it_was_planned_is_dropped_and_planned_again() -> None:
    async def story() -> None:
        async with looping() as loop:
            group, *pods = gang(2)
            changed = [given.pod_group("job", 1, given.with_uid("g"))]
            loop.before_each = lambda: loop.put(changed.pop()) if changed else None
            loop.put(given.node("n", given.having(gpu=2)), group, *pods)
            await virtual.passing(1)
            assert loop.metrics.value("stale_starts_total") == 1
            assert [each.start.gang.minimum for each in loop.launched] == [1]

    virtual.run(story())


class Slow(State):
    """Each start takes it so long that the loop goes on in between; `meanwhile` comes then."""

    meanwhile: Callable[[], None]

    def assume(self, start: Start, *, generation: int) -> bool:
        """As ever, but slowly."""
        end = time.perf_counter() + BREATH_SECONDS
        while time.perf_counter() < end:
            pass
        asyncio.get_running_loop().call_soon(self.meanwhile)
        return super().assume(start, generation=generation)


def test_a_group_that_changes_while_others_get_their_room_is_launched_as_it_was_planned() -> None:
    async def story() -> None:
        async with looping(state := Slow()) as loop:
            changes = iter([given.pod_group("job", 5)])
            state.meanwhile = lambda: loop.put(*changes)
            loop.put(given.node("n", given.having(gpu=2)), *gang(2), given.pod("single"))
            await virtual.passing(1)

            terms = loop.launched[0].terms
            assert loop.pods == ["default/w-0", "default/w-1", "default/single"]
            assert (terms and terms.minimum) == 2

    virtual.run(story())


def test_who_may_not_plan_launches_nothing_until_it_may() -> None:
    async def story() -> None:
        async with looping() as loop:
            loop.may_plan = False
            loop.put(given.node("n", given.having(gpu=2)), *gang(2))
            await virtual.passing(100)
            assert loop.launched == []
            loop.may_plan = True
            await virtual.passing(0.2)
            assert len(loop.pods) == 2

    virtual.run(story())


def test_a_gang_that_rests_is_planned_when_it_has_rested() -> None:
    async def story() -> None:
        async with looping() as loop:
            now = asyncio.get_running_loop().time()
            loop.planner.resting.add("default/job", Rest((), REFUSED, keeps_room=False), now=now)
            loop.put(given.node("n", given.having(gpu=2)), *gang(2))
            await virtual.passing(0.4)
            assert loop.verdicts.by_gang["default/job"].reason == REFUSED
            assert loop.launched == []
            await virtual.passing(0.2)
            assert len(loop.pods) == 2

    virtual.run(story())


def test_a_member_that_kept_its_room_while_it_rested_is_bound_again() -> None:
    async def story() -> None:
        async with looping() as loop:
            loop.put(given.node("n", given.having(gpu=2)), *gang(2))
            await virtual.passing(0.1)
            bound = given.pod("w-1", given.in_group("job"), given.asking(gpu=1))
            loop.put(placed(bound))
            failed = Rest((("default/w-0", "u-0"),), REFUSED, keeps_room=True)
            now = asyncio.get_running_loop().time()
            loop.planner.resting.add("default/job", failed, now=now)
            loop.planner.alarm.ring()
            await virtual.passing(0.4)
            assert len(loop.pods) == 2
            await virtual.passing(0.4)
            assert loop.pods[2:] == ["default/w-0"]

    virtual.run(story())
