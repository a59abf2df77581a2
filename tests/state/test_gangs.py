"""What a gang is: its terms, its members, and which of them count."""

from __future__ import annotations

import pytest
from given import (
    Manifest,
    annotated,
    asking,
    created,
    decoded,
    in_group,
    in_labelled_group,
    leaving,
    namespace,
    node,
    on_node,
    pod,
    pod_group,
    priority_class,
    queue,
    served_by,
    spec,
    status,
)
from state.canonical import gangs_of
from state.telling import gang, part_pods, told

from fullcrew.model.reason import Kind
from fullcrew.state import State


def member(name: str, *parts: Manifest) -> Manifest:
    return pod(name, in_group("train"), *parts)


def task(role: str, priority: int | None = None) -> Manifest:
    told = {"volcano.sh/task-spec": role}
    return annotated(
        told | ({} if priority is None else {"volcano.sh/task-priority": str(priority)})
    )


def test_a_pod_without_a_group_is_a_gang_of_one() -> None:
    found = gang(told(pod("team/alone")), "team/alone")

    assert (found.dialect, found.minimum, part_pods(found)) == ("single", 1, ["team/alone"])


def test_members_are_preferred_by_task_then_priority_then_age_then_name() -> None:
    state = told(
        pod_group("train", 1),
        member("f", task("", -1)),
        member("e", spec(priority=-1)),
        member("d"),
        member("c", created("02")),
        member("b", created("01")),
        member("a", created("01")),
        member("z", spec(priority=7)),
        member("y", task("", 9)),
    )

    pods = part_pods(gang(state, "default/train"))

    assert [name.removeprefix("default/") for name in pods] == list("yzabcdfe")


def test_alike_members_are_one_part_and_roles_stay_apart() -> None:
    state = told(
        pod_group("train", 3, spec(minTaskMember={"ps": 1, "worker": 2})),
        *(member(f"w-{at}", task("worker"), asking(cpu="2")) for at in range(3)),
        member("ps", task("ps")),
    )

    roles = gang(state, "default/train").roles

    assert [(role.name, role.minimum) for role in roles] == [("ps", 1), ("worker", 2)]
    assert [len(part.members) for role in roles for part in role.parts] == [1, 3]


def test_a_role_without_members_is_owed_all_the_same() -> None:
    group = pod_group("train", 2, spec(minTaskMember={"ps": 1, "worker": 1}))

    found = gang(told(group, member("w", task("worker"))), "default/train")

    assert (found.roles[0].name, found.roles[0].minimum, found.roles[0].parts) == ("ps", 1, ())
    assert found.lacks == 2


def test_bound_running_and_succeeded_members_stand_and_others_do_not() -> None:
    state = told(
        pod_group("train", 4),
        member("running", on_node("n1")),
        member("bound", on_node("n1", phase="Pending")),
        member("succeeded", on_node("n1", phase="Succeeded")),
        member("failed", on_node("n1", phase="Failed")),
        member("leaving", on_node("n1"), leaving()),
        member("pending"),
    )

    found = gang(state, "default/train")

    assert (found.live, found.counted, found.lacks) == (2, 3, 1)
    assert found.is_wounded


def test_members_of_another_scheduler_are_not_ours_to_count() -> None:
    state = told(pod_group("train", 2), member("ours"), member("x", served_by("s"), on_node("n1")))

    assert gang(state, "default/train").counted == 0


def test_a_member_that_succeeded_does_not_start_a_gang_of_which_none_is_live() -> None:
    state = told(pod_group("train", 2), member("a", on_node("n1", phase="Succeeded")), member("b"))

    found = gang(state, "default/train")

    assert (found.counted, found.lacks, found.is_wounded) == (0, 2, False)


def test_a_member_that_succeeded_with_our_stamp_shows_that_its_gang_had_started() -> None:
    stamped = annotated({"fullcrew.io/plan": "7", "fullcrew.io/minimum": "2"})
    ended = member("a", on_node("n1", phase="Succeeded"), stamped)

    found = gang(told(pod_group("train", 2), ended, member("b")), "default/train")

    assert (found.counted, found.lacks) == (1, 1)


