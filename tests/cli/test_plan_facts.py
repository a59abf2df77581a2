"""What plan promises: facts of roles, room, queues and nodes; and that nothing stays idle."""

from __future__ import annotations

import pytest
from cli.clusters import gpu_node, gpu_pods, plan_of
from given import (
    GPU,
    annotated,
    asking,
    having,
    in_group,
    leaving,
    node,
    on_node,
    pod,
    pod_group,
    queue,
    spec,
    status,
)


def of_role(gang: str, role: str, n: int, gpu: int = 1) -> dict[str, object]:
    task = annotated({"volcano.sh/task-spec": role})
    return pod(f"{gang}-{role}-{n}", asking(gpu=gpu), in_group(gang), task)


def test_the_minimum_of_a_role_binds_where_the_gangs_is_at_least_the_sum() -> None:
    group = pod_group("g", 3, spec(minTaskMember={"ps": 1, "worker": 2}))
    pods = [of_role("g", "ps", n) for n in range(3)] + [of_role("g", "worker", 0)]

    assert plan_of(gpu_node("n", 9), group, pods).starts == []


def test_the_minimum_of_a_role_does_not_bind_below_the_sum() -> None:
    group = pod_group("g", 2, spec(minTaskMember={"ps": 1, "worker": 2}))
    pods = [of_role("g", "ps", n) for n in range(3)]

    assert len(plan_of(gpu_node("n", 9), group, pods).nodes) == 3


def test_a_leaving_pod_keeps_its_room_until_it_is_gone() -> None:
    old = pod("old", asking(gpu=1), on_node("n"), leaving())

    assert plan_of(gpu_node("n", 1), old, pod("a", asking(gpu=1))).waits == {"default/a": "short"}


def test_a_finished_pod_holds_no_room() -> None:
    old = pod("old", asking(gpu=1), on_node("n", phase="Succeeded"))

    assert plan_of(gpu_node("n", 1), old, pod("a", asking(gpu=1))).starts == ["default/a"]


@pytest.mark.parametrize("state", ["Closed", "Closing"])
def test_a_closed_queue_starts_nothing_fresh(state: str) -> None:
    group = pod_group("g", 1, spec(queue="q"))

    plan = plan_of(gpu_node("n", 1), queue("q", status(state=state)), group, gpu_pods("g", 1))

    assert plan.waits == {"default/g-0": "closed-queue"}
    assert plan.reason("default/g")["stage"] == "admission"


def test_cpu_is_rounded_up_to_a_thousandth() -> None:
    tiny = [pod(f"a{n}", asking(cpu="0.0001")) for n in range(3)]

    plan = plan_of(node("n", having(cpu="2m")), tiny)

    assert len(plan.nodes) == 2


def test_a_node_without_a_ready_condition_is_ready() -> None:
    assert plan_of(node("n"), pod("a")).starts == ["default/a"]


@pytest.mark.parametrize("word", ["False", "Unknown"])
def test_a_node_that_is_not_ready_gets_nothing(word: str) -> None:
    not_ready = status(conditions=[{"type": "Ready", "status": word}])

    assert plan_of(node("n", not_ready), pod("a")).starts == []


def test_capability_is_a_hard_limit() -> None:
    limited = queue("q", spec(capability={GPU: "2"}))
    groups = [pod_group(name, 2, spec(queue="q")) for name in "ab"]

    plan = plan_of(gpu_node("n", 9), limited, groups, gpu_pods("a", 2), gpu_pods("b", 2))

    assert plan.starts == ["default/a"]
    assert plan.reason("default/b")["stage"] == "quota"
    assert plan.reason("default/b")["numbers"]


def test_a_share_alone_never_keeps_room_idle() -> None:
    queues = [queue("rich", weight=100), queue("poor", weight=1)]
    group = pod_group("g", 4, spec(queue="poor"))

    assert plan_of(gpu_node("n", 4), queues, group, gpu_pods("g", 4)).starts == ["default/g"]


def test_growth_takes_what_room_there_is() -> None:
    plan = plan_of(gpu_node("n", 5), pod_group("g", 2), gpu_pods("g", 9))

    assert len(plan.nodes) == 5


def test_the_minimum_of_others_goes_before_growth() -> None:
    first = [pod_group("a", 1), *gpu_pods("a", 4)]
    second = [pod_group("b", 3), *gpu_pods("b", 3)]

    plan = plan_of(gpu_node("n", 4), first, second)

    assert plan.starts == ["default/a", "default/b"]
    assert len(plan.waits) == 3
