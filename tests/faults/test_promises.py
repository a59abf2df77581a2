"""The judge finds each way to break a promise.

A judge that cannot find fault is worth nothing: whatever a test on a real cluster relies on must
have been seen to fail here.
"""

from __future__ import annotations

from faults.telling import History, started, two_of_two, wounded
from real import history, promises


def faults_of(told: History) -> list[str]:
    """What the judge has against it."""
    return [f"{v.promise} {v.gang}: {v.how}" for v in promises.judge(told.events).violations]


def test_a_binding_without_a_stamp_is_found() -> None:
    told = two_of_two()

    told.bind("a", "n1")
    told.bind("b", "n2")

    assert faults_of(told) == [
        "1 ns/g: ns/a was bound without a stamp",
        "1 ns/g: ns/b was bound without a stamp",
    ]


def test_a_minimum_that_is_not_the_groups_is_found() -> None:
    told = two_of_two()

    told.bind("a", "n1", minimum=1)
    told.bind("b", "n2", minimum=1)

    assert faults_of(told) == ["1 ns/g: stamped with a minimum of 1; its group asks 2"]


def test_a_group_that_had_changed_long_before_is_found() -> None:
    told = two_of_two()

    told.group("g", minimum=3)
    told.pods("", "something else")
    told.bind("a", "n1", minimum=2)
    told.bind("b", "n2", minimum=2)

    assert faults_of(told) == ["1 ns/g: stamped with a minimum of 2; its group asks 3"]


def test_a_gang_whose_group_is_not_there_is_found() -> None:
    told = History()
    told.node("n1", gpus=1)
    told.pods("g", "a")

    told.bind("a", "n1", minimum=1)

    assert faults_of(told) == [
        "1 ns/g: stamped with a minimum of 1; its group asks nothing: there is no group"
    ]


def test_a_gang_that_began_with_too_few_pods_is_found() -> None:
    told = two_of_two()
    told.group("g", minimum=3)
    told.pods("", "something else")

    told.bind("a", "n1", minimum=3)

    assert "1 ns/g: begun with 2 pods of 3" in faults_of(told)


def test_a_gated_pod_makes_no_gang_complete() -> None:
    told = History()
    told.node("n1", gpus=2)
    told.group("g", minimum=2)
    told.pods("g", "a")
    told.pod("b", {history.GROUP_NAME: "g"}, schedulingGates=[{"name": "x"}])

    told.bind("a", "n1", minimum=2)

    assert "1 ns/g: begun with 1 pods of 2" in faults_of(told)


def test_a_plan_that_did_not_fit_is_found_at_its_first_binding() -> None:
    told = two_of_two()

    told.bind("a", "n1", minimum=2)
    told.end("a")
    told.bind("b", "n1", minimum=2)

    assert faults_of(told) == [
        "1 ns/g: begun without room for its plan on n1: nvidia.com/gpu: 2 of 1"
    ]


def test_a_gang_that_began_where_only_a_part_of_it_fits_is_found() -> None:
    told = two_of_two()
    told.node("n2", gpus=0)
    told.pods("", "something else")

    told.bind("a", "n1", minimum=2)
    told.node("n2", gpus=1)
    told.bind("b", "n2", minimum=2, plan="p2")

    assert faults_of(told) == ["1 ns/g: begun with room for 1 of the 2 pods that it lacked"]


def test_a_gang_left_half_started_is_found() -> None:
    told = two_of_two()

    told.bind("a", "n1", minimum=2)

    assert faults_of(told) == ["1 ns/g: half-started: 1 of 2 bound at the end, and none was lost"]


def test_a_role_that_was_left_out_is_found() -> None:
    told = History()
    told.node("n1", gpus=2)
    told.group("g", minimum=2, ps=1, worker=1)
    told.pods("g", "ps", role="ps")
    told.pods("g", "w1", "w2", role="worker")

    told.bind("w1", "n1", minimum=2)
    told.bind("w2", "n1", minimum=2)

    assert faults_of(told) == ["1 ns/g: half-started: 2 of 2 bound at the end, and none was lost"]


