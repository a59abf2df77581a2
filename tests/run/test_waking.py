"""A change is acted on at once, and a burst of them is gathered as long as a cycle takes."""

from __future__ import annotations

import asyncio

import pytest
from run import virtual

from fullcrew.run.waking import Alarm, Why


async def wakes_in_a_burst(*, cycle_seconds: float) -> int:
    """How often one is woken by a hundred changes, one in two milliseconds."""
    alarm, woken = Alarm(), 0
    alarm.took(cycle_seconds)

    async def waking() -> None:
        nonlocal woken
        while True:
            await alarm.wait(lambda: None)
            woken += 1

    task = asyncio.create_task(waking())
    for _ in range(100):
        alarm.ring()
        await virtual.passing(0.002)
    task.cancel()
    return woken


@pytest.mark.parametrize(("cycle_seconds", "wakes"), [(0.0, 100), (0.02, 10), (9.0, 4)])
def test_a_burst_is_gathered_as_long_as_a_cycle_takes_and_not_for_long(
    cycle_seconds: float, wakes: int
) -> None:
    async def story() -> None:
        assert abs(await wakes_in_a_burst(cycle_seconds=cycle_seconds) - wakes) <= max(1, wakes / 5)

    virtual.run(story())


def test_a_time_that_has_come_wakes_without_a_change() -> None:
    async def story() -> None:
        soon = asyncio.get_running_loop().time() + 3
        assert await Alarm().wait(lambda: soon) is Why.TIME

    virtual.run(story())


def test_nothing_at_all_is_looked_at_once_a_minute() -> None:
    async def story() -> None:
        start = asyncio.get_running_loop().time()
        assert await Alarm().wait(lambda: None) is Why.SAFETY
        assert asyncio.get_running_loop().time() - start == pytest.approx(60, abs=0.1)

    virtual.run(story())
