"""How long the loop mends a wounded gang before it lets it go; in virtual time."""

from __future__ import annotations

import asyncio

import given
from run import virtual
from run.looping import REFUSED, Loop, gang, looping, placed

from fullcrew.launch import Rest
from fullcrew.run.wounds import Wounds


def test_a_wounded_gang_whose_time_is_over_is_released_once() -> None:
    async def story() -> None:
        async with looping() as loop:
            loop.planner.wounds = Wounds(300)
            group, one, other = gang(2)
            loop.put(given.node("n", given.having(gpu=1)), group, placed(one), other)
            await virtual.passing(299)
            assert loop.released == []
            await virtual.passing(10)
            assert loop.released == ["default/job"]

    virtual.run(story())


def refusing(loop: Loop) -> None:
    """Two nodes for a gang of two; the binds of its first pod are refused for good."""
    loop.planner.wounds = Wounds(30)
    loop.refuses = "default/w-0"
    loop.put(*(given.node(name, given.having(gpu=1)) for name in "no"), *gang(2))


def test_a_gang_whose_member_is_refused_again_and_again_has_its_time_once() -> None:
    async def story() -> None:
        async with looping() as loop:
            refusing(loop)
            await virtual.passing(30)
            assert (loop.released, loop.metrics.value("wounded_gangs")) == ([], 1)
            await virtual.passing(35)
            assert loop.released == ["default/job"]

    virtual.run(story())


def test_no_gang_is_let_go_while_its_binds_are_under_way() -> None:
    async def story() -> None:
        async with looping() as loop:
            at: list[bool] = []
            loop.on_release = lambda: at.append(loop.is_open("default/job"))
            refusing(loop)
            await virtual.passing(600)
            assert at
            assert not any(at)

    virtual.run(story())


def test_a_gang_that_the_plan_mends_at_its_deadline_is_not_let_go() -> None:
    async def story() -> None:
        async with looping() as loop:
            loop.planner.wounds = Wounds(30)
            group, one, other = gang(2)
            loop.put(given.node("n", given.having(gpu=1)), group, placed(one), other)
            await virtual.passing(29)
            loop.put(given.node("o", given.having(gpu=1)), is_told=False)
            await virtual.passing(5)
            assert loop.pods == ["default/w-1"]
            assert loop.released == []

    virtual.run(story())


def test_a_gang_that_stood_whole_after_a_refusal_has_a_new_time() -> None:
    async def story() -> None:
        async with looping() as loop:
            refusing(loop)
            await virtual.passing(20)
            loop.refuses = "none"
            await virtual.passing(60)
            assert loop.released == []
            loop.state.drop(given.decoded(placed(gang(2)[1])))
            loop.put(given.node("n", given.having(gpu=0)), gang(2)[1])
            await virtual.passing(29)
            assert loop.released == []
            await virtual.passing(5)
            assert loop.released == ["default/job"]

    virtual.run(story())


def test_the_reason_of_a_rest_stands_until_the_plan_that_ends_it() -> None:
    async def story() -> None:
        async with looping() as loop:
            refusing(loop)
            await virtual.passing(4.2)
            resting, told = loop.planner.resting, []
            loop.before_each = lambda: told.append(resting.kept("default/job"))
            await virtual.passing(0.5)
            assert [each and each.pods for each in told] == [("default/w-0",)]
            assert (resting.kept("default/job"), resting.reason("default/job")) == (None, None)

    virtual.run(story())


def test_what_is_let_go_keeps_no_room_for_a_member_that_was_refused() -> None:
    async def story() -> None:
        async with looping() as loop:
            loop.put(given.node("n", given.having(gpu=1)), *gang(1))
            await virtual.passing(0.1)
            now = asyncio.get_running_loop().time()
            failed = Rest((("default/w-0", "u-0"),), REFUSED, keeps_room=True)
            loop.planner.resting.add("default/job", failed, now=now)
            loop.planner.let_go("default/job")
            loop.put(given.pod("single", given.asking(gpu=1)))
            await virtual.passing(0.3)
            assert loop.pods[1:] == ["default/single"]

    virtual.run(story())
