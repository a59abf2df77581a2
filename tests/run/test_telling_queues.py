"""What is written on queues; in virtual time."""

from __future__ import annotations

import given
from run import virtual
from run.telling_to import told_to

from fullcrew.dialects import volcano

RUNNING = given.status(phase=volcano.WORDS.running, running=1)


def test_a_queue_is_told_its_groups_and_what_they_have_and_that_once() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            marks = (given.in_group("job"), given.asking(gpu=2), given.with_uid("u"))
            pod = given.pod("w", *marks, given.on_node("n"))
            cluster.put(given.node("n", given.having(gpu=2)), given.queue("default"))
            cluster.put(given.pod_group("job", 1, RUNNING), pod)
            await virtual.passing(600)
            (written,) = cluster.written("queues")
            assert written.body["status"] == {
                "state": "Open",
                "running": 1,
                "allocated": {given.GPU: "2"},
            }

    virtual.run(story())


def test_a_queue_that_comes_or_closes_while_nothing_else_happens_is_told() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            await virtual.passing(60)
            cluster.put(given.queue("later"))
            await virtual.passing(11)
            (written,) = cluster.written("queues")
            assert written.body["status"] == {"state": "Open"}
            cluster.put(given.queue("later", given.status(state="Closing")))
            await virtual.passing(11)
            assert cluster.written("queues")[1].body["status"] == {"state": "Closed"}

    virtual.run(story())


def test_queues_that_change_all_the_time_are_written_every_ten_seconds() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.put(given.queue("default"))
            for number in range(100):
                cluster.put(given.pod_group(f"job-{number}", 1))
                await virtual.passing(1)
            assert 9 <= len(cluster.written("queues")) <= 10

    virtual.run(story())


def test_all_queues_are_told_of_one_moment() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            in_b = given.spec(queue="b")
            cluster.put(given.queue("a"), given.queue("b"), given.pod_group("one", 1, in_b))
            await virtual.passing(10.005)  # the first of them is being written
            cluster.put(given.pod_group("two", 1, in_b))
            await virtual.passing(1)
            a, b = cluster.written("queues")
            assert (a.path[-1], b.path[-1]) == ("a", "b")
            assert b.body["status"] == {"inqueue": 1, "state": "Open"}

    virtual.run(story())


def test_a_queue_that_was_refused_a_write_gets_the_next_one() -> None:
    async def story() -> None:
        async with told_to() as cluster:
            cluster.answers = [500]
            cluster.put(given.queue("default"))
            await virtual.passing(30)
            assert len(cluster.written("queues")) == 1

    virtual.run(story())
