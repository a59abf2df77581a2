"""What plan promises: each owned pending pod stands in exactly one entry."""

from __future__ import annotations

from cli.clusters import gpu_node, gpu_pods, plan_of
from given import asking, in_group, leaving, on_node, pod, pod_group, spec, status

GATED = spec(schedulingGates=[{"name": "wait"}])


def test_a_gang_that_starts_lists_its_pods_and_nodes() -> None:
    plan = plan_of(gpu_node("n", 2), pod_group("g", 2), gpu_pods("g", 2))

    assert plan.told["starts"] == [
        {
            "gang": "default/g",
            "queue": "default",
            "minimum": 2,
            "pods": {"default/g-0": "n", "default/g-1": "n"},
        }
    ]
    assert plan.told["waits"] == []


def test_a_gang_that_waits_lists_all_its_pending_pods() -> None:
    plan = plan_of(gpu_node("n", 2), pod_group("g", 3), gpu_pods("g", 5))

    (entry,) = plan.told["waits"]
    assert entry["pods"] == [f"default/g-{n}" for n in range(5)]
    assert entry["minimum"] == 3


def test_what_a_started_gang_cannot_place_waits_with_a_reason_of_its_own() -> None:
    plan = plan_of(gpu_node("n", 3), pod_group("g", 2), gpu_pods("g", 5))

    assert len(plan.nodes) == 3
    assert list(plan.waits.values()) == ["short", "short"]


def test_a_pod_without_a_group_stands_under_its_own_name() -> None:
    plan = plan_of(gpu_node("n", 1), pod("team/a", asking(gpu=1)))

    assert (plan.starts, plan.told["starts"][0]["minimum"]) == (["team/a"], 1)


def test_a_group_short_of_pods_waits() -> None:
    plan = plan_of(gpu_node("n", 9), pod_group("g", 3), gpu_pods("g", 2))

    assert plan.waits == {"default/g-0": "too-few-pods", "default/g-1": "too-few-pods"}


def test_a_group_without_pods_waits() -> None:
    plan = plan_of(gpu_node("n", 9), pod_group("g", 3))

    (entry,) = plan.told["waits"]
    assert (entry["gang"], entry["pods"]) == ("default/g", [])


def test_gated_pods_do_not_count() -> None:
    gated = pod("g-2", asking(gpu=1), in_group("g"), GATED)

    plan = plan_of(gpu_node("n", 9), pod_group("g", 3), gpu_pods("g", 2), gated)

    assert plan.starts == []
    assert plan.waits.keys() == {"default/g-0", "default/g-1", "default/g-2"}


def test_a_finished_gang_stands_nowhere() -> None:
    done = gpu_pods("g", 2, on_node("n", phase="Succeeded"))

    plan = plan_of(gpu_node("n", 9), pod_group("g", 2, status(phase="Completed")), done)

    assert (plan.starts, plan.told["waits"]) == ([], [])


def test_a_running_gang_stands_nowhere() -> None:
    plan = plan_of(gpu_node("n", 9), pod_group("g", 2), gpu_pods("g", 2, on_node("n")))

    assert (plan.starts, plan.told["waits"]) == ([], [])


def test_a_running_gang_grows() -> None:
    running = gpu_pods("g", 2, on_node("n"))
    more = pod("g-2", asking(gpu=1), in_group("g"))

    plan = plan_of(gpu_node("n", 9), pod_group("g", 2), running, more)

    assert plan.nodes == {"default/g-2": "n"}
    assert plan.told["starts"][0]["minimum"] == 2


def test_a_pod_that_leaves_before_it_was_bound_is_not_bound() -> None:
    plan = plan_of(gpu_node("n", 1), pod("a", asking(gpu=1), leaving()))

    assert plan.starts == []


def test_nothing_is_evicted() -> None:
    plan = plan_of(gpu_node("n", 1), pod("a", asking(gpu=1)), pod("b", asking(gpu=1)))

    assert plan.told["evictions"] == []
