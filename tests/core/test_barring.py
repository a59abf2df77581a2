"""Where no node will do, the reason counts the nodes by what keeps the pod off them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from core.columns import Pods, gang, planned, snapshot

from fullcrew.model.reason import Reason
from fullcrew.model.where import Operator, Requirement, Taint, Toleration, Where
from fullcrew.room import LabelColumn, Snapshot

GPU = Taint("nvidia.com/gpu", "present", "NoSchedule")
MASTER = Taint("node-role.kubernetes.io/control-plane", "", "NoSchedule")
CORDON = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
AVOIDED = Taint("busy", "", "PreferNoSchedule")
ZONES = {"zone": LabelColumn(("a", "b"), np.array([0, 0, 0, 1, 0], dtype=np.int64))}


def given(*, where: Where, ask: tuple[int, int] = (1, 0), is_closed: bool = False) -> Snapshot:
    """Node 0 is not ready, 1 cordoned, 2 for GPU pods alone, 3 in zone b, 4 the masters'."""
    closed = {0: np.array([False, False, False, True, False])} if is_closed else None
    made = snapshot(
        dict.fromkeys("abcde", (110, 9, 0)), gang("g", Pods(1, ask)),
        wheres=[where], labels=ZONES, closed=closed,
    )  # fmt: skip
    sets = ((), (AVOIDED, CORDON), (GPU, AVOIDED), (MASTER, CORDON, AVOIDED))
    nodes = replace(
        made.nodes,
        usable=np.array([False, True, True, True, True]),
        taints=np.array([0, 1, 2, 0, 2], dtype=np.int64),
        taint_sets=sets,
    )
    return replace(made, nodes=nodes)


def reason_of(made: Snapshot) -> Reason:
    [wait] = planned(made).waits
    return wait.reason


def in_zone(zone: str, *tolerations: Toleration) -> Where:
    return Where(
        required=(((Requirement("zone", Operator.IN, (zone,)),),),), tolerations=tolerations
    )


def test_each_node_counts_once_under_the_first_cause_that_keeps_the_pod_off() -> None:
    reason = reason_of(given(where=in_zone("a")))

    assert reason.message == (
        "it may run on none of 5 nodes: 1 is not ready, 1 is unschedulable, 1 does not match its"
        " node selector, affinity or volumes, 2 have a taint it does not tolerate (nvidia.com/gpu)"
    )
    causes = ("unready", "cordoned", "unmatched", "tainted")
    assert [reason.number(cause) for cause in causes] == [1, 1, 1, 2]


def test_a_taint_that_is_tolerated_or_only_to_be_avoided_is_not_named() -> None:
    tolerates = Toleration("nvidia.com/gpu", "Exists", "", "")

    reason = reason_of(given(where=in_zone("c", tolerates)))

    assert "taint" not in reason.message
    assert reason.number("unmatched") == 3


def test_nodes_that_are_closed_by_the_anti_affinity_of_other_pods_are_told() -> None:
    reason = reason_of(given(where=in_zone("b"), is_closed=True))

    assert reason.number("closed") == 1
    assert "1 has a pod whose anti-affinity forbids it" in reason.message


def test_too_big_for_the_nodes_it_may_use_tells_why_it_may_not_use_the_others() -> None:
    reason = reason_of(given(where=Where(), ask=(10, 0)))

    assert reason.message == (
        "a pod asks for 10m cpu, and the largest node it may use has 9m; it may use 1 of 5 nodes:"
        " 1 is not ready, 1 is unschedulable, 2 have a taint it does not tolerate (nvidia.com/gpu)"
    )
