"""Queues as they are judged, whichever project's object tells of them."""

from __future__ import annotations

import pytest
from given import (
    GPU,
    Manifest,
    annotated,
    asking,
    decoded,
    leaving,
    node,
    on_node,
    pod,
    queue,
    spec,
    status,
)
from state.telling import told

from fullcrew.model.amounts import NO_LIMIT
from fullcrew.model.gang import Queue
from fullcrew.state import State


def judged(state: State, name: str) -> Queue:
    return next(each for each in state.snapshot(0).queues if each.name == name)


def test_a_queue_default_exists_without_an_object() -> None:
    assert State().snapshot(0).queues == (Queue("default"),)
    assert State(default_queue="mine").snapshot(0).queues == (Queue("mine"),)


def test_queues_stand_in_the_order_of_their_names() -> None:
    state = told(queue("z"), queue("b"), queue("a"))

    assert [each.name for each in state.snapshot(0).queues] == ["a", "b", "default", "z"]


@pytest.mark.parametrize(
    ("part", "is_open"),
    [
        ({}, True),
        (status(state="Open"), True),
        (status(state="Closed"), False),
        (status(state="Closing"), False),
        (status(state="Unknown"), False),
        (status(state="Bogus"), False),
        (status(state="closed"), False),
        (spec(state="Closed"), False),
        (leaving(), False),
    ],
)
def test_a_queue_is_open_unless_it_says_otherwise(part: Manifest, *, is_open: bool) -> None:
    assert judged(told(queue("q", part)), "q").is_open == is_open


@pytest.mark.parametrize(
    ("part", "told_of"),
    [
        (status(state="closed"), "queue q: status.state: 'closed' is none of Open"),
        (spec(state="Bogus"), "queue q: spec.state: 'Bogus' is none of Open"),
        (spec(deserved={"cpu": "zz"}), "queue q: spec.deserved.cpu: 'zz' where an amount belongs"),
        (
            spec(guarantee={"resource": {"cpu": "-1"}}),
            "queue q: spec.guarantee.resource.cpu: '-1' where an amount belongs",
        ),
    ],
)
def test_a_queue_that_says_what_cannot_be_starts_nothing(part: Manifest, told_of: str) -> None:
    fault = judged(told(queue("q", part)), "q").fault

    assert fault is not None
    assert fault.message.startswith(told_of)


@pytest.mark.parametrize(("weight", "counts"), [(None, 1), (0, 1), (7, 7)])
def test_a_weight_of_nothing_is_one(weight: int | None, counts: int) -> None:
    assert judged(told(queue("q", spec(weight=weight))), "q").weight == counts


def test_the_capability_is_a_hard_limit_on_what_it_names_though_nobody_asks_for_it() -> None:
    state = told(queue("q", spec(capability={GPU: "3", "cpu": "500m"})), pod("a", asking(gpu=1)))

    snapshot = state.snapshot(0)

    limit = dict(zip(snapshot.resources, snapshot.room.limit.T[1].tolist(), strict=True))
    assert limit == {"pods": NO_LIMIT, GPU: 3, "cpu": 500}


def test_of_several_objects_of_one_name_volcanos_counts() -> None:
    state = told(queue("q", weight=5, dialect="sigs"), queue("q", weight=3, dialect="kube-batch"))
    assert judged(state, "q").weight == 3

    told(queue("q", weight=2), state=state)
    assert judged(state, "q").weight == 2

    state.drop(decoded(queue("q")))
    assert judged(state, "q").weight == 3


def test_a_faulty_queue_carries_its_fault() -> None:
    fault = judged(told(queue("q", spec(capability={"cpu": "-1"}))), "q").fault

    assert fault is not None
    assert "spec.capability.cpu" in fault.message


def test_the_use_of_a_queue_stays_with_it_when_others_come_and_go() -> None:
    state = told(node("n1"), pod("a", on_node("n1")), queue("aa"), queue("zz"))
    assert state.snapshot(0).room.used.tolist() == [[0, 1, 0]]

    state.drop(decoded(queue("aa")))

    assert state.snapshot(0).room.used.tolist() == [[1, 0]]


def test_a_queue_that_is_gone_takes_its_use_along() -> None:
    bound = pod("a", annotated({"scheduling.volcano.sh/queue-name": "q"}), on_node("n1"))
    state = told(node("n1"), queue("q"), bound)
    assert state.snapshot(0).room.used.tolist() == [[0, 1]]

    state.drop(decoded(queue("q")))

    assert state.snapshot(0).room.used.tolist() == [[0]]
