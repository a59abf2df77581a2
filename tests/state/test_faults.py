"""A fault in one object keeps its gang waiting, or its node unused, and stops nothing else."""

from __future__ import annotations

import pytest
from given import (
    Manifest,
    changed,
    in_group,
    in_labelled_group,
    leaving,
    meta,
    namespace,
    pod,
    pod_group,
    priority_class,
    queue,
    spec,
    status,
)
from state.asked import kinds, ports, requests
from state.canonical import gangs_of
from state.telling import gang, told, why

from fullcrew.model.reason import Kind

GROUP = pod_group("train", 1)
SOUND = pod("a", in_group("train"))
QUEUELESS = meta(annotations={"scheduling.volcano.sh/queue-name": 5})


def host_port(**port: object) -> Manifest:
    return spec(containers=[{"name": "main", "ports": [port]}])


@pytest.mark.parametrize(
    ("cluster", "kind", "words"),
    [
        ([GROUP, SOUND, pod("b", in_group("train"), requests(cpu="much"))], "faulty", "cpu"),
        ([GROUP, SOUND, pod("b", in_group("train"), requests(cpu=[]))], "faulty", "cpu"),
        ([GROUP, SOUND, pod("b", in_group("train"), spec(nodeSelector=7))], "faulty", "nodeSel"),
        ([GROUP, SOUND, pod("b", in_group("train"), requests(cpu="1e999999999"))], "faulty", "1e9"),
        ([pod_group("train", -1), SOUND], "faulty", "minMember"),
        ([pod_group("train", 1, spec(minMember="x")), SOUND], "faulty", "minMember"),
        ([pod_group("train", 1, spec(minResources={"cpu": "-1"})), SOUND], "faulty", "minResou"),
        ([GROUP, SOUND, queue("default", spec(capability={"cpu": "x"}))], "faulty", "capability"),
        ([GROUP, SOUND, queue("default", spec(weight="x"))], "faulty", "weight"),
        ([GROUP, SOUND, queue("default", status(state="closed"))], "faulty", "queue default: sta"),
        (
            [GROUP, SOUND, queue("default", spec(deserved={"cpu": "zz"}))],
            "faulty",
            "queue default: spec",
        ),
        ([GROUP, changed(SOUND, host_port(hostPort=65536))], "faulty", "ports[0].hostPort"),
        ([GROUP, changed(SOUND, host_port(hostPort=-1))], "faulty", "ports[0].hostPort"),
        (
            [GROUP, changed(SOUND, host_port(hostPort=8080, protocol="a/b"))],
            "faulty",
            "ports[0].protocol",
        ),
        ([GROUP, changed(SOUND, ports(1001))], "faulty", "spec: 1001 host ports, more than 1000"),
        ([GROUP, changed(SOUND, kinds(257))], "faulty", "spec: 257 kinds of resource, more than"),
        (
            [GROUP, changed(SOUND, meta(creationTimestamp="soon"))],
            "faulty",
            "Timestamp: 'soon' where a time",
        ),
        (
            [changed(GROUP, meta(creationTimestamp="2026-02-30T00:00:00Z")), SOUND],
            "faulty",
            "creationTimestamp",
        ),
        ([pod_group("train", 1, spec(queue="gone")), SOUND], "unknown-queue", "gone"),
        (
            [pod_group("train", 1, spec(priorityClassName="x")), SOUND],
            "unknown-priority-class",
            "x",
        ),
        ([GROUP, changed(SOUND, spec(priorityClassName="x"))], "unknown-priority-class", "x"),
        ([SOUND], "no-group", "default/train"),
        ([GROUP, SOUND, namespace("default", status(phase="Terminating"))], "ending", "namespace"),
        ([GROUP, SOUND, namespace("default", QUEUELESS)], "faulty", "namespace default: metadata"),
        ([GROUP, SOUND, namespace("default", status(phase=7))], "faulty", "namespace default: sta"),
        ([GROUP, SOUND, namespace("default", meta(labels=7))], "faulty", "namespace default: meta"),
        (
            [
                pod_group("train", 1, spec(priorityClassName="h")),
                *(SOUND, priority_class("h", 1, {"value": "x"})),
            ],
            "faulty",
            "priority class h: value: text where",
        ),
        ([pod_group("train", 1, leaving()), SOUND], "ending", "group"),
        (
            [pod_group("train", 1, spec(networkTopology={"mode": "hard"})), SOUND],
            "not-built",
            "net",
        ),
        ([pod_group("train", 1, spec(subGroupPolicy=[{"name": "s"}])), SOUND], "not-built", "sub"),
    ],
)
def test_a_fault_keeps_the_whole_gang_waiting(
    cluster: list[Manifest], kind: str, words: str
) -> None:
    state = told(*cluster, pod("other"))

    found = gangs_of(state.snapshot(0))

    fault = found["default/train"].fault
    assert fault is not None
    assert fault.kind == kind
    assert words in fault.message
    shared = ("queue", "namespace", "capability", "weight")
    if not any(word in words for word in shared):
        assert found["default/other"].fault is None