@pytest.mark.parametrize(
    "cluster",
    [
        pytest.param([pod_group("train", 1), member("a", on_node("n1"))], id="stands"),
        pytest.param(
            [pod_group("train", 1), member("a", on_node("n1", phase="Succeeded"))], id="ended"
        ),
        pytest.param([pod_group("train", 1), member("a", on_node("n", phase="Failed"))], id="lost"),
        pytest.param([pod_group("train", 2, status(phase="Completed"))], id="completed"),
        pytest.param(
            [
                pod_group("train", 2, status(phase="Completed")),
                member("a", on_node("n1", phase="Succeeded")),
            ],
            id="completed, and tidied up",
        ),
        pytest.param([pod("alone", on_node("n1"))], id="single"),
        pytest.param([member("a", on_node("n1"), leaving())], id="leaving without a group"),
    ],
)
def test_what_stands_or_has_ended_is_not_told(cluster: list[Manifest]) -> None:
    assert told(*cluster).snapshot(0).gangs == ()


@pytest.mark.parametrize(
    "cluster",
    [
        pytest.param([pod_group("train", 2)], id="without any pod"),
        pytest.param(
            [pod_group("train", 2), member("a", on_node("n1", phase="Failed"))], id="failed early"
        ),
        pytest.param([pod_group("train", 2), member("a", on_node("n1"))], id="wounded"),
        pytest.param([pod_group("train", 1), member("a", on_node("n1"), leaving())], id="leaving"),
    ],
)
def test_what_is_short_of_pods_is_told(cluster: list[Manifest]) -> None:
    found = gang(told(*cluster), "default/train")

    assert found.lacks > 0
    assert part_pods(found) == []


def test_the_priority_is_the_groups_where_it_names_a_class() -> None:
    high = priority_class("high", 100)
    group = pod_group("train", 1, spec(priorityClassName="high"))

    assert gang(told(high, group, member("a", spec(priority=500))), "default/train").priority == 100


def test_else_it_is_the_highest_of_its_pods_and_the_difference_is_told() -> None:
    state = told(pod_group("train", 1), member("a", spec(priority=3)), member("b"))

    found = gang(state, "default/train")

    assert found.priority == 3
    assert found.notes == ("its pods have priorities from 0 to 3; the highest counts",)


def test_pods_of_manifests_get_the_number_of_their_class_or_of_the_default() -> None:
    classes = [priority_class("high", 100), priority_class("usual", 7, {"globalDefault": True})]
    state = told(pod("a", spec(priorityClassName="high")), pod("b"), *classes)

    found = gangs_of(state.snapshot(0))

    assert (found["default/a"].priority, found["default/b"].priority) == (100, 7)


@pytest.mark.parametrize(
    ("group", "around", "name"),
    [
        (pod_group("train", 1, spec(queue="own")), [], "own"),
        (
            pod_group("train", 1),
            [annotated({"scheduling.volcano.sh/queue-name": "space"})],
            "space",
        ),
        (pod_group("train", 1), [], "default"),
    ],
)
def test_the_queue_is_its_own_else_the_namespaces_else_the_default(
    group: Manifest, around: list[Manifest], name: str
) -> None:
    state = told(group, member("a"), queue("own"), queue("space"), namespace("default", *around))

    assert gang(state, "default/train").queue == state.answers.queue_of("default/train") == name
    assert gang(state, "default/train").fault is None


def test_of_the_queues_that_labelled_pods_tell_the_first_counts_while_one_tells_it() -> None:
    tells_a = annotated({"scheduling.volcano.sh/queue-name": "a"})
    tells_b = annotated({"scheduling.volcano.sh/queue-name": "b"})
    mates = [
        pod("one", in_labelled_group("train", 4), tells_b),
        pod("two", in_labelled_group("train", 4), tells_b, on_node("n1")),
        pod("three", in_labelled_group("train", 4), tells_a),
        pod("four", in_labelled_group("train", 4), tells_a, on_node("n1")),
    ]
    state = told(node("n1"), queue("a"), queue("b"), *mates)
    seen = [gang(state, "default/train").queue]

    for mate in reversed(mates):
        state.drop(decoded(mate))
        seen.append(state.answers.queue_of("default/train"))

    assert seen == ["a", "a", "b", "b", "default"]


def test_what_a_gang_uses_moves_with_it_to_another_queue() -> None:
    state = told(
        queue("q"), node("n1"), pod_group("train", 2), member("a", asking(cpu="2"), on_node("n1"))
    )
    assert state.snapshot(0).room.used.tolist() == [[1, 0], [2000, 0]]

    told(pod_group("train", 2, spec(queue="q")), state=state)

    assert state.snapshot(0).room.used.tolist() == [[0, 1], [0, 2000]]


