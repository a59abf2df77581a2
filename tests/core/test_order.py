"""Who comes first: wounded gangs, then queues by level, in a queue priority, age, name."""

from __future__ import annotations

from core.columns import Pods, gang, placed, planned, snapshot, waiting

from fullcrew.model.gang import Queue

ONE = Pods(1, (1, 0))


def test_in_a_queue_priority_comes_before_age_and_age_before_name() -> None:
    given = snapshot(
        {"n": (110, 3, 0)},
        gang("b", ONE, created=5),
        gang("a", ONE, created=5),
        gang("c", ONE, created=1),
        gang("d", ONE, created=9, priority=1),
    )

    plan = planned(given)

    assert list(placed(plan)) == ["d", "c", "a"]
    assert waiting(plan) == {"b": "placement short"}


def test_a_wounded_gang_comes_before_everybody_and_gets_all_it_lacks_or_nothing() -> None:
    given = snapshot(
        {"n": (110, 2, 0)},
        gang("a", Pods(2, (1, 0)), priority=9),
        gang("hurt", Pods(2, (1, 0)), live=1),
        gang("worse", Pods(3, (1, 0)), live=1),
    )

    plan = planned(given)

    assert placed(plan) == {"hurt": {"n": 2}}
    assert set(waiting(plan)) == {"a", "worse"}


def test_queues_end_within_one_gang_of_their_weights() -> None:
    queues = [Queue("heavy", weight=5), Queue("one"), Queue("two")]
    gangs = [
        gang(f"{queue.name}-{at}", Pods(2, (1, 0)), queue=queue.name)
        for queue in queues
        for at in range(8)
    ]

    plan = planned(snapshot({"n": (110, 14, 0)}, *gangs, queues=queues))

    starts = [name.split("-")[0] for name in placed(plan)]
    assert {queue.name: starts.count(queue.name) for queue in queues} == {
        "heavy": 5, "one": 1, "two": 1,
    }  # fmt: skip


def test_a_head_that_does_not_fit_stops_nobody() -> None:
    queues = [Queue("c1"), Queue("c2")]
    given = snapshot(
        {"n": (110, 2, 0)},
        gang("huge", Pods(1, (3, 0)), queue="c1"),
        gang("small", Pods(1, (1, 0)), queue="c2"),
        gang("later", Pods(1, (1, 0)), queue="c1", created=7),
        queues=queues,
    )

    plan = planned(given)

    assert set(placed(plan)) == {"small", "later"}


def test_growth_comes_after_every_minimum_and_pods_without_requests_last() -> None:
    given = snapshot(
        {"n": (4, 4, 0)},
        gang("elastic", Pods(4, (1, 0)), minimum=1),
        gang("idle", Pods(1, (0, 0)), priority=9),
        gang("late", Pods(2, (1, 0)), created=8),
    )

    plan = planned(given)

    assert placed(plan) == {"elastic": {"n": 2}, "late": {"n": 2}}
    assert waiting(plan) == {"elastic": "placement short", "idle": "placement short"}


def test_growth_is_shared_between_queues() -> None:
    queues = [Queue("a"), Queue("b")]
    given = snapshot(
        {"n": (110, 10, 0)},
        gang("a1", Pods(10, (1, 0)), minimum=1, queue="a"),
        gang("b1", Pods(10, (1, 0)), minimum=1, queue="b"),
        queues=queues,
    )

    assert placed(planned(given)) == {"a1": {"n": 5}, "b1": {"n": 5}}


def test_a_closed_queue_mends_and_starts_nothing_fresh() -> None:
    queues = [Queue("shut", is_open=False, state="Closing")]
    given = snapshot(
        {"n": (110, 9, 0)},
        gang("fresh", ONE, queue="shut"),
        gang("hurt", ONE, live=1, queue="shut"),
        gang("grows", ONE, live=1, minimum=1, queue="shut"),
        queues=queues,
    )

    plan = planned(given)

    assert placed(plan) == {"hurt": {"n": 1}}
    assert waiting(plan) == {
        "fresh": "admission closed-queue", "grows": "admission closed-queue",
    }  # fmt: skip