@pytest.mark.parametrize("part", [meta(annotations={"a": 5}), meta(uid=5)])
def test_a_fault_of_a_namespace_that_no_gang_depends_on_keeps_none_waiting(part: Manifest) -> None:
    assert gang(told(GROUP, SOUND, namespace("default", part)), "default/train").fault is None


def test_a_gang_with_a_queue_of_its_own_does_not_wait_for_its_namespaces() -> None:
    group = pod_group("train", 1, spec(queue="q"))

    found = gang(told(group, SOUND, queue("q"), namespace("default", QUEUELESS)), "default/train")

    assert found.fault is None


def test_a_namespace_and_a_priority_class_that_are_mended_are_read_again() -> None:
    state = told(pod("a", spec(priorityClassName="h")), pod("b"))
    told(priority_class("h", 1, {"value": "x"}), namespace("default", QUEUELESS), state=state)
    faults = [gang(state, name).fault for name in ("default/a", "default/b")]

    told(namespace("default"), state=state)
    [broken] = [gang(state, "default/a").fault]
    told(priority_class("h", 7), state=state)

    assert None not in faults
    assert broken is not None
    assert broken.kind is Kind.FAULTY
    assert (gang(state, "default/a").fault, gang(state, "default/a").priority) == (None, 7)


def test_a_group_that_is_mended_is_read_again() -> None:
    state = told(pod_group("train", 1, spec(minMember="x")), SOUND)
    assert gang(state, "default/train").fault is not None

    told(pod_group("train", 0), state=state)

    assert gang(state, "default/train").fault is None


def test_faults_that_concern_no_gang_are_told_beside_the_plan() -> None:
    faulty = priority_class("high", 1, {"value": "x"})
    state = told(faulty, namespace("team", status(phase=7)))
    assert state.snapshot(0).notes == (
        "namespace team: status.phase: a whole number where text belongs",
        "priority class high: value: text where a whole number belongs",
    )

    told(priority_class("high", 1), namespace("team"), state=state)

    assert state.snapshot(0).notes == ()


def test_labels_that_cannot_be_read_keep_their_gang_waiting() -> None:
    state = told(pod("a", in_labelled_group("g", 2)), pod("b", in_labelled_group("g", "two")))

    fault = gang(state, "default/g").fault

    assert fault is not None
    assert "'two'" in fault.message


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (spec(schedulingGates=[{"name": "g"}]), Kind.GATED),
        (leaving(), Kind.ENDING),
        (spec(topologySpreadConstraints=[{"topologyKey": "zone"}]), Kind.NOT_BUILT),
        (spec(resourceClaims=[{"name": "c"}]), Kind.NOT_BUILT),
        (spec(volumes=[{"name": "v", "ephemeral": {}}]), Kind.NOT_BUILT),
        (spec(volumes=[{"name": "v", "gcePersistentDisk": {"pdName": "d"}}]), Kind.NOT_BUILT),
        (spec(affinity={"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}]}}), Kind.NOT_BUILT),
        (spec(affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "zone"}]}}), Kind.NOT_BUILT),
    ],
)  # fmt: skip
def test_what_may_not_be_placed_is_held_and_the_others_are_not(part: Manifest, kind: Kind) -> None:
    state = told(GROUP, SOUND, pod("b", in_group("train"), part))

    found = gang(state, "default/train")

    assert found.fault is None
    assert why(found) == {"default/b": str(kind)}
    assert [held.reason.numbers for held in found.held] == [(("pods", 1),)]


@pytest.mark.parametrize(
    "marker",
    [
        spec(schedulingGroup={"podGroupName": "g"}),
        meta(labels={"scheduling.x-k8s.io/pod-group": "g"}),
    ],
)
def test_a_marker_of_a_dialect_that_is_not_built_keeps_its_pod_waiting(marker: Manifest) -> None:
    found = gang(told(pod("a", marker)), "default/a")

    assert why(found) == {"default/a": "not-built"}
