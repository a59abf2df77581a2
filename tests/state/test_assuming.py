"""A bind takes its room before the server is asked, and a stale plan takes nothing."""

from __future__ import annotations

import pytest
from given import (
    GPU,
    Manifest,
    asking,
    changed,
    decoded,
    having,
    in_group,
    leaving,
    meta,
    node,
    on_node,
    pod,
    pod_group,
    queue,
    served_by,
    spec,
    status,
    with_uid,
)
from state.canonical import free_of, gangs_of
from state.telling import start_of, told

from fullcrew.room import Snapshot, Start
from fullcrew.state import Members, State

WORKERS = [
    pod(f"w-{at}", asking(gpu=2), in_group("train"), with_uid(f"uid-{at}")) for at in range(2)
]
CLUSTER = [node("n1", having(gpu=4)), pod_group("train", 2), *WORKERS]


def planned(*more: Manifest) -> tuple[State, Snapshot, Start]:
    """A gang of two, planned for the one node there is."""
    state = told(*CLUSTER, *more)
    snapshot = state.snapshot(0)
    return state, snapshot, start_of(snapshot, "default/train", ["n1", "n1"])


def test_an_assumed_bind_takes_its_room_at_once() -> None:
    state, snapshot, start = planned()

    assert state.assume(start, generation=snapshot.generation)

    after = state.snapshot(0)
    assert GPU not in free_of(after, "n1")
    assert after.gangs == ()
    assert state.answers.members("default/train") == Members(assumed=2)


def test_our_bind_coming_back_changes_nothing_that_a_plan_reads() -> None:
    state, snapshot, start = planned()
    state.assume(start, generation=snapshot.generation)
    before, version = state.snapshot(0), state.version

    stamped = meta(annotations={"fullcrew.io/plan": "1", "fullcrew.io/minimum": "2"})
    told(*(changed(WORKERS[at], on_node("n1"), stamped) for at in range(2)), state=state)

    assert state.snapshot(0) is before
    assert state.version == version
    assert state.answers.members("default/train") == Members(running=2)


def test_our_own_assuming_does_not_call_for_another_plan() -> None:
    state, snapshot, start = planned()
    version = state.version

    state.assume(start, generation=snapshot.generation)

    assert state.version == version


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(changed(WORKERS[0], on_node("n1")), id="a pod is bound"),
        pytest.param(changed(WORKERS[0], with_uid("other")), id="a pod was made again"),
        pytest.param(changed(WORKERS[0], leaving()), id="a pod is leaving"),
        pytest.param(changed(WORKERS[0], spec(schedulingGates=[{"name": "g"}])), id="gated"),
        pytest.param(changed(WORKERS[0], asking(gpu=1)), id="a pod asks for something else"),
        pytest.param(pod_group("train", 3), id="the minimum changed"),
        pytest.param(pod_group("train", 2, spec(queue="other")), id="the queue changed"),
        pytest.param(pod_group("train", 2, leaving()), id="the group is being deleted"),
        pytest.param(node("n1", spec(unschedulable=True)), id="the node was cordoned"),
        pytest.param(node("n1", having(gpu=3)), id="the node shrank"),
        pytest.param(pod("x", asking(gpu=1), on_node("n1"), served_by("s")), id="room taken"),
        pytest.param(queue("default", status(state="Closed")), id="the queue was closed"),
        pytest.param(queue("default", spec(capability={GPU: "3"})), id="the queue has a limit"),
    ],
)
def test_a_stale_plan_takes_nothing(change: Manifest) -> None:
    state, snapshot, start = planned()
    told(change, state=state)
    before = state.snapshot(0)

    assert not state.assume(start, generation=snapshot.generation)

    assert state.snapshot(0) is before


def test_a_plan_is_stale_when_its_node_is_gone() -> None:
    state, snapshot, start = planned()
    state.drop(decoded(node("n1")))

    assert not state.assume(start, generation=snapshot.generation)


def test_a_plan_is_stale_when_a_member_that_it_counted_is_gone() -> None:
    running = pod("w-2", asking(gpu=0), in_group("train"), on_node("n1"))
    state, snapshot, start = planned(running, pod_group("train", 3))
    state.drop(decoded(running))

    assert not state.assume(start, generation=snapshot.generation)


def test_a_member_that_came_since_does_not_make_a_plan_stale() -> None:
    state, snapshot, start = planned()
    told(pod("w-9", in_group("train")), state=state)

    assert state.assume(start, generation=snapshot.generation)


def test_a_bind_that_will_not_happen_gives_its_room_back() -> None:
    state, snapshot, start = planned()
    state.assume(start, generation=snapshot.generation)
    version = state.version

    state.forget("default/w-0", "uid-0")

    after = state.snapshot(0)
    assert free_of(after, "n1")[GPU] == 2
    assert gangs_of(after)["default/train"].is_wounded
    assert state.version > version


def test_a_bind_that_went_elsewhere_takes_its_room_there() -> None:
    state, snapshot, start = planned(node("n2", having(gpu=4)))
    state.assume(start, generation=snapshot.generation)

    state.moved("default/w-0", "uid-0", "n2")

    after = state.snapshot(0)
    assert (free_of(after, "n1")[GPU], free_of(after, "n2")[GPU]) == (2, 2)


def test_a_status_that_is_written_meanwhile_leaves_the_bind_assumed() -> None:
    state, snapshot, start = planned()
    state.assume(start, generation=snapshot.generation)

    told(changed(WORKERS[0], status(conditions=[{"type": "PodScheduled"}])), state=state)

    assert state.holds("default/w-0", "uid-0")


def test_a_bind_holds_while_it_is_assumed() -> None:
    state, snapshot, start = planned()
    assert not state.holds("default/w-0", "uid-0")

    state.assume(start, generation=snapshot.generation)

    assert state.holds("default/w-0", "uid-0")
    assert not state.holds("default/w-0", "another")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(node("n1", having(gpu=3)), id="the node shrank"),
        pytest.param(pod("x", asking(gpu=1), on_node("n1"), served_by("s")), id="room taken"),
        pytest.param(changed(WORKERS[0], leaving()), id="the pod is leaving"),
        pytest.param(queue("default", spec(capability={GPU: "3"})), id="the queue has a limit"),
    ],
)
def test_a_bind_holds_no_more(change: Manifest) -> None:
    state, snapshot, start = planned()
    state.assume(start, generation=snapshot.generation)

    told(change, state=state)

    assert not state.holds("default/w-0", "uid-0")


def test_what_others_take_of_another_resource_does_not_matter() -> None:
    state, snapshot, start = planned()
    state.assume(start, generation=snapshot.generation)

    told(pod("x", asking(cpu="99"), on_node("n1"), served_by("s")), state=state)

    assert state.holds("default/w-0", "uid-0")


def test_a_pod_that_is_gone_is_not_bound_and_takes_nothing() -> None:
    state, snapshot, start = planned()
    state.assume(start, generation=snapshot.generation)

    state.drop(decoded(WORKERS[0]))

    assert not state.holds("default/w-0", "uid-0")
    assert free_of(state.snapshot(0), "n1")[GPU] == 2


def test_a_late_word_about_an_earlier_pod_of_the_name_changes_nothing() -> None:
    state, snapshot, start = planned()
    state.assume(start, generation=snapshot.generation)

    state.drop(decoded(pod("w-0", with_uid("earlier"))))
    state.forget("default/w-0", "earlier")

    assert state.holds("default/w-0", "uid-0")
