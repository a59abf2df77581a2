"""What plan promises: the order of decision."""

from __future__ import annotations

from cli.clusters import gpu_node, gpu_pods, plan_of
from given import asking, created, in_group, on_node, pod, pod_group, priority_class, queue, spec


def test_wounded_gangs_come_before_fresh_ones() -> None:
    old = [pod_group("a", 1, created("01")), *gpu_pods("a", 1)]
    wounded = [
        pod_group("z", 2, created("59")),
        pod("z-0", asking(gpu=1), in_group("z"), on_node("n")),
        pod("z-1", asking(gpu=1), in_group("z")),
    ]

    plan = plan_of(gpu_node("n", 3), old, wounded)

    assert plan.starts == ["default/z", "default/a"]


def test_a_wounded_gang_gets_all_that_it_lacks_or_nothing() -> None:
    wounded = [
        pod_group("z", 4),
        pod("z-0", asking(gpu=1), in_group("z"), on_node("n")),
        *[pod(f"z-{n}", asking(gpu=1), in_group("z")) for n in (1, 2, 3)],
    ]

    plan = plan_of(gpu_node("n", 3), wounded)

    assert plan.starts == []
    assert len(plan.waits) == 3


def test_a_higher_priority_goes_first() -> None:
    high = pod_group("z", 1, created("59"), spec(priorityClassName="high"))

    plan = plan_of(
        gpu_node("n", 1),
        priority_class("high", 100),
        [pod_group("a", 1, created("01")), *gpu_pods("a", 1)],
        [high, *gpu_pods("z", 1)],
    )

    assert plan.starts == ["default/z"]


def test_without_a_class_the_highest_priority_of_the_pods_counts() -> None:
    plan = plan_of(
        gpu_node("n", 1),
        [pod_group("a", 1, created("01")), *gpu_pods("a", 1)],
        [pod_group("z", 1, created("59")), *gpu_pods("z", 1, spec(priority=7))],
    )

    assert plan.starts == ["default/z"]


def test_the_older_group_goes_first_whenever_its_pods_came() -> None:
    plan = plan_of(
        gpu_node("n", 1),
        [pod_group("a", 1, created("02")), *gpu_pods("a", 1, created("01"))],
        [pod_group("z", 1, created("01")), *gpu_pods("z", 1, created("59"))],
    )

    assert plan.starts == ["default/z"]


def test_without_a_group_the_age_of_the_pod_counts() -> None:
    older, younger = pod("z", asking(gpu=1), created("01")), pod("a", asking(gpu=1), created("02"))

    assert plan_of(gpu_node("n", 1), younger, older).starts == ["default/z"]


def test_of_equals_the_name_decides() -> None:
    pods = [pod(name, asking(gpu=1)) for name in "cab"]

    assert plan_of(gpu_node("n", 2), pods).starts == ["default/a", "default/b"]


def test_what_has_no_time_is_youngest() -> None:
    pods = [pod("a", asking(gpu=1)), pod("b", asking(gpu=1), created("59"))]

    assert plan_of(gpu_node("n", 1), pods).starts == ["default/b"]


def test_a_gang_that_does_not_fit_does_not_stop_the_next() -> None:
    large = [pod_group("a", 4, created("01")), *gpu_pods("a", 4)]
    small = [pod_group("b", 2, created("02")), *gpu_pods("b", 2)]

    assert plan_of(gpu_node("n", 3), large, small).starts == ["default/b"]


def test_pods_without_requests_come_last() -> None:
    free = pod("a", created("01"))
    asks = pod("z", asking(gpu=1), created("59"))

    assert plan_of(gpu_node("n", 1), free, asks).starts == ["default/z", "default/a"]


def test_queues_take_turns_by_their_shares() -> None:
    queues = [queue("heavy", weight=2), queue("light", weight=1)]
    groups = [
        pod_group(f"{name}{n}", 1, spec(queue=name))
        for name in ("heavy", "light")
        for n in range(6)
    ]
    pods = [gpu_pods(f"{name}{n}", 1) for name in ("heavy", "light") for n in range(6)]

    plan = plan_of(gpu_node("n", 6), queues, groups, *pods)

    assert sum(gang.startswith("default/heavy") for gang in plan.starts) == 4
    assert sum(gang.startswith("default/light") for gang in plan.starts) == 2
