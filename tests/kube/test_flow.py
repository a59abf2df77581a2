"""Requests wait in lanes, go out as many at once as the server takes, and none is forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
import virtual_time
from kube.server import LOST, FakeApi, status

from fullcrew import errors, kube
from fullcrew.kube import Flow, Lane, Pace, Reply, Wish
from fullcrew.kube.flow import EVENTS_KEPT

BUSY = Reply(429, status(429, "TooManyRequests"), 3.0)
POD = "/api/v1/namespaces/ns/pods/p"


class Errand:
    """Writes down what became of it."""

    def __init__(self, log: list[str], name: str, path: str = POD) -> None:
        self.log = log
        self.name = name
        self.path = path

    def wish(self) -> Wish | None:
        return Wish("GET", self.path)

    def told(self, reply: Reply) -> None:
        self.log.append(f"{self.name} {reply.code}")

    def failed(self, _: errors.FullcrewError, /) -> None:
        self.log.append(f"{self.name} failed")


def played(
    scenario: Callable[[Flow], Awaitable[None]], api: FakeApi, *, start: int = 8, floor: int = 4
) -> Flow:
    """Runs it with a flow of its own in virtual time, then lets all requests end."""

    async def run() -> Flow:
        flow = Flow(api, pace=Pace(start=start, floor=floor))
        await scenario(flow)
        await asyncio.sleep(3600)
        await flow.close()
        return flow

    return virtual_time.run(run())


def test_a_bind_goes_before_a_status_and_a_status_before_an_event() -> None:
    log: list[str] = []

    async def scenario(flow: Flow) -> None:
        for lane in (Lane.POD_EVENT, Lane.EVENT, Lane.STATUS, Lane.BIND):
            for number in range(2):
                flow.submit(lane, Errand(log, f"{lane.name}{number}"))

    played(scenario, FakeApi(latency=1), start=1, floor=1)

    told = [name.split()[0] for name in log]
    assert told[:4] == ["BIND0", "BIND1", "STATUS0", "STATUS1"]
    assert told[4:] == ["EVENT0", "EVENT1", "POD_EVENT0", "POD_EVENT1"]


def test_what_settles_a_bind_goes_before_what_waits() -> None:
    log: list[str] = []

    async def scenario(flow: Flow) -> None:
        flow.submit(Lane.BIND, Errand(log, "later"))
        flow.submit(Lane.BIND, Errand(log, "first"), is_first=True)

    played(scenario, FakeApi(), start=1, floor=1)

    assert log == ["first 404", "later 404"]


def test_no_more_are_under_way_than_the_limit() -> None:
    api = FakeApi(latency=1)

    async def scenario(flow: Flow) -> None:
        for number in range(100):
            flow.submit(Lane.BIND, Errand([], str(number)))

    played(scenario, api, start=8)

    assert 8 <= api.most_under_way <= 30
    assert len(api.heard) == 100


def test_lower_lanes_leave_room_for_a_bind() -> None:
    api = FakeApi(latency=1)

    async def scenario(flow: Flow) -> None:
        for number in range(8):
            flow.submit(Lane.STATUS, Errand([], str(number), "/status"))
        flow.submit(Lane.BIND, Errand([], "bind"))

    played(scenario, api, start=8)

    assert api.most_under_way == 7  # six statuses and the bind


def test_a_repeat_that_fails_again_says_nothing_of_the_servers_load() -> None:
    api = FakeApi()
    api.fail("GET", *[Reply(500, b"")] * 10, LOST)

    async def scenario(flow: Flow) -> None:
        for _ in range(10):
            await flow.ask(Lane.BIND, Wish("GET", POD, is_repeat=True))
            await asyncio.sleep(2)
        with pytest.raises(errors.Unreachable):
            await flow.ask(Lane.BIND, Wish("GET", POD, is_repeat=True))

    assert played(scenario, api, start=32).pace.limit == 32


def test_a_repeat_that_is_too_much_for_the_server_lowers_the_limit() -> None:
    api = FakeApi()
    api.fail("GET", Reply(429, b""))

    async def scenario(flow: Flow) -> None:
        await flow.ask(Lane.BIND, Wish("GET", POD, is_repeat=True))

    assert played(scenario, api, start=32).pace.limit == 16


def test_the_servers_pause_holds_for_all_lanes() -> None:
    api = FakeApi()
    api.fail("GET", BUSY)
    when: list[float] = []

    async def scenario(flow: Flow) -> None:
        await flow.request(Lane.BIND, "GET", POD)
        flow.submit(Lane.STATUS, Errand([], "status"))
        await flow.request(Lane.BIND, "GET", POD)
        when.append(asyncio.get_running_loop().time())

    played(scenario, api)

    assert when == [pytest.approx(3.0)]
    assert len(api.heard) == 3


@pytest.mark.parametrize("lane", [Lane.STATUS, Lane.EVENT, Lane.POD_EVENT])
def test_what_is_refused_below_the_binds_slows_its_own_lane_alone(lane: Lane) -> None:
    api = FakeApi(latency=1)
    api.fail("GET /refused", *[BUSY] * 100)
    when: list[float] = []

    async def scenario(flow: Flow) -> None:
        for number in range(4):
            flow.submit(lane, Errand([], str(number), "/refused"))
        await asyncio.sleep(1.5)
        await flow.request(Lane.BIND, "GET", POD)
        when.append(asyncio.get_running_loop().time())

    flow = played(scenario, api, start=32)

    assert flow.pace.limit == 32
    assert when == [pytest.approx(2.5)]


def test_a_lane_that_is_refused_asks_less_and_less_often() -> None:
    api = FakeApi()
    api.fail("GET /refused", *[Reply(429, b"")] * 10_000)

    async def scenario(flow: Flow) -> None:
        for number in range(1000):
            flow.submit(Lane.POD_EVENT, Errand([], str(number), "/refused"))
        await asyncio.sleep(60)
        assert 10 < len(api.heard) < 60

    played(scenario, api, start=32)


def test_a_lane_that_was_refused_once_is_soon_as_fast_as_before() -> None:
    api = FakeApi(latency=0.01)
    api.fail("GET /status", *[Reply(429, b"")] * 24)
    log: list[str] = []

    async def scenario(flow: Flow) -> None:
        for number in range(1000):
            flow.submit(Lane.STATUS, Errand(log, str(number), "/status"))
        await asyncio.sleep(2)

    played(scenario, api, start=32)

    assert len(log) == 1000


def test_a_push_back_lowers_the_limit() -> None:
    api = FakeApi()
    api.fail("GET", Reply(503, b""), LOST)

    async def scenario(flow: Flow) -> None:
        await flow.request(Lane.BIND, "GET", POD)
        await asyncio.sleep(1)
        with pytest.raises(errors.Unreachable):
            await flow.request(Lane.BIND, "GET", POD)

    flow = played(scenario, api, start=32)

    assert flow.pace.limit == 8


@pytest.mark.parametrize("lane", [Lane.EVENT, Lane.POD_EVENT])
def test_the_oldest_event_is_dropped_first_and_told_so(lane: Lane) -> None:
    log: list[str] = []

    async def scenario(flow: Flow) -> None:
        for number in range(EVENTS_KEPT + 3):
            flow.submit(lane, Errand(log, f"event-{number}"))
        assert flow.pending(lane) == EVENTS_KEPT

    played(scenario, FakeApi(latency=1), start=4)

    assert log[:3] == ["event-0 failed", "event-1 failed", "event-2 failed"]
    assert log[3].startswith("event-3")


def test_no_event_on_a_pod_pushes_out_one_on_a_group_nor_goes_before_it() -> None:
    log: list[str] = []

    async def scenario(flow: Flow) -> None:
        for number in range(EVENTS_KEPT):
            flow.submit(Lane.POD_EVENT, Errand(log, f"pod-{number}"))
        flow.submit(Lane.EVENT, Errand(log, "group"))
        for number in range(3):
            flow.submit(Lane.POD_EVENT, Errand(log, f"late-{number}"))

    played(scenario, FakeApi(latency=1), start=4)

    assert log[:4] == ["pod-0 failed", "pod-1 failed", "pod-2 failed", "group 404"]


def test_what_is_refused_to_events_on_groups_holds_those_on_pods_back() -> None:
    api = FakeApi()
    api.fail("GET", Reply(429, b"", 5.0))
    when: list[float] = []

    async def scenario(flow: Flow) -> None:
        await flow.request(Lane.EVENT, "GET", POD)
        await flow.request(Lane.POD_EVENT, "GET", POD)
        when.append(asyncio.get_running_loop().time())

    played(scenario, api)

    assert when == [pytest.approx(5.0)]


def test_a_request_whose_caller_went_away_is_not_sent() -> None:
    api = FakeApi(latency=1)

    async def scenario(flow: Flow) -> None:
        first = asyncio.ensure_future(flow.request(Lane.BIND, "GET", "/first"))
        second = asyncio.ensure_future(flow.request(Lane.BIND, "GET", "/second"))
        await asyncio.sleep(0.5)
        second.cancel()
        await first

    played(scenario, api, start=1, floor=1)

    assert [wish.path for wish in api.heard] == ["/first"]


def test_who_waits_when_the_flow_is_closed_is_told() -> None:
    log: list[str] = []

    async def scenario(flow: Flow) -> None:
        for name in ("under way", "waiting"):
            flow.submit(Lane.BIND, Errand(log, name))
        await asyncio.sleep(0.5)
        await flow.close()
        flow.submit(Lane.BIND, Errand(log, "late"))

    played(scenario, FakeApi(latency=1), start=1, floor=1)

    assert log == ["under way failed", "waiting failed", "late failed"]


class Broken(Errand):
    """Our own fault."""

    def told(self, reply: Reply) -> None:
        raise ValueError(reply)


def test_a_fault_of_ours_in_one_errand_is_told_and_stops_no_other() -> None:
    log: list[str] = []
    told: list[str] = []

    async def scenario(flow: Flow) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(str(context["message"])))
        flow.submit(Lane.BIND, Broken(log, "broken"))
        flow.submit(Lane.BIND, Errand(log, "next"))

    played(scenario, FakeApi(), start=1, floor=1)

    assert log == ["next 404"]
    assert told == ["an errand of Broken failed"]


class Locked(FakeApi):
    """A server whose credentials cannot be had."""

    async def look_again(self) -> None:
        raise errors.Unreachable("http://fake", problem="the plugin failed")


def test_without_credentials_nothing_is_sent_and_all_are_told() -> None:
    log: list[str] = []
    api = Locked(is_due=True)

    async def scenario(flow: Flow) -> None:
        flow.submit(Lane.BIND, Errand(log, "bind"))

    played(scenario, api)

    assert (log, api.heard) == (["bind failed"], [])


def test_what_waits_and_what_is_under_way_is_pending() -> None:
    counts: list[int] = []

    async def scenario(flow: Flow) -> None:
        for name in range(5):
            flow.submit(Lane.STATUS, Errand([], str(name)))
        await asyncio.sleep(0.5)
        counts.append(flow.pending(Lane.STATUS))
        await asyncio.sleep(10)
        counts.append(flow.pending(kube.Lane.STATUS))

    played(scenario, FakeApi(latency=1), start=4)

    assert counts == [5, 0]
