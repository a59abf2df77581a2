"""What plan promises: whose pods it plans, and in which queue they stand."""

from __future__ import annotations

import json

import pytest
from cli.clusters import gpu_node, gpu_pods, plan_of
from cli.playing import typed
from given import annotated, asking, namespace, on_node, pod, pod_group, queue, served_by, spec

from fullcrew.cli.planning import Settings


@pytest.mark.parametrize("name", ["fullcrew", "kube-batch", "volcano", "default-scheduler", ""])
def test_pods_of_these_schedulers_are_planned(name: str) -> None:
    plan = plan_of(gpu_node("n", 1), pod("a", asking(gpu=1), served_by(name)))

    assert plan.nodes == {"default/a": "n"}


def test_pods_that_name_no_scheduler_are_planned() -> None:
    nameless = pod("a", asking(gpu=1))
    del nameless["spec"]["schedulerName"]

    assert plan_of(gpu_node("n", 1), nameless).nodes == {"default/a": "n"}


def test_pods_of_others_stand_nowhere() -> None:
    plan = plan_of(gpu_node("n", 1), pod("a", asking(gpu=1), served_by("yunikorn")))

    assert (plan.starts, plan.waits) == ([], {})


def test_waiting_pods_of_others_are_counted_in_a_note() -> None:
    waiting = json.dumps(pod("a", asking(gpu=1), served_by("fulcrew")))
    bound = json.dumps(pod("b", asking(gpu=1), served_by("fulcrew"), on_node("n")))

    ended = typed("plan", "-", told=f"{waiting}\n---\n{bound}\n".encode())

    assert ended.err == (
        "note: not planned: 1 pod waits for the scheduler fulcrew;"
        " --scheduler-name says whose pods are\n"
    )


def test_bound_pods_of_others_take_room() -> None:
    foreign = pod("a", asking(gpu=1), served_by("yunikorn"), on_node("n"))

    plan = plan_of(gpu_node("n", 1), foreign, pod("b", asking(gpu=1)))

    assert plan.waits == {"default/b": "short"}


def test_an_option_narrows_whose_pods_are_planned() -> None:
    pods = [pod("a", served_by("mine")), pod("b", served_by("volcano"))]

    plan = plan_of(gpu_node("n", 1), pods, settings=Settings(owned=frozenset({"mine"})))

    assert plan.nodes == {"default/a": "n"}


def test_a_queue_default_exists_without_a_document() -> None:
    plan = plan_of(gpu_node("n", 2), pod_group("g", 2), gpu_pods("g", 2))

    assert plan.told["starts"][0]["queue"] == "default"


def test_a_group_stands_in_its_own_queue() -> None:
    group = pod_group("g", 1, spec(queue="research"))

    plan = plan_of(gpu_node("n", 1), queue("research"), group, gpu_pods("g", 1))

    assert plan.told["starts"][0]["queue"] == "research"


def test_a_group_without_a_queue_stands_in_that_of_its_namespace() -> None:
    space = namespace("team", annotated({"scheduling.volcano.sh/queue-name": "research"}))
    group = pod_group("team/g", 1)

    plan = plan_of(gpu_node("n", 1), queue("research"), space, group, gpu_pods("team/g", 1))

    assert plan.told["starts"][0]["queue"] == "research"
