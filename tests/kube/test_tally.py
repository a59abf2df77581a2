"""How long requests took is counted by lane and outcome, at next to no cost."""

from __future__ import annotations

import asyncio

import virtual_time
from kube.server import LOST, FakeApi

from fullcrew.kube import Flow, Lane, Reply, Tally, Wish
from fullcrew.kube.tally import BOUNDS, Took


def test_each_request_is_counted_once_in_the_first_bound_that_holds_it() -> None:
    tally = Tally(("bind", "status"))
    for seconds in (0.0005, 0.002, 0.002, 99.0):
        tally.add(Lane.BIND, 201, seconds)

    (told,) = tally.told()

    assert (told.lane, told.outcome) == ("bind", "done")
    assert sum(told.counts) == 4
    assert told.counts[0] == 1
    assert told.counts[-1] == 1
    assert len(told.counts) == len(BOUNDS) + 1
    assert 99.0 < told.seconds < 99.1


def test_outcomes_are_words_from_a_closed_list() -> None:
    tally = Tally(("bind", "status"))
    for code in (200, 201, 404, 409, 429, 500, 503, 0):
        tally.add(Lane.STATUS, code, 0.1)

    told = {each.outcome: sum(each.counts) for each in tally.told()}

    assert told == {"done": 2, "refused": 2, "busy": 1, "failed": 2, "unanswered": 1}


def test_a_flow_counts_what_it_sends() -> None:
    api = FakeApi(latency=0.02)
    api.fail("GET /lost", LOST)
    api.fail("GET /busy", Reply(429, b""))

    async def run() -> dict[tuple[str, str], Took]:
        flow = Flow(api)
        asking = [flow.ask(Lane.BIND, Wish("GET", path)) for path in ("/a", "/lost", "/busy")]
        await asyncio.gather(*asking, return_exceptions=True)
        await flow.close()
        return {(each.lane, each.outcome): each for each in flow.tally.told()}

    told = virtual_time.run(run())

    assert set(told) == {("bind", "refused"), ("bind", "unanswered"), ("bind", "busy")}
    assert all(0.019 < each.seconds < 0.021 for each in told.values())
