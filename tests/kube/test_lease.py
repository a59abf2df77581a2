"""One holder at a time, though clocks differ and answers are lost."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest
import virtual_time
from hypothesis import given, settings
from hypothesis import strategies as st
from kube.server import FakeApi, status

from fullcrew import errors
from fullcrew.kube import Lease, Reply

PLACE = "/apis/coordination.k8s.io/v1/namespaces/ns/leases/sched"
DOWN = errors.Unreachable("http://fake", problem="down")


@dataclass
class Line:
    """One contender's way to the server: it may be down, slow, or lose answers."""

    api: FakeApi
    is_down: bool = False
    loses: Callable[[], bool] = lambda: False
    seconds: Callable[[], float] = lambda: 0.0

    async def request(
        self, method: str, path: str, *, body: bytes | None = None, seconds: float = 30.0
    ) -> Reply:
        try:
            return await asyncio.wait_for(self._send(method, path, body), seconds)
        except TimeoutError as error:
            raise DOWN from error

    async def _send(self, method: str, path: str, body: bytes | None) -> Reply:
        await asyncio.sleep(self.seconds() / 2)
        if self.is_down:
            raise DOWN
        reply = await self.api.request(method, path, body=body)
        await asyncio.sleep(self.seconds() / 2)
        if self.loses():
            raise DOWN
        return reply


@dataclass
class Contest:
    """Two contenders for one lease of 15, 10 and 2 seconds, in virtual time."""

    api: FakeApi = field(default_factory=FakeApi)

    def __post_init__(self) -> None:
        self.lines = (Line(self.api), Line(self.api))

    def play(self, scenario: Callable[[Lease, Lease], Awaitable[None]]) -> None:
        """`a` holds the lease when it begins; `b` wants it."""

        async def run() -> None:
            a, b = (self._contender(number) for number in range(2))
            with_a = asyncio.ensure_future(a.run())
            await a.held()
            with_b = asyncio.ensure_future(b.run())
            await scenario(a, b)
            await ended(with_a, with_b)

        virtual_time.run(run())

    def play_alone(self, scenario: Callable[[Lease], Awaitable[None]]) -> None:
        """`a` holds the lease when it begins, and nobody else is there."""

        async def run() -> None:
            a = self._contender(0)
            with_a = asyncio.ensure_future(a.run())
            await a.held()
            await scenario(a)
            await ended(with_a)

        virtual_time.run(run())

    def _contender(self, number: int) -> Lease:
        clock = asyncio.get_running_loop().time
        return Lease(self.lines[number], "ns", "sched", "ab"[number], clock=clock)

    @property
    def spec(self) -> dict[str, object]:
        found: dict[str, object] = self.api.objects[PLACE]["spec"]
        return found


