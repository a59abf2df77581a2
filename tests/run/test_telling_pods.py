"""What is written on pods that wait; in virtual time."""

from __future__ import annotations

import asyncio

import given
from run import virtual
from run.telling_to import Cluster, short, told_to

from fullcrew.launch import HeldUp, Rest
from fullcrew.model.reason import Kind, Reason, Stage

FAILED = "status_writes_total"
NO_ANSWER = Reason(Stage.BINDING, Kind.UNSETTLED, "no answer yet")
REFUSED = Reason(Stage.BINDING, Kind.REFUSED, "the server's words")
CLOSED = Reason(Stage.ADMISSION, Kind.CLOSED_QUEUE, "queue q is closed")


def pods(count: int, *parts: given.Manifest) -> list[given.Manifest]:
    """Pods p-0, p-1 and so on."""
    return [given.pod(f"p-{n}", given.with_uid(f"u-{n}"), *parts) for n in range(count)]


def words(cluster: Cluster) -> list[tuple[str, str]]:
    """Name of the pod, and the reason that was written on it."""
    return [
        (written.path.split("/")[6], written.body["status"]["conditions"][0]["reason"])
        for written in cluster.written("pods")
    ]


def test_each_pod_of_a_gang_is_told_once_and_again_when_the_kind_changes() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(given.pod_group("job", 2), *pods(2, given.in_group("job")))
            for reason in (short(2), short(3), CLOSED, CLOSED):
                cluster.plan(cluster.wait("default/job", reason, "p-0", "p-1"))
                await virtual.passing(5)
            assert words(cluster) == [
                ("p-0", "Unschedulable"),
                ("p-1", "Unschedulable"),
                ("p-0", "Admission"),
                ("p-1", "Admission"),
            ]

    virtual.run(story())


def test_ten_thousand_pods_are_told_at_a_bounded_rate() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            names = [f"p-{n}" for n in range(2000)]
            cluster.put(given.pod_group("job", 2), *pods(2000, given.in_group("job")))
            cluster.plan(cluster.wait("default/job", short(), *names))
            await virtual.passing(4)
            assert 300 <= len(cluster.written("pods")) <= 500

    virtual.run(story())


def test_a_pod_that_was_bound_and_we_were_not_told_yet_does_not_say_that_it_waits() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(given.node("n"), *pods(2))
            cluster.plan(*(cluster.wait(f"default/p-{n}", short(), f"p-{n}") for n in range(2)))
            cluster.lag_seconds = 10.0
            cluster.put(*pods(1, given.on_node("n")))
            await virtual.passing(20)
            assert words(cluster) == [("p-1", "Unschedulable")]
            assert cluster.metrics.value(FAILED, object="pod", outcome="failed") < 200

    virtual.run(story())


def test_a_pod_that_was_bound_meanwhile_is_left_alone() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(given.node("n"), *pods(1))
            cluster.plan(cluster.wait("default/p-0", short(), "p-0", minimum=1))
            await virtual.passing(1.5)
            cluster.put(given.pod("p-0", given.with_uid("u-0"), given.on_node("n")))
            await virtual.passing(5)
            assert cluster.written("pods") == []

    virtual.run(story())


def test_a_pod_of_its_own_gets_an_event_and_a_gangs_pods_do_not() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(*pods(1))
            cluster.plan(cluster.wait("default/p-0", short(), "p-0", minimum=1))
            await virtual.passing(5)
            (event,) = cluster.events
            assert (event["type"], event["reason"]) == ("Warning", "FailedScheduling")
            assert event["involvedObject"]["name"] == "p-0"

    virtual.run(story())


def test_the_event_of_a_gang_without_an_object_goes_to_a_pod_that_is_written() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            gang = given.in_labelled_group("job", 2)
            gated, free = pods(2, gang)
            gated["spec"]["schedulingGates"] = [{"name": "g"}]
            cluster.put(gated, free)
            cluster.plan(cluster.wait("default/job", short(), "p-0", "p-1"))
            await virtual.passing(5)
            assert [event["involvedObject"]["name"] for event in cluster.events] == ["p-1"]

    virtual.run(story())


def test_what_the_pod_says_already_is_not_written_again_after_a_restart() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            said = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
            cluster.put(*pods(1, given.status(conditions=[said])))
            cluster.plan(cluster.wait("default/p-0", short(), "p-0", minimum=1))
            await virtual.passing(5)
            assert cluster.written("pods") == []

    virtual.run(story())


def test_a_gated_pod_says_itself_why_it_waits() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(*pods(1, given.spec(schedulingGates=[{"name": "g"}])))
            cluster.plan(cluster.wait("default/p-0", short(), "p-0", minimum=1))
            await virtual.passing(5)
            assert cluster.written("pods") == []

    virtual.run(story())


def test_pods_without_a_group_say_that_their_bind_is_not_answered() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(*pods(1))
            cluster.launching["default/p-0"] = HeldUp(("default/p-0",), NO_ANSWER)
            cluster.teller.look_soon("default/p-0")
            await virtual.passing(1.9)
            assert cluster.writes == []
            await virtual.passing(3)
            assert words(cluster) == [("p-0", "Binding")]
            assert [event["message"] for event in cluster.events] == ["no answer yet"]

    virtual.run(story())


def test_a_member_that_rests_with_its_room_says_why_though_no_plan_speaks_of_it() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(*pods(2))
            failed = Rest((("default/p-1", "u-1"),), REFUSED, keeps_room=True)
            cluster.resting.add("default/p-1", failed, now=asyncio.get_running_loop().time())
            cluster.teller.look_soon("default/p-1")
            await virtual.passing(5)
            assert words(cluster) == [("p-1", "Binding")]

    virtual.run(story())


def test_those_whose_binds_do_not_get_on_are_counted_among_the_waiting() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(*pods(2))
            cluster.launching["default/p-0"] = HeldUp(("default/p-0",), NO_ANSWER)
            cluster.plan(cluster.wait("default/p-1", short(), "p-1", minimum=1))
            cluster.teller.look_soon("default/p-0")
            await virtual.passing(1)
            each = {("binding", "unsettled"): 1, ("placement", "short"): 1}
            assert cluster.teller.waiting() == (each, each)
            cluster.launching.clear()
            await virtual.passing(10)
            left = {("placement", "short"): 1}
            assert cluster.teller.waiting() == (left, left)

    virtual.run(story())
