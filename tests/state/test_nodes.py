"""What a node has and says, as columns."""

from __future__ import annotations

import pytest
from given import (
    Manifest,
    asking,
    decoded,
    having,
    labelled,
    leaving,
    meta,
    node,
    on_node,
    pod,
    served_by,
    spec,
    status,
)
from state.canonical import free_of
from state.telling import told

from fullcrew.model.amounts import MOST_AMOUNT, MOST_TOTAL
from fullcrew.model.where import Taint
from fullcrew.room import Snapshot


def usable(snapshot: Snapshot) -> list[str]:
    return sorted(
        n for n, ok in zip(snapshot.nodes.names, snapshot.nodes.usable, strict=True) if ok
    )


def ready(word: str) -> Manifest:
    return status(conditions=[{"type": "Ready", "status": word}])


def test_a_node_is_used_when_it_is_there_ready_and_not_being_deleted() -> None:
    state = told(
        node("plain"),
        node("ready", ready("True")),
        node("ill", ready("False")),
        node("lost", ready("Unknown")),
        node("leaving", leaving()),
        pod("x", on_node("unheard-of")),
    )

    assert usable(state.snapshot(0)) == ["plain", "ready"]


def test_an_unschedulable_node_carries_the_taint_that_kubernetes_gives_it() -> None:
    state = told(node("n1", spec(unschedulable=True)), node("n2"))

    nodes = state.snapshot(0).nodes

    cordoned = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
    assert [nodes.taint_sets[number] for number in nodes.taints] == [(cordoned,), ()]


@pytest.mark.parametrize(
    ("told_of_it", "pods"),
    [
        (status(allocatable={"cpu": "4"}), 110),
        (status(allocatable={"cpu": "4", "pods": "0"}), 0),
        (status(allocatable={"cpu": "4", "pods": "30"}), 30),
        (status(allocatable={}, capacity={"cpu": "4", "pods": "20"}), 20),
    ],
)
def test_how_many_pods_a_node_takes(told_of_it: Manifest, pods: int) -> None:
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, **told_of_it}

    snapshot = told(manifest, pod("a", asking(cpu="1"))).snapshot(0)

    assert free_of(snapshot, "n1").get("pods", 0) == pods
    assert free_of(snapshot, "n1")["cpu"] == 4000


def test_every_bound_pod_takes_what_it_asks_for_whosever_it_is() -> None:
    state = told(
        node("n1", having(cpu="8")),
        pod("ours", asking(cpu="1"), on_node("n1")),
        pod("theirs", asking(cpu="2"), on_node("n1"), served_by("somebody")),
        pod("leaving", asking(cpu="1"), on_node("n1"), leaving()),
        pod("ended", asking(cpu="1"), on_node("n1", phase="Succeeded")),
        pod("refused", asking(cpu="1"), on_node("n1", phase="Failed")),
    )

    free = free_of(state.snapshot(0), "n1")

    assert (free["cpu"], free["pods"]) == (4000, 107)


def test_a_node_may_be_overdrawn() -> None:
    state = told(node("n1", having(cpu="1")), pod("x", asking(cpu="3"), on_node("n1")))

    assert free_of(state.snapshot(0), "n1")["cpu"] == -2000


def test_a_resource_that_is_asked_for_later_is_counted_from_then_on() -> None:
    state = told(node("n1", having(cpu="4")), pod("a", asking(gpu=1)))
    assert "cpu" not in state.snapshot(0).resources

    told(pod("b", asking(cpu="1"), on_node("n1")), state=state)

    assert free_of(state.snapshot(0), "n1")["cpu"] == 3000


def test_devices_of_nodes_are_columns_even_if_nobody_asks_for_them() -> None:
    """Scores look at them: what is planned must not hang on what somebody asked for once."""
    state = told(node("n1", having(gpu=4)), pod("a", asking(cpu="1")))

    assert "nvidia.com/gpu" in state.snapshot(0).resources


def test_a_host_port_that_waits_is_counted_where_it_was_taken_before() -> None:
    def port(address: str = "") -> Manifest:
        told_port = {"containerPort": 80, "hostPort": 80, "hostIP": address}
        return spec(containers=[{"name": "main", "ports": [told_port]}])

    state = told(node("n1"), node("n2"), pod("x", port("10.0.0.1"), on_node("n1")))
    assert state.snapshot(0).resources == ("pods",)

    told(pod("all", port()), pod("one", port("10.0.0.1")), state=state)

    snapshot = state.snapshot(0)
    n1, n2 = free_of(snapshot, "n1"), free_of(snapshot, "n2")
    assert n1["hostport/TCP/80"] == n2["hostport/TCP/80"] - 1
    assert n1.get("hostport/TCP/80/10.0.0.1", 0) == n2["hostport/TCP/80/10.0.0.1"] - 1 == 0