async def ended(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def now() -> float:
    return asyncio.get_running_loop().time()


def test_the_first_contender_keeps_it_and_the_second_waits() -> None:
    contest = Contest()

    async def scenario(a: Lease, b: Lease) -> None:
        await asyncio.sleep(600)
        assert (a.is_held, b.is_held, b.holder) == (True, False, "a")

    contest.play(scenario)

    assert (contest.spec["leaseTransitions"], contest.spec["leaseDurationSeconds"]) == (0, 15)


def test_a_holder_cut_off_stops_at_its_deadline_and_only_later_another_begins() -> None:
    contest = Contest()

    async def scenario(a: Lease, b: Lease) -> None:
        await asyncio.sleep(60)
        contest.lines[0].is_down = True
        await a.lost()
        lost_at = now()
        assert not b.is_held
        await b.held()
        assert 5 <= now() - lost_at < 8

    contest.play(scenario)

    assert (contest.spec["holderIdentity"], contest.spec["leaseTransitions"]) == ("b", 1)


def test_what_counts_is_the_moment_before_the_request_was_sent() -> None:
    contest = Contest()
    contest.lines[0].seconds = lambda: 3.0

    async def scenario(a: Lease) -> None:
        assert a.held_seconds == pytest.approx(10 - 3)

    contest.play_alone(scenario)


def test_a_released_lease_is_taken_at_once() -> None:
    contest = Contest()

    async def scenario(a: Lease, b: Lease) -> None:
        await asyncio.sleep(5)
        await a.release()
        released_at = now()
        assert not a.is_held
        await b.held()
        assert now() - released_at <= 2

    contest.play(scenario)


def test_a_released_lease_names_nobody_and_expires_soon() -> None:
    contest = Contest()

    async def scenario(a: Lease) -> None:
        await a.release()
        await a.release()

    contest.play_alone(scenario)

    assert (contest.spec["holderIdentity"], contest.spec["leaseDurationSeconds"]) == ("", 1)


def test_who_finds_another_holder_stops_at_once() -> None:
    contest = Contest()

    async def scenario(a: Lease) -> None:
        document = contest.api.objects[PLACE]
        document["spec"]["holderIdentity"] = "c"
        contest.api.add(PLACE, document)
        await asyncio.wait_for(a.lost(), 3)
        assert a.holder == "c"

    contest.play_alone(scenario)


def test_a_lease_that_somebody_deleted_is_made_anew() -> None:
    contest = Contest()

    async def scenario(a: Lease) -> None:
        contest.api.remove(PLACE)
        await asyncio.sleep(5)
        assert a.is_held

    contest.play_alone(scenario)

    assert contest.spec["holderIdentity"] == "a"


def test_what_others_wrote_beside_it_stays() -> None:
    contest = Contest()
    metadata = {"name": "sched", "namespace": "ns", "labels": {"a": "b"}}
    contest.api.add(PLACE, {"metadata": metadata, "spec": {"strategy": "OldestEmulationVersion"}})

    async def scenario(_: Lease) -> None:
        await asyncio.sleep(10)

    contest.play_alone(scenario)

    assert contest.api.objects[PLACE]["metadata"]["labels"] == {"a": "b"}
    assert contest.spec["strategy"] == "OldestEmulationVersion"


def test_a_write_that_was_carried_out_though_its_answer_was_lost_is_recognised() -> None:
    contest = Contest()
    lost = iter([True])
    contest.lines[0].loses = lambda: next(lost, False)

    async def scenario(_: Lease) -> None:
        assert now() < 5

    contest.play_alone(scenario)


def test_trouble_is_told_and_passes() -> None:
    contest = Contest()

    async def scenario(a: Lease) -> None:
        contest.api.fail("PUT", *[Reply(403, status(403))] * 2)
        await asyncio.sleep(2.5)
        assert isinstance(a.trouble, errors.Forbidden)
        await asyncio.sleep(5)
        assert a.trouble is None
        assert a.is_held

    contest.play_alone(scenario)


def test_seconds_that_cannot_be_kept_are_refused() -> None:
    with pytest.raises(errors.BadInput, match="cannot be kept"):
        Lease(FakeApi(), "ns", "sched", "a", duration=5, renew_deadline=10)


@pytest.mark.slow
@settings(max_examples=30)
@given(st.integers(0, 1 << 30))
def test_never_two_holders_and_never_less_than_the_gap_between_them(seed: int) -> None:
    chance = random.Random(seed)
    contest = Contest()
    for line in contest.lines:
        line.loses = lambda: chance.random() < 0.1
        line.seconds = lambda: chance.choice([0.01, 0.5, 4.0])
    held: list[tuple[float, str]] = []

    async def scenario(a: Lease, b: Lease) -> None:
        for _ in range(300):
            await asyncio.sleep(1)
            contest.lines[0].is_down = chance.random() < 0.5
            contest.lines[1].is_down = chance.random() < 0.5
            held.extend((now(), each.identity) for each in (a, b) if each.is_held)

    contest.play(scenario)

    turns = [(t, u, who, by) for (t, who), (u, by) in itertools.pairwise(held)]
    assert [(who, by, u - t) for t, u, who, by in turns if who != by and u - t < 5 - 1] == []