def test_a_fresh_gang_that_takes_the_room_of_a_wounded_one_is_found() -> None:
    told = wounded()
    told.pods("", "x")

    told.bind("x", "n2", minimum=1)

    assert faults_of(told) == ["1 ns/x: took the room that the missing members of ns/g fit in"]


def test_a_wounded_gang_is_not_mended_with_a_made_up_minimum() -> None:
    told = wounded()

    told.bind("b", "n2", minimum=1, plan="p2")

    assert faults_of(told) == ["1 ns/g: stamped with a minimum of 1; its group asks 2"]


def test_a_gang_that_begins_again_is_judged_anew() -> None:
    told = started()
    told.gone("a")
    told.gone("b")
    told.pods("g", "a")

    told.bind("a", "n1", minimum=2, plan="p2")

    assert "1 ns/g: begun with 1 pods of 2" in faults_of(told)


def test_a_node_above_its_allocatable_is_found() -> None:
    told = two_of_two()
    told.pods("", "x")
    told.bind("x", "n1", minimum=1)

    told.bind("a", "n1", minimum=2)
    told.bind("b", "n2", minimum=2)

    assert "2 ns/g: ns/a takes n1 above its allocatable: nvidia.com/gpu: 2 of 1" in faults_of(told)


def test_a_foreign_pod_that_was_known_takes_room() -> None:
    told = two_of_two()
    told.pod("foreign", {}, schedulerName="other")
    told.bind("foreign", "n1")
    told.pods("", "something else")

    told.bind("a", "n1", minimum=2)
    told.bind("b", "n2", minimum=2)

    assert "2 ns/g: ns/a takes n1 above its allocatable: nvidia.com/gpu: 2 of 1" in faults_of(told)


def test_a_leaving_pod_takes_room_until_it_is_gone() -> None:
    told = History()
    told.node("n1", gpus=1)
    told.pods("", "old", "new")
    told.bind("old", "n1", minimum=1)
    told.leave("old")

    told.bind("new", "n1", minimum=1)

    assert "2 ns/new: ns/new takes n1 above its allocatable: nvidia.com/gpu: 2 of 1" in faults_of(
        told
    )


def test_a_node_that_does_not_exist_has_no_room() -> None:
    told = History()
    told.pods("", "x")

    told.bind("x", "n9", minimum=1)

    assert any("2 ns/x: ns/x takes n9 above its allocatable" in fault for fault in faults_of(told))


def test_more_pods_than_a_node_may_hold_are_found() -> None:
    told = History()
    told.node("n1", gpus=0)
    names = [f"p{number}" for number in range(111)]
    told.pods("", *names, gpus=0)

    for name in names:
        told.bind(name, "n1", minimum=1)

    assert "2 ns/p110: ns/p110 takes n1 above its allocatable: pods: 111 of 110" in faults_of(told)


def test_a_queue_above_its_capability_is_found() -> None:
    told = History()
    told.node("n1", gpus=4)
    told.queue("q", gpus=1)
    told.group("g", minimum=2, queue="q")
    told.pods("g", "a", "b")

    told.bind("a", "n1", minimum=2)
    told.bind("b", "n1", minimum=2)

    assert faults_of(told) == [
        "2 ns/g: ns/b takes queue q above its capability: nvidia.com/gpu: 2 of 1"
    ]


def test_the_time_from_the_first_to_the_last_binding_of_the_minimum_is_told() -> None:
    told = started()
    told.node("n3", gpus=1)
    told.pods("g", "c")
    told.bind("c", "n3", minimum=2, plan="p2")

    verdict = promises.judge(told.events)

    assert verdict.started["ns/g"].seconds == 1


def test_a_gang_that_lost_members_and_waits_is_named_and_not_blamed() -> None:
    verdict = promises.judge(wounded().events)

    assert verdict.violations == ()
    assert verdict.short == {"ns/g": (1, 2)}
