"""Events are written when all else was, tried again in time, and let go at last."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
import virtual_time
from kube.server import LOST, FakeApi, status

from fullcrew import kube
from fullcrew.kube.flow import EVENTS_KEPT
from fullcrew.run.events import NORMAL, About, Events
from fullcrew.run.metrics import Metrics

POD = About("v1", "Pod", "ns", "p", "uid-p")
GROUP = About("scheduling.volcano.sh/v1beta1", "PodGroup", "ns", "g", "uid-g")
BUSY = kube.Reply(429, status(429, "TooManyRequests"))


def told(
    scenario: Callable[[Events], Awaitable[None]], api: FakeApi
) -> tuple[dict[str, float], list[str]]:
    """What became of the events by outcome, and what arrived, an hour later in virtual time."""
    metrics = Metrics()

    async def run() -> None:
        flow = kube.Flow(api, pace=kube.Pace(start=8))
        await scenario(Events(flow, metrics))
        await asyncio.sleep(3600)
        await flow.close()

    virtual_time.run(run())
    outcomes = ("written", "failed", "dropped")
    counts = {each: metrics.value("events_total", outcome=each) for each in outcomes}
    kinds = [json.loads(wish.body or b"{}")["involvedObject"]["kind"] for wish in api.heard]
    return {each: count for each, count in counts.items() if count}, kinds


async def one(events: Events, about: About = POD) -> None:
    events.tell(about, kind=NORMAL, reason="Scheduled", message="it is")


@pytest.mark.parametrize("answer", [BUSY, kube.Reply(500, b"{}"), LOST])
def test_an_event_that_was_not_taken_is_tried_again(answer: kube.Reply) -> None:
    api = FakeApi()
    api.fail("/events", answer)

    assert told(one, api)[0] == {"written": 1}


def test_it_is_not_tried_again_at_once() -> None:
    api = FakeApi()
    api.fail("/events", *[BUSY] * 100)

    async def scenario(events: Events) -> None:
        await one(events)
        await asyncio.sleep(0.9)
        assert len(api.heard) == 1

    outcomes, kinds = told(scenario, api)

    assert outcomes == {"failed": 1}
    assert len(kinds) == 3


def test_a_server_that_says_how_long_to_wait_is_heard() -> None:
    api = FakeApi()
    api.fail("/events", BUSY._replace(after_seconds=30.0))

    async def scenario(events: Events) -> None:
        await one(events)
        await asyncio.sleep(29)
        assert len(api.heard) == 1

    assert told(scenario, api)[0] == {"written": 1}


def test_an_event_on_a_group_is_tried_longer_than_one_on_a_pod() -> None:
    api = FakeApi()
    api.fail("/events", *[BUSY] * 6)

    assert told(lambda events: one(events, GROUP), api)[0] == {"written": 1}


def test_an_event_on_a_group_outlives_a_flood_of_those_on_pods() -> None:
    api = FakeApi(latency=0.01)

    async def scenario(events: Events) -> None:
        await one(events, GROUP)
        for _ in range(EVENTS_KEPT + 10):
            await one(events)

    outcomes, kinds = told(scenario, api)

    assert kinds.count("PodGroup") == 1
    assert outcomes == {"written": EVENTS_KEPT + 1, "dropped": 10}


def test_one_that_waits_for_another_try_does_not_let_the_line_grow() -> None:
    api = FakeApi()
    api.fail("/events", BUSY._replace(after_seconds=60.0))

    async def scenario(events: Events) -> None:
        await one(events)
        await asyncio.sleep(59.9)
        for _ in range(EVENTS_KEPT + 5):
            await one(events)

    outcomes, _ = told(scenario, api)

    assert outcomes == {"dropped": 6, "written": EVENTS_KEPT}
