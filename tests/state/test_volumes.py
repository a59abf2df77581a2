"""What the volumes of a pod leave it, and what it waits for."""

from __future__ import annotations

import pytest
from given import (
    Manifest,
    claim,
    decoded,
    having,
    labelled,
    leaving,
    node,
    pod,
    spec,
    status,
    volume,
    with_uid,
)
from state.telling import gang, told, why

from fullcrew.model.where import Operator, Requirement, Term
from fullcrew.state import State

POD = pod("a", spec(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]))
BOUND = claim("c", volume_name="pv")
ON_N1 = spec(
    nodeAffinity={
        "required": {
            "nodeSelectorTerms": [
                {"matchExpressions": [{"key": "host", "operator": "In", "values": ["n1"]}]}
            ]
        }
    }
)


def required(state: State) -> tuple[tuple[Term, ...], ...]:
    found = gang(state, "default/a")
    return state.snapshot(0).wheres[found.roles[0].parts[0].where].required


def test_a_bound_volume_binds_the_pod_to_its_nodes() -> None:
    state = told(POD, BOUND, volume("pv", ON_N1))

    assert required(state) == (((Requirement("host", Operator.IN, ("n1",)),),),)


def test_a_zone_of_the_volume_allows_nodes_of_it_and_nodes_without_any_place() -> None:
    zone = labelled({"topology.kubernetes.io/zone": "a__b"})

    [[anywhere, there]] = required(told(POD, BOUND, volume("pv", zone)))

    assert [each.operator for each in anywhere] == [Operator.DOES_NOT_EXIST] * 4
    assert there == (Requirement("topology.kubernetes.io/zone", Operator.IN, ("a", "b")),)


def test_an_old_label_is_compared_with_the_new_one_where_a_node_has_no_old_one() -> None:
    old, new = "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"

    [[_, same, other]] = required(told(POD, BOUND, volume("pv", labelled({old: "a"}))))

    assert same == (Requirement(old, Operator.IN, ("a",)),)
    gone = Requirement(old, Operator.DOES_NOT_EXIST)
    assert other == (gone, Requirement(new, Operator.IN, ("a",)))


@pytest.mark.parametrize(
    ("around", "kind", "words"),
    [
        ([], "faulty", "there is no volume claim default/c"),
        ([claim("c")], "not-built", "not bound yet, as default/c"),
        ([BOUND], "faulty", "bound to pv, which is not there"),
        ([claim("c", status(phase="Lost"), volume_name="pv"), volume("pv")], "faulty", "lost"),
        ([claim("c", leaving(), volume_name="pv"), volume("pv")], "ending", "being deleted"),
        (
            [claim("c", spec(accessModes=["ReadWriteOncePod"]), volume_name="pv"), volume("pv")],
            "not-built",
            "ReadWriteOncePod",
        ),
        ([BOUND, volume("pv", spec(claimRef={"name": "other"}))], "faulty", "another claim"),
        (
            [
                claim("c", with_uid("1"), volume_name="pv"),
                volume("pv", spec(claimRef={"name": "c", "uid": "2"})),
            ],
            "faulty",
            "another claim",
        ),
        ([BOUND, volume("pv", spec(nodeAffinity=7))], "faulty", "spec.nodeAffinity"),
        ([claim("c", spec(volumeName=7))], "faulty", "spec.volumeName"),
        (
            [
                BOUND,
                volume("pv", spec(csi={"driver": "ebs", "volumeHandle": "h"})),
                node("n1", having(**{"attachable_volumes_csi_ebs": 25})),
            ],
            "not-built",
            "limits on attached volumes",
        ),
    ],
)  # fmt: skip
def test_a_volume_that_is_not_to_be_had_keeps_its_pod_waiting(
    around: list[Manifest], kind: str, words: str
) -> None:
    found = gang(told(POD, *around), "default/a")

    assert why(found) == {"default/a": kind}
    assert words in found.held[0].reason.message
    assert found.held[0].reason.stage == "volumes"


def test_a_driver_that_a_csi_node_limits_is_one_with_limits() -> None:
    driver = {"name": "ebs", "nodeID": "i-1"}
    csi_node = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n1"}}
    limited = csi_node | {"spec": {"drivers": [driver | {"allocatable": {"count": 25}}]}}
    ebs = volume("pv", spec(csi={"driver": "ebs", "volumeHandle": "h"}))
    state = told(node("n1"), BOUND, ebs, POD, csi_node | {"spec": {"drivers": [driver]}})
    assert gang(state, "default/a").held == ()

    told(limited, state=state)

    [held] = gang(state, "default/a").held
    assert "limits on attached volumes" in held.reason.message


def test_a_driver_that_no_node_limits_is_no_obstacle() -> None:
    csi = volume("pv", spec(csi={"driver": "ebs", "volumeHandle": "h"}))

    assert why(gang(told(POD, BOUND, csi, node("n1")), "default/a")) == {}


def test_a_pod_is_looked_at_again_when_its_claim_is_bound() -> None:
    state = told(POD, claim("c"), volume("pv"))
    assert why(gang(state, "default/a"))
    version = state.version

    told(BOUND, state=state)

    assert why(gang(state, "default/a")) == {}
    assert state.version > version


def test_a_pod_is_looked_at_again_when_its_volume_goes() -> None:
    state = told(POD, BOUND, volume("pv"))
    assert why(gang(state, "default/a")) == {}

    state.drop(decoded(volume("pv")))

    assert why(gang(state, "default/a")) == {"default/a": "faulty"}


def test_volumes_that_have_no_say_leave_replicas_alike() -> None:
    pods = [
        pod(f"w-{at}", spec(volumes=[{"name": f"kube-api-access-{at}", "projected": {}}]))
        for at in range(5)
    ]

    assert len(told(*pods).snapshot(0).wheres) == 1


def test_a_volume_of_a_zone_and_a_region_binds_the_pod_to_both() -> None:
    places = labelled(
        {"topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "r"},
    )

    found = required(told(POD, BOUND, volume("pv", places, ON_N1)))

    keys = {line.key for terms in found for line in terms[-1]}
    assert keys == {"host", "topology.kubernetes.io/region", "topology.kubernetes.io/zone"}