def test_pods_without_a_group_use_the_queue_of_their_namespace() -> None:
    state = told(queue("q"), node("n1"), pod("team/a", on_node("n1")))

    told(namespace("team", annotated({"scheduling.volcano.sh/queue-name": "q"})), state=state)

    assert state.snapshot(0).room.used.tolist() == [[0, 1]]


def test_the_time_is_the_groups_and_else_that_of_the_oldest_pod() -> None:
    group = pod_group("train", 1, created("05"))
    labelled = [
        pod("a", in_labelled_group("gang", 3), created("04"), on_node("n1")),
        pod("b", in_labelled_group("gang", 3), created("06")),
    ]

    found = gangs_of(told(group, member("m", created("01")), *labelled).snapshot(0))

    assert found["default/train"].created % 60 == 5
    assert found["default/gang"].created % 60 == 4


def test_pods_that_tell_other_minimums_are_taken_by_the_greatest_and_told() -> None:
    state = told(pod("a", in_labelled_group("gang", 2)), pod("b", in_labelled_group("gang", 3)))

    found = gang(state, "default/gang")

    assert found.minimum == 3
    assert found.notes == ("its pods tell minimums from 2 to 3; the greatest counts",)


def test_of_several_groups_the_one_of_the_pods_scheduler_counts() -> None:
    groups = [pod_group("train", 2), pod_group("train", 3, dialect="kube-batch")]

    ours = gang(told(*groups, member("a")), "default/train")
    theirs = gang(told(*groups, member("a", served_by("kube-batch"))), "default/train")

    assert (ours.dialect, ours.minimum) == ("volcano", 2)
    assert (theirs.dialect, theirs.minimum) == ("kube-batch", 3)


def test_gangs_of_one_name_are_told_apart_while_both_are_there() -> None:
    labelled = pod("a", in_labelled_group("train", 1))
    state = told(labelled, pod("train"), pod_group("train", 1), member("b"))
    assert sorted(gangs_of(state.snapshot(0))) == [
        "default/train",
        "default/train (labels)",
        "default/train (single)",
    ]

    state.drop(decoded(pod_group("train", 1)))
    state.drop(decoded(member("b")))

    found = gangs_of(state.snapshot(0))
    assert found["default/train"].dialect == "labels"
    assert found["default/train (single)"].title == "default/train"


def test_its_minimum_of_resources_is_kept_for_admission() -> None:
    group = pod_group("train", 1, spec(minResources={"cpu": "2", "nvidia.com/gpu": 4}))

    found = gang(told(group), "default/train")

    assert found.min_resources == (("cpu", 2000), ("nvidia.com/gpu", 4))


def test_a_status_that_is_written_on_a_group_calls_for_no_plan() -> None:
    state = told(pod_group("train", 1), member("a"))
    before, version = state.snapshot(0), state.version
    state.answers.take_touched()

    told(pod_group("train", 1, status(phase="Inqueue", running=1)), state=state)

    assert state.snapshot(0) is before
    assert state.version == version
    assert state.answers.take_touched() == {"default/train"}
    assert state.answers.queue_counts("default") == {"Inqueue": 1}


def test_a_condition_that_is_written_on_a_pod_calls_for_no_plan() -> None:
    state = told(pod("a"))
    before, version = state.snapshot(0), state.version

    told(pod("a", status(conditions=[{"type": "PodScheduled", "status": "False"}])), state=state)

    assert state.snapshot(0) is before
    assert state.version == version


def test_who_was_touched_is_told_once() -> None:
    state = told(pod_group("train", 1), member("a"))
    assert state.answers.take_touched() == {"default/train"}

    assert state.answers.take_touched() == frozenset()


def test_a_group_and_its_pods_can_be_asked_for_by_the_gangs_name() -> None:
    state = told(pod_group("train", 1, status(phase="Inqueue")), member("a"), member("b"))

    group = state.answers.group("default/train")

    assert group is not None
    assert group.status.phase == "Inqueue"
    assert [each.name for each in state.answers.pods("default/train")] == ["a", "b"]
    assert list(state.answers.gangs()) == ["default/train"]
    assert state.answers.queue_counts("default") == {"Inqueue": 1}


def test_a_missing_group_is_a_fault_until_it_comes() -> None:
    state: State = told(member("a"))
    fault = gang(state, "default/train").fault
    assert fault is not None
    assert fault.kind is Kind.NO_GROUP

    told(pod_group("train", 1), state=state)

    assert gang(state, "default/train").fault is None
