"""A pod is deleted only by who leads, by its uid, and in less time than a lease leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
import virtual_time
from kube.server import LOST, FakeApi

from fullcrew import errors
from fullcrew.kube import Flow, Lane, Pace, Remover, Reply

PATH = "/api/v1/namespaces/ns/pods/p"


def removing(
    api: FakeApi,
    scenario: Callable[[Remover, Flow], Awaitable[None]],
    *,
    may_delete: Callable[[], bool] = lambda: True,
) -> None:
    """Runs it in virtual time."""

    async def run() -> None:
        flow = Flow(api, pace=Pace(start=1, floor=1))
        await scenario(Remover(flow, seconds=4.0, may_delete=may_delete), flow)
        await flow.close()

    api.add_pod("ns/p", "uid-p")
    virtual_time.run(run())


def test_it_names_the_uid_and_takes_no_longer_than_a_bind() -> None:
    api = FakeApi()

    async def scenario(remover: Remover, _: Flow) -> None:
        reply = await remover.delete("ns/p", "uid-p")
        assert reply is not None
        assert reply.code == 200

    removing(api, scenario)

    (wish,) = api.heard
    assert (wish.method, wish.path, wish.seconds) == ("DELETE", f"{PATH}?timeout=4000ms", 4.0)
    assert json.loads(wish.body or b"{}")["preconditions"] == {"uid": "uid-p"}
    assert PATH not in api.objects


def test_who_leads_no_more_when_its_turn_has_come_deletes_nothing() -> None:
    api = FakeApi()
    api.fail("GET /busy", Reply(429, b"", 30.0))
    now: list[float] = []

    async def scenario(remover: Remover, flow: Flow) -> None:
        await flow.request(Lane.BIND, "GET", "/busy")
        assert await remover.delete("ns/p", "uid-p") is None
        now.append(asyncio.get_running_loop().time())

    removing(api, scenario, may_delete=lambda: asyncio.get_running_loop().time() < 10)

    assert now == [pytest.approx(30.0)]
    assert PATH in api.objects


def test_what_was_closed_deletes_nothing_more() -> None:
    api = FakeApi()

    async def scenario(remover: Remover, _: Flow) -> None:
        remover.close()
        assert await remover.delete("ns/p", "uid-p") is None

    removing(api, scenario)

    assert api.heard == []


def test_what_is_under_way_is_unanswered_though_nobody_waits_for_it_any_more() -> None:
    api = FakeApi(latency=1)
    counts: list[int] = []

    async def scenario(remover: Remover, _: Flow) -> None:
        asking = asyncio.ensure_future(remover.delete("ns/p", "uid-p"))
        await asyncio.sleep(0.5)
        asking.cancel()
        await asyncio.sleep(0)
        counts.append(remover.unanswered)
        await asyncio.sleep(1)
        counts.append(remover.unanswered)

    removing(api, scenario)

    assert counts == [1, 0]


def test_without_an_answer_it_may_be_carried_out_until_the_server_gives_it_up() -> None:
    api = FakeApi()
    api.fail("DELETE", LOST)
    counts: list[int] = []

    async def scenario(remover: Remover, _: Flow) -> None:
        with pytest.raises(errors.Unreachable):
            await remover.delete("ns/p", "uid-p")
        for _turn in range(2):
            counts.append(remover.unanswered)
            await asyncio.sleep(4.1)
        counts.append(remover.unanswered)

    removing(api, scenario)

    assert counts == [1, 0, 0]
