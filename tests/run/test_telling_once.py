"""What goes wrong or changes to and fro while statuses are written; in virtual time."""

from __future__ import annotations

import given
import pytest
from run import virtual
from run.telling_to import Cluster, short, told_to

from fullcrew.model.reason import Kind

GROUP = given.pod_group("job", 3)
NAMES = [f"job-{n}" for n in range(3)]
PODS = [given.pod(name, given.in_group("job"), given.with_uid(f"u-{name}")) for name in NAMES]
RUNNING = [
    given.pod(name, given.in_group("job"), given.on_node("n"), given.with_uid(f"u-{name}"))
    for name in NAMES
]


async def waits_and_runs(cluster: Cluster, *answers: int) -> list[str]:
    """It waits and says so; then it runs, and the server answers those writes so. The reasons of
    the events of type Normal."""
    cluster.put(given.node("n"), GROUP, *PODS)
    cluster.plan(cluster.wait("default/job", short(), *NAMES))
    await virtual.passing(5)
    cluster.answers = list(answers)
    cluster.plan()
    cluster.put(*RUNNING)
    await virtual.passing(30)
    return [event["reason"] for event in cluster.events if event["type"] == "Normal"]


@pytest.mark.parametrize("answers", [(), (500,), (200, 500)], ids=["none", "1st", "2nd"])
@pytest.mark.parametrize("has_status", [True, False])
def test_a_start_is_told_by_one_event_whichever_write_fails(
    answers: tuple[int, ...],
    has_status: bool,  # noqa: FBT001
) -> None:
    async def story() -> None:
        async with told_to(has_status=has_status) as cluster:
            assert await waits_and_runs(cluster, *answers) == ["Scheduled"]

    virtual.run(story())


@pytest.mark.parametrize("has_status", [True, False])
def test_a_start_whose_write_was_done_without_an_answer_is_told_by_one_event(
    has_status: bool,  # noqa: FBT001
) -> None:
    async def story() -> None:
        async with told_to(has_status=has_status) as cluster:
            cluster.loses_answers = 1
            assert await waits_and_runs(cluster) == ["Scheduled"]

    virtual.run(story())


def test_two_reasons_that_take_turns_are_told_ever_more_seldom() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(given.node("n"), GROUP, *PODS)
            for turn in range(600):
                kind = Kind.SHORT if turn % 2 else Kind.NOWHERE
                cluster.plan(cluster.wait("default/job", short(kind=kind), *NAMES))
                await virtual.passing(0.25)
            assert len(cluster.events) == 2
            assert len(cluster.written()) <= 10
            assert len(cluster.written("pods")) <= 30

    virtual.run(story())


def test_a_pod_of_its_own_whose_reasons_take_turns_gets_an_event_for_each_kind() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(PODS[0] | {"metadata": {**PODS[0]["metadata"], "annotations": {}}})
            for turn in range(600):
                kind = Kind.SHORT if turn % 2 else Kind.NOWHERE
                cluster.plan(cluster.wait("default/job-0", short(kind=kind), "job-0", minimum=1))
                await virtual.passing(0.25)
            assert len(cluster.events) == 2
            assert len(cluster.written("pods")) <= 10

    virtual.run(story())


def test_writes_that_fail_are_logged_once_for_each_object_and_code() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.answers = [403] * 1000
            cluster.put(given.node("n"), given.queue("default"), GROUP, *PODS)
            cluster.plan(cluster.wait("default/job", short(), *NAMES))
            await virtual.passing(600)
            log = cluster.log.getvalue()
            for what in ("group", "pod", "queue"):
                assert log.count(f"status not written object={what} code=403") == 1, log

    virtual.run(story())
