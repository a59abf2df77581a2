"""A fault in a node, or in a pod on it, closes the node only where a plan would read it."""

from __future__ import annotations

import pytest
from given import (
    Manifest,
    asking,
    decoded,
    having,
    in_group,
    meta,
    node,
    on_node,
    pod,
    pod_group,
    served_by,
    spec,
    status,
)
from state.asked import kinds, ports, requests
from state.canonical import free_of
from state.telling import gang, told

from fullcrew.model.reason import Kind


def test_a_faulty_bound_pod_takes_what_can_be_read_and_closes_its_node() -> None:
    state = told(node("n1"), pod("x", requests(cpu="1", memory="x"), on_node("n1")), pod("y"))

    snapshot = state.snapshot(0)

    assert not snapshot.nodes.usable[0]
    assert snapshot.notes[0].startswith(
        "node n1 is not used: what pod default/x takes there cannot be read: spec.containers[0]."
    )


def test_the_age_of_a_bound_pod_hides_no_fault_of_what_it_asks() -> None:
    old = meta(creationTimestamp="soon")
    state = told(node("n1"), pod("x", old, requests(memory=[]), on_node("n1")), pod("y"))

    assert not state.snapshot(0).nodes.usable[0]


def test_the_node_opens_when_such_a_pod_is_gone() -> None:
    faulty = pod("x", requests(memory="x"), on_node("n1"), served_by("somebody"))
    state = told(node("n1"), faulty)

    state.drop(decoded(faulty))

    assert state.snapshot(0).nodes.usable[0]
    assert state.snapshot(0).notes == ()


def test_a_fault_behind_all_that_is_asked_for_closes_nothing() -> None:
    late = [
        *(spec(schedulingGates=7), status(message=7), spec(activeDeadlineSeconds="x")),
        meta(creationTimestamp="soon"),
    ]
    bound = [pod(f"x{at}", asking(cpu="1"), on_node("n1"), part) for at, part in enumerate(late)]

    snapshot = told(node("n1", having(cpu="8")), *bound).snapshot(0)

    assert snapshot.nodes.usable[0]
    assert free_of(snapshot, "n1")["cpu"] == 4000


@pytest.mark.parametrize(
    "part",
    [
        meta(labels={"i": 5}),
        meta(uid=5),
        meta(ownerReferences=[5]),
        spec(priority="x"),
        spec(nodeSelector=7),
        spec(tolerations="x"),
        spec(affinity={"nodeAffinity": 5}),
        status(conditions=[5]),
    ],
)
def test_a_fault_in_what_no_ask_reads_closes_nothing(part: Manifest) -> None:
    foreign = (asking(cpu="1"), on_node("n1"), served_by("somebody"))

    snapshot = told(node("n1", having(cpu="8")), pod("x", *foreign, part)).snapshot(0)

    assert snapshot.nodes.usable[0]
    assert snapshot.notes == ()
    assert free_of(snapshot, "n1")["cpu"] == 7000


@pytest.mark.parametrize(
    "part",
    [
        requests(memory=[]),
        spec(overhead=5),
        spec(hostNetwork="x"),
        spec(initContainers=5),
        status(containerStatuses=5),
        spec(affinity={"podAntiAffinity": 5}),
    ],
)
def test_no_other_fault_hides_one_in_what_the_ask_reads(part: Manifest) -> None:
    state = told(node("n1"), pod("x", meta(labels={"i": 5}), on_node("n1"), part))

    assert not state.snapshot(0).nodes.usable[0]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (requests(cpu="x"), "pod default/a: spec.containers[0].resources.requests.cpu: "),
        (spec(priority="x"), "pod default/a: spec.priority: text where"),
    ],
)
def test_a_fault_of_a_bound_member_keeps_its_gang_waiting(part: Manifest, words: str) -> None:
    bound = pod("a", in_group("train"), part, on_node("n1"))
    state = told(pod_group("train", 2), bound, pod("b", in_group("train")))

    fault = gang(state, "default/train").fault
    told(pod("a", in_group("train"), on_node("n1")), state=state)

    assert fault is not None
    assert fault.kind is Kind.FAULTY
    assert fault.message.startswith(words)
    assert gang(state, "default/train").fault is None


def test_anti_affinity_of_a_bound_pod_that_cannot_be_read_closes_its_node() -> None:
    unknown = {"matchExpressions": [{"key": "a", "operator": "Like", "values": ["x"]}]}
    rule = {"topologyKey": "zone", "labelSelector": unknown}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [rule]}}

    snapshot = told(node("n1"), pod("x", spec(affinity=affinity), on_node("n1"))).snapshot(0)

    assert not snapshot.nodes.usable[0]


@pytest.mark.parametrize("cpu", ["-1", "x", "1e999999999", [], "2000000000000000"])
def test_a_faulty_node_is_not_used_and_told(cpu: object) -> None:
    snapshot = told(node("n1", status(allocatable={"cpu": cpu})), node("n2")).snapshot(0)

    usable = dict(zip(snapshot.nodes.names, snapshot.nodes.usable.tolist(), strict=True))
    assert usable == {"n1": False, "n2": True}
    assert snapshot.notes[0].startswith("node n1 is not used: status.allocatable")


@pytest.mark.parametrize("part", [meta(annotations={"a": 5}), meta(uid=5)])
def test_a_fault_in_what_no_plan_reads_of_a_node_closes_nothing(part: Manifest) -> None:
    snapshot = told(node("n1", part)).snapshot(0)

    assert snapshot.nodes.usable[0]
    assert snapshot.notes[0].startswith("node n1: metadata.")


def test_no_other_fault_of_a_node_hides_one_in_what_a_plan_reads() -> None:
    state = told(node("n1", meta(annotations={"a": 5}), spec(taints="x")))

    assert state.snapshot(0).notes == (
        "node n1 is not used: spec.taints: text where a list belongs",
    )


def test_a_node_that_tells_of_too_many_kinds_of_resource_is_not_used() -> None:
    many = {f"example.com/r{at}": "1" for at in range(257)}

    snapshot = told(node("n1", status(allocatable=many)), node("n2")).snapshot(0)

    assert len(snapshot.resources) == 1
    assert [note[:46] for note in snapshot.notes] == [
        "node n1 is not used: status.allocatable: 260 k"
    ]


def test_so_many_host_ports_and_kinds_of_resource_are_counted() -> None:
    given = (node("n1"), pod("x", on_node("n1"), ports(1000)), pod("a", kinds(256)))
    state = told(*given)
    before = len(state.snapshot(0).resources)

    told(pod("b", ports(900)), state=state)

    after = state.snapshot(0)
    assert (before, len(after.resources)) == (257, 257 + 900)
    assert free_of(after, "n1") == {"pods": 109}  # what is taken whole is left out


def test_nodes_that_bring_a_total_beyond_all_sums_are_refused_by_name() -> None:
    much = status(allocatable={"cpu": "1", "memory": str(1 << 50)})
    state = told(*(node(f"n{at:04}", much) for at in reversed(range(4100))))

    told(pod("a", asking(memory="1")), state=state)
    snapshot = state.snapshot(0)

    refused = [
        n for n, ok in zip(snapshot.nodes.names, snapshot.nodes.usable, strict=True) if not ok
    ]
    assert sorted(refused) == ["n4096", "n4097", "n4098", "n4099"]
