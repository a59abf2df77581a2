"""What is written on groups and pods, when, and how often; in virtual time."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from functools import wraps

import given
import pytest
from run import virtual
from run.telling_to import Cluster, short, told_to

from fullcrew.launch import HeldUp
from fullcrew.model.reason import Kind, Reason, Stage

GROUP = given.pod_group("job", 3)
PODS = [given.pod(f"job-{n}", given.in_group("job"), given.with_uid(f"u-{n}")) for n in range(3)]
NAMES = ["job-0", "job-1", "job-2"]
UNANSWERED = Reason(Stage.BINDING, Kind.UNSETTLED, "no answer yet")
TOO_FEW = Reason(Stage.ADMISSION, Kind.TOO_FEW_PODS, "0 of 3 pods are there")

Story = Callable[[Cluster], Awaitable[None]]


def in_virtual_time(story: Story) -> Callable[[], None]:
    """Runs a test on a cluster whose groups have no status resource, in virtual time."""

    @wraps(story)
    def told() -> None:
        async def tell() -> None:
            async with told_to() as cluster:
                await story(cluster)

        virtual.run(tell())

    del told.__dict__["__wrapped__"]  # pytest would ask for what the story takes
    return told


def running(pod: given.Manifest) -> given.Manifest:
    """The same pod on a node."""
    name = pod["metadata"]["name"]
    return given.pod(name, given.in_group("job"), given.on_node("n"), given.meta(uid=f"{name}-u"))


async def waiting(cluster: Cluster, reason: Reason | None = None) -> None:
    """The gang is there and waits."""
    cluster.put(given.node("n"), GROUP, *PODS)
    cluster.plan(cluster.wait("default/job", reason or short(), *NAMES))


@in_virtual_time
async def test_a_namesake_of_a_group_that_is_gone_is_written_as_late_as_any(
    cluster: Cluster,
) -> None:
    await waiting(cluster)
    await virtual.passing(3)
    cluster.drop(GROUP, *PODS)
    cluster.plan()
    await virtual.passing(1)
    cluster.writes.clear()

    await waiting(cluster)
    await virtual.passing(1.9)

    assert cluster.writes == []


def test_who_leads_no_more_writes_nothing_more() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            await waiting(cluster)
            while not len(cluster.teller.groups):  # until a write is on its way
                await virtual.passing(0.001)
        await virtual.passing(5)
        assert cluster.writes == []

    virtual.run(story())


@in_virtual_time
async def test_a_gang_that_waits_is_written_after_two_seconds(cluster: Cluster) -> None:
    await waiting(cluster)

    await virtual.passing(1.9)
    before = list(cluster.writes)
    await virtual.passing(0.5)

    assert before == []
    (written,) = cluster.written()
    assert written.phase == "Inqueue"
    reason = json.loads(written.body["metadata"]["annotations"]["fullcrew.io/reason"])
    assert reason["numbers"] == {"gpu": 2}


@in_virtual_time
async def test_a_gang_that_starts_in_time_is_never_written_as_waiting(cluster: Cluster) -> None:
    await waiting(cluster)
    await virtual.passing(1.0)

    cluster.plan()
    cluster.put(*map(running, PODS))
    await virtual.passing(60)

    (written,) = cluster.written()
    assert written.phase == "Running"
    assert cluster.written("pods") == []


@in_virtual_time
async def test_while_nothing_changes_nothing_is_written(cluster: Cluster) -> None:
    await waiting(cluster)
    await virtual.passing(10)
    before = len(cluster.writes), len(cluster.events)

    for _ in range(10):
        cluster.plan(cluster.wait("default/job", short(), *NAMES))
        await virtual.passing(60)

    assert (len(cluster.writes), len(cluster.events)) == before


@in_virtual_time
async def test_numbers_are_written_every_half_minute_at_most(cluster: Cluster) -> None:
    await waiting(cluster)

    for gpus in range(100):
        cluster.plan(cluster.wait("default/job", short(gpus), *NAMES))
        await virtual.passing(1)

    times = [written.at for written in cluster.written()]
    assert len(times) == 4
    assert all(later - earlier >= 30 for earlier, later in itertools.pairwise(times))
    assert len(cluster.written("pods")) == 3


@in_virtual_time
async def test_another_kind_is_written_at_once(cluster: Cluster) -> None:
    await waiting(cluster)
    await virtual.passing(5)

    cluster.plan(cluster.wait("default/job", short(kind=Kind.NOWHERE), *NAMES))
    await virtual.passing(0.3)

    assert len(cluster.written()) == 2
    assert len(cluster.events) == 2
    assert {event["reason"] for event in cluster.events} == {"Unschedulable"}


@in_virtual_time
async def test_a_kind_that_flaps_is_written_twice_a_second_at_most(cluster: Cluster) -> None:
    await waiting(cluster)

    for turn in range(1000):
        kind = Kind.SHORT if turn % 2 else Kind.NOWHERE
        cluster.plan(cluster.wait("default/job", short(kind=kind), *NAMES))
        await virtual.passing(0.01)

    assert len(cluster.written()) <= 20


@in_virtual_time
async def test_a_start_is_told_at_once_by_one_write_and_one_event(cluster: Cluster) -> None:
    cluster.put(given.node("n"), GROUP, *map(running, PODS))

    await virtual.passing(0.3)

    (written,) = cluster.written()
    assert (written.phase, written.body["status"]["running"]) == ("Running", 3)
    (event,) = cluster.events
    assert (event["type"], event["reason"]) == ("Normal", "Scheduled")
    assert event["involvedObject"]["kind"] == "PodGroup"


@in_virtual_time
async def test_a_group_is_admitted_before_its_pods_exist(cluster: Cluster) -> None:
    cluster.put(GROUP)
    cluster.plan(cluster.wait("default/job", TOO_FEW))

    await virtual.passing(0.3)

    (written,) = cluster.written()
    assert written.body["status"] == {"phase": "Inqueue"}


@in_virtual_time
async def test_a_group_without_pods_says_so_after_two_seconds(cluster: Cluster) -> None:
    cluster.put(GROUP)
    cluster.plan(cluster.wait("default/job", TOO_FEW))

    await virtual.passing(5)

    assert len(cluster.written()) == 2
    (condition,) = cluster.written()[1].body["status"]["conditions"]
    assert condition["reason"] == "NotEnoughTasks"


@in_virtual_time
async def test_nothing_is_written_while_a_launch_goes_well(cluster: Cluster) -> None:
    cluster.launching["default/job"] = None
    cluster.put(given.node("n"), GROUP, *map(running, PODS[:2]), PODS[2])

    await virtual.passing(30)

    assert cluster.writes == []


@in_virtual_time
async def test_a_bind_that_is_not_answered_is_told(cluster: Cluster) -> None:
    cluster.launching["default/job"] = HeldUp(("default/job-2",), UNANSWERED)
    cluster.put(given.node("n"), GROUP, *map(running, PODS[:2]), PODS[2])

    await virtual.passing(5)

    (written,) = cluster.written()
    assert written.phase == "Unknown"
    assert "no answer yet" in json.dumps(written.body)


@pytest.mark.parametrize("code", [409, 429, 500])
def test_a_write_that_was_refused_for_now_is_made_again(code: int) -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.answers = [code]
            cluster.put(given.node("n"), GROUP, *map(running, PODS))
            await virtual.passing(5)
            assert [written.phase for written in cluster.written()] == ["Running"]

    virtual.run(story())


@in_virtual_time
async def test_a_write_that_is_not_accepted_is_not_repeated_all_the_time(cluster: Cluster) -> None:
    cluster.answers = [422] * 100
    cluster.put(given.node("n"), GROUP, *map(running, PODS))

    await virtual.passing(600)

    assert 85 <= len(cluster.answers) <= 95


def test_where_the_status_is_a_resource_a_reason_takes_two_writes_and_a_start_one() -> None:
    async def story() -> None:
        async with told_to(has_status=True) as cluster:
            await waiting(cluster)
            await virtual.passing(5)
            kinds = [("status" in w.body, w.path.endswith("/status")) for w in cluster.written()]
            assert kinds == [(True, True), (False, False)]
            cluster.plan()
            cluster.put(*map(running, PODS))
            await virtual.passing(5)
            assert [w.phase for w in cluster.written()] == ["Inqueue", "", "Running", ""]

    virtual.run(story())


def test_a_new_process_writes_nothing_on_a_cluster_that_was_told_all() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            await waiting(cluster)
            await virtual.passing(30)
            before = len(cluster.writes), len(cluster.events)
            cluster.restart()
            again = asyncio.create_task(cluster.teller.run())
            cluster.plan(cluster.wait("default/job", short(), *NAMES))
            await virtual.passing(30)
            again.cancel()
            assert (len(cluster.writes), len(cluster.events)) == before

    virtual.run(story())


@in_virtual_time
async def test_what_was_written_is_not_written_again_before_it_is_seen(cluster: Cluster) -> None:
    cluster.put(given.node("n"), GROUP, *map(running, PODS))
    cluster.lag_seconds = 5.0

    for _ in range(100):
        cluster.teller.look_soon("default/job")
        await virtual.passing(0.1)

    assert len(cluster.written()) == 1


@in_virtual_time
async def test_a_write_that_is_never_seen_is_made_again_after_a_while(cluster: Cluster) -> None:
    cluster.put(given.node("n"), GROUP, *map(running, PODS))
    cluster.lag_seconds = 1e6

    await virtual.passing(15)

    assert cluster.metrics.value("status_writes_total", object="group", outcome="conflict") > 0


def test_a_new_process_writes_nothing_before_its_first_plan() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            await waiting(cluster)
            await virtual.passing(30)
            before = len(cluster.writes), len(cluster.events)
            cluster.restart()
            cluster.is_planning = False
            again = asyncio.create_task(cluster.teller.run())
            await virtual.passing(30)
            cluster.plan(cluster.wait("default/job", short(), *NAMES))
            await virtual.passing(30)
            again.cancel()
            assert (len(cluster.writes), len(cluster.events)) == before

    virtual.run(story())


@in_virtual_time
async def test_a_group_is_not_admitted_before_a_plan_has_seen_it(cluster: Cluster) -> None:
    closed = Reason(Stage.ADMISSION, Kind.CLOSED_QUEUE, "its queue is closed")
    cluster.plan()
    cluster.is_planning = False
    cluster.put(GROUP)

    await virtual.passing(5)
    cluster.plan(cluster.wait("default/job", closed))
    await virtual.passing(5)

    assert [written.phase for written in cluster.written()] == ["Pending"]


@in_virtual_time
async def test_a_gang_whose_start_was_dropped_keeps_its_reason(cluster: Cluster) -> None:
    await waiting(cluster)
    await virtual.passing(5)
    before = len(cluster.writes)

    cluster.plan(stale="default/job")
    await virtual.passing(5)
    cluster.plan(cluster.wait("default/job", short(), *NAMES))
    await virtual.passing(5)

    assert len(cluster.writes) == before


@in_virtual_time
async def test_who_stops_tells_what_has_started_without_another_plan(cluster: Cluster) -> None:
    await waiting(cluster)
    await virtual.passing(5)
    cluster.launching["default/job"] = None
    cluster.plan()
    cluster.is_planning, cluster.teller.plans_no_more = False, True

    cluster.put(*map(running, PODS))
    cluster.launching.clear()
    await virtual.passing(5)

    assert cluster.written()[-1].phase == "Running"
