"""Bound pods keep others out of their domains by required anti-affinity, whosever they are."""

from __future__ import annotations

import pytest
from given import (
    Manifest,
    decoded,
    in_group,
    labelled,
    leaving,
    namespace,
    node,
    on_node,
    pod,
    pod_group,
    served_by,
    spec,
)
from state.telling import gang, start_of, told

from fullcrew.state import State

NODES = [
    node("n1", labelled({"zone": "a", "host": "n1"})),
    node("n2", labelled({"zone": "a", "host": "n2"})),
    node("n3", labelled({"zone": "b", "host": "n3"})),
    node("n4"),
]


def keeping_out(key: str = "zone", **rule: object) -> Manifest:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": "web"}}} | rule
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return spec(affinity=affinity)


def closed_to(state: State, pod_name: str) -> list[str]:
    snapshot = state.snapshot(0)
    [role] = gang(state, pod_name).roles
    mask = snapshot.closed.get(role.parts[0].where)
    names = snapshot.nodes.names
    return [] if mask is None else sorted(n for n, no in zip(names, mask, strict=True) if no)


WEB = pod("new", labelled({"app": "web"}))


@pytest.mark.parametrize(
    ("rule", "closed"),
    [
        (keeping_out(), ["n1", "n2"]),
        (keeping_out("host"), ["n1"]),
        (keeping_out("rack"), []),
        (keeping_out(labelSelector={}), ["n1", "n2"]),
        (keeping_out(labelSelector=None), []),
        (keeping_out(labelSelector={"matchLabels": {"app": "db"}}), []),
        (keeping_out(namespaces=["team"]), []),
        (keeping_out(namespaces=["team", "default"]), ["n1", "n2"]),
        (keeping_out(namespaceSelector={}), ["n1", "n2"]),
        (keeping_out(namespaceSelector={"matchLabels": {"kind": "test"}}), ["n1", "n2"]),
        (keeping_out(namespaceSelector={"matchLabels": {"kind": "prod"}}), []),
        (keeping_out(namespaces=[], namespaceSelector=None), ["n1", "n2"]),
    ],
)
def test_a_domain_is_closed_to_whom_the_rule_selects(rule: Manifest, closed: list[str]) -> None:
    around = namespace("default", labelled({"kind": "test"}))
    bound = pod("old", rule, on_node("n1"), served_by("somebody"))

    assert closed_to(told(*NODES, around, WEB, bound), "default/new") == closed


def test_a_node_without_the_key_is_in_no_domain() -> None:
    state = told(*NODES, WEB, pod("old", keeping_out(), on_node("n4")))

    assert closed_to(state, "default/new") == []


def test_a_member_of_the_same_gang_keeps_out_too() -> None:
    group = pod_group("train", 2)
    mate = pod("mate", in_group("train"), keeping_out(), on_node("n3"))
    new = pod("new", in_group("train"), labelled({"app": "web"}))

    assert closed_to(told(*NODES, group, new, mate), "default/train") == ["n3"]


def test_a_leaving_pod_keeps_out_until_it_is_gone_and_an_ended_one_does_not() -> None:
    leaves = pod("old", keeping_out(), on_node("n1"), leaving())
    ended = pod("ended", keeping_out(), on_node("n3", phase="Succeeded"))
    state = told(*NODES, WEB, leaves, ended)
    assert closed_to(state, "default/new") == ["n1", "n2"]

    state.drop(decoded(leaves))

    assert not state.snapshot(0).closed


def test_a_rule_that_comes_later_closes_what_was_open() -> None:
    state = told(*NODES, WEB, pod("other", labelled({"app": "db"})))
    assert closed_to(state, "default/new") == []

    told(pod("old", keeping_out(), on_node("n3")), state=state)

    assert closed_to(state, "default/new") == ["n3"]
    assert closed_to(state, "default/other") == []


def test_labels_of_a_namespace_that_change_close_and_open() -> None:
    rule = keeping_out(namespaceSelector={"matchLabels": {"kind": "prod"}})
    state = told(*NODES, WEB, pod("old", rule, on_node("n1")))
    assert closed_to(state, "default/new") == []

    told(namespace("default", labelled({"kind": "prod"})), state=state)

    assert closed_to(state, "default/new") == ["n1", "n2"]


def test_a_node_that_changes_its_zone_changes_the_domain() -> None:
    state = told(*NODES, WEB, pod("old", keeping_out(), on_node("n1")))

    told(node("n3", labelled({"zone": "a"})), state=state)

    assert closed_to(state, "default/new") == ["n1", "n2", "n3"]


def test_labels_that_no_rule_reads_make_no_classes() -> None:
    old = pod("old", keeping_out(), on_node("n1"))
    replicas = [pod(f"w-{at}", labelled({"app": "x", "index": str(at)})) for at in range(9)]

    state = told(*NODES, old, *replicas)

    assert len(state.snapshot(0).wheres) == 1


def test_a_plan_from_before_such_a_rule_is_stale() -> None:
    state = told(*NODES, WEB)
    snapshot = state.snapshot(0)
    start = start_of(snapshot, "default/new", ["n1"])

    told(pod("old", keeping_out(), on_node("n2")), state=state)

    assert not state.assume(start, generation=snapshot.generation)
