"""What plan promises: stage, kind, sentence and numbers; a fault in one object is a reason."""

from __future__ import annotations

import pytest
from cli.clusters import gpu_node, gpu_pods, plan_of
from given import (
    Manifest,
    asking,
    in_group,
    in_labelled_group,
    meta,
    node,
    on_node,
    pod,
    pod_group,
    spec,
    status,
)

SOUND = pod("sound")
SPREAD = spec(
    topologySpreadConstraints=[
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    ]
)
FAR_APART = spec(
    affinity={
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]
        }
    }
)
ODD = spec(
    affinity={
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Near"}]}]
            }
        }
    }
)


def test_want_of_room_is_told_with_numbers() -> None:
    why = plan_of(gpu_node("n", 1), pod_group("g", 2), gpu_pods("g", 2)).reason("default/g")

    assert (why["stage"], why["kind"]) == ("placement", "short")
    assert why["numbers"]
    assert all(isinstance(number, int) for number in why["numbers"].values())


def test_constraints_that_no_node_satisfies_are_told_apart_from_want_of_room() -> None:
    nowhere = pod("a", spec(nodeSelector={"disk": "ssd"}))

    why = plan_of(node("n"), nowhere).reason("default/a")

    assert (why["stage"], why["kind"]) == ("placement", "nowhere")
    assert why["numbers"]


def test_a_cluster_without_nodes_has_reasons_too() -> None:
    why = plan_of(pod("a")).reason("default/a")

    assert why["stage"] == "placement"
    assert why["numbers"]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (status(allocatable={"cpu": "8x"}), "status.allocatable.cpu: "),
        (meta(labels={"a": 5}), "metadata.labels.a: a whole number"),
        (spec(taints="x"), "spec.taints: text where"),
    ],
)
def test_a_node_that_cannot_be_read_is_told_as_that(part: Manifest, words: str) -> None:
    why = plan_of(node("n1", part), pod("a")).reason("default/a")

    assert why["numbers"]["unreadable"] == why["numbers"]["nodes"] == 1
    told = f"it may run on none of 1 nodes: 1 cannot be read: node n1: {words}"
    assert why["message"].startswith(told)


def test_nodes_with_pods_that_cannot_be_read_are_told_by_the_first() -> None:
    nodes = [node("n1"), node("n2")]
    bound = [pod(f"x{at}", asking(cpu="x"), on_node(f"n{at}")) for at in (2, 1)]

    why = plan_of(nodes, bound, pod("a")).reason("default/a")

    assert why["numbers"]["unreadable"] == 2
    assert "2 cannot be read, as pod default/x1: spec.containers[0]." in why["message"]


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (asking(cpu="lots"), "faulty"),
        (asking(cpu="-1"), "faulty"),
        (asking(cpu="1e999999999"), "faulty"),
        (asking(memory="9" * 100_000), "faulty"),
        (spec(containers="none"), "faulty"),
        (spec(nodeSelector=["a"]), "faulty"),
        (ODD, "faulty"),
        (meta(labels=7), "faulty"),
        (spec(priorityClassName="nobody"), "unknown-priority-class"),
        (in_group("nobody"), "no-group"),
        (in_labelled_group("g", "many"), "faulty"),
        (spec(schedulingGates=[{"name": "x"}]), "gated"),
        (SPREAD, "not-built"),
        (FAR_APART, "not-built"),
        (spec(resourceClaims=[{"name": "gpu"}]), "not-built"),
    ],
)
def test_a_fault_in_one_object_is_its_gangs_reason(part: Manifest, kind: str) -> None:
    plan = plan_of(node("n"), pod("odd", part), SOUND)

    assert plan.waits == {"default/odd": kind}
    assert plan.nodes == {"default/sound": "n"}


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (spec(queue="nobody"), "unknown-queue"),
        (spec(priorityClassName="nobody"), "unknown-priority-class"),
        (spec(minMember="two"), "faulty"),
        (spec(minMember=2**40), "faulty"),
        (spec(minMember=-1), "faulty"),
        (spec(minTaskMember={"ps": -1}), "faulty"),
    ],
)
def test_a_fault_in_a_group_is_its_gangs_reason(part: Manifest, kind: str) -> None:
    plan = plan_of(gpu_node("n", 9), pod_group("g", 1, part), gpu_pods("g", 2), SOUND)

    assert plan.waits == {"default/g-0": kind, "default/g-1": kind}
    assert plan.nodes == {"default/sound": "n"}


@pytest.mark.parametrize("part", [spec(minMember=0), spec(minMember=None)])
def test_a_minimum_of_nothing_is_one(part: Manifest) -> None:
    plan = plan_of(gpu_node("n", 1), pod_group("g", 3, part), gpu_pods("g", 2))

    assert plan.told["starts"][0]["minimum"] == 1
    assert len(plan.waits) == 1


def test_a_gang_without_a_group_object_names_what_is_missing() -> None:
    why = plan_of(gpu_node("n", 1), gpu_pods("g", 1)).reason("default/g")

    assert why["stage"] == "admission"
    assert "g" in why["message"]


def test_a_reason_that_names_a_rule_names_it() -> None:
    why = plan_of(node("n"), pod("odd", SPREAD)).reason("default/odd")

    assert "topologySpreadConstraints" in why["message"]