def test_labels_are_columns_when_a_waiting_pod_reads_them() -> None:
    state = told(node("n1", labelled({"zone": "a", "rack": "1"})), node("n2"))

    told(pod("a", spec(nodeSelector={"zone": "a"})), state=state)

    labels = state.snapshot(0).nodes.labels
    assert list(labels) == ["zone"]
    assert (labels["zone"].values, labels["zone"].numbers.tolist()) == (("a",), [0, -1])


def test_a_change_that_a_rule_may_read_is_dated_and_others_are_not() -> None:
    state = told(node("n1"), node("n2"))
    before = state.snapshot(0)

    told(node("n1", having(cpu="5")), node("n2", labelled({"zone": "a"})), state=state)

    after = state.snapshot(0)
    changed = (after.nodes.changed > before.generation).tolist()
    assert dict(zip(after.nodes.names, changed, strict=True)) == {"n1": False, "n2": True}


def test_a_heartbeat_changes_nothing() -> None:
    state = told(node("n1", ready("True")))
    before, version = state.snapshot(0), state.version

    told(node("n1", ready("True"), meta(resourceVersion="2")), state=state)

    assert state.snapshot(0) is before
    assert state.version == version


def test_a_row_that_nobody_needs_is_given_to_the_next_node() -> None:
    bound = pod("x", on_node("n1"))
    state = told(node("n1"), node("n2"), bound)
    state.drop(decoded(node("n1")))
    assert usable(state.snapshot(0)) == ["n2"]

    state.drop(decoded(bound))
    told(node("n3"), state=state)

    snapshot = state.snapshot(0)
    assert sorted(snapshot.nodes.names) == ["n2", "n3"]
    assert free_of(snapshot, "n3")["pods"] == 110


def test_ranks_follow_the_names() -> None:
    nodes = told(node("n2"), node("n10"), node("n1")).snapshot(0).nodes

    assert dict(zip(nodes.names, nodes.rank.tolist(), strict=True)) == {"n1": 0, "n10": 1, "n2": 2}


def test_a_snapshot_shows_no_later_change() -> None:
    state = told(node("n1", having(cpu="4")), pod("a", asking(cpu="1")))
    before = state.snapshot(0)

    told(node("n1", having(cpu="2")), pod("a", asking(cpu="1"), on_node("n1")), state=state)
    state.snapshot(0)

    assert free_of(before, "n1")["cpu"] == 4000
    assert len(before.gangs) == 1


def test_only_the_time_differs_between_two_looks_at_the_same() -> None:
    state = told(node("n1"), pod("a"))
    first = state.snapshot(1)

    second = state.snapshot(2)

    assert (first.now, second.now) == (1, 2)
    assert first.room is second.room
    assert first.gangs is second.gangs


@pytest.mark.slow
def test_a_node_that_is_refused_no_more_is_told_as_changed() -> None:
    """The memo asks anew of changed nodes alone, and this one's own object says what it said."""
    most = str(MOST_AMOUNT)
    full = MOST_TOTAL // MOST_AMOUNT
    state = told(*(node(f"n{at:04}", having(devices=most)) for at in range(full + 1)))
    before = state.snapshot(0)

    told(node("n0000", having(devices="0")), state=state)

    after = state.snapshot(0)
    [row] = [at for at in range(full + 1) if after.nodes.usable[at] != before.nodes.usable[at]]
    assert after.nodes.names[row] == f"n{full:04}"
    assert after.nodes.changed[row] > before.generation


def test_pods_that_ask_for_more_than_a_column_holds_leave_nothing_of_their_node() -> None:
    """2^14 times 2^50 bytes is 2^64, which in a column is nothing at all."""
    greedy = [pod(f"p{at}", asking(memory="1Pi"), on_node("n1")) for at in range(1 << 14)]

    state = told(node("n1", having(memory="64Gi")), pod("waits", asking(memory="1Gi")), *greedy)

    assert free_of(state.snapshot(0), "n1")["memory"] < 0

    for each in greedy[2:]:
        state.drop(decoded(each))
    assert free_of(state.snapshot(0), "n1")["memory"] == (64 << 30) - 2 * MOST_AMOUNT
    state.drop(decoded(greedy[1]))
    assert free_of(state.snapshot(0), "n1")["memory"] == (64 << 30) - MOST_AMOUNT
