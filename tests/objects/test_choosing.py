"""Which nodes a pod may use: read as Kubernetes reads it, refused with the place where it is."""

from __future__ import annotations

from typing import Any

import pytest

from fullcrew import errors, objects
from fullcrew.model.where import Operator, Requirement, Taint, Term, Toleration
from fullcrew.objects import choosing

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
AFFINITY = "spec.affinity.nodeAffinity"


def pod(**spec: object) -> objects.Pod:
    found = objects.decode(objects.Pod, {"spec": spec})
    assert isinstance(found, objects.Pod), found
    return found


def needing(*terms: dict[str, Any]) -> objects.Pod:
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}
    return pod(affinity=affinity)


def line(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def on_field(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchFields": [{"key": key, "operator": operator, "values": list(values)}]}


def terms_of(found: objects.Pod) -> tuple[Term, ...]:
    (entry,) = choosing.required(found)
    return entry


def place_of_fault(found: objects.Pod) -> str:
    with pytest.raises(errors.BadManifest) as raised:
        choosing.required(found)
    return raised.value.where


def test_a_pod_that_says_nothing_may_go_anywhere() -> None:
    assert choosing.required(pod()) == ()
    assert choosing.preferred(pod()) == ()
    assert choosing.tolerations(pod()) == ()


def test_a_node_selector_is_one_term_with_all_its_labels() -> None:
    found = terms_of(pod(nodeSelector={"zone": "b", "disk": "ssd"}))

    assert found == (
        (Requirement("disk", Operator.IN, ("ssd",)), Requirement("zone", Operator.IN, ("b",))),
    )


def test_selector_and_affinity_must_both_hold() -> None:
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [line("a", "Exists")]}}}

    found = choosing.required(pod(nodeSelector={"zone": "b"}, affinity=affinity))

    assert [len(entry) for entry in found] == [1, 1]


@pytest.mark.parametrize(
    ("operator", "values", "kept"),
    [
        ("In", ("b", "a", "b"), ("a", "b")),
        ("NotIn", ("b", "a"), ("a", "b")),
        ("Exists", (), ()),
        ("DoesNotExist", (), ()),
        ("Gt", ("5",), ("5",)),
        ("Lt", ("007",), ("007",)),
    ],
)
def test_each_operator_is_read(
    operator: str, values: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    assert terms_of(needing(line("k", operator, *values))) == (
        (Requirement("k", Operator(operator), kept),),
    )


@pytest.mark.parametrize(
    ("told", "field"),
    [
        (line("k", "Near", "a"), "matchExpressions[0].operator"),
        (line("k", "in", "a"), "matchExpressions[0].operator"),
        (line("k", "", "a"), "matchExpressions[0].operator"),
        (line("k", "In"), "matchExpressions[0].values"),
        (line("k", "NotIn"), "matchExpressions[0].values"),
        (line("k", "Exists", "a"), "matchExpressions[0].values"),
        (line("k", "DoesNotExist", "a"), "matchExpressions[0].values"),
        (line("", "NotIn", "a"), "matchExpressions[0].key"),
        (line("", "Gt", "1"), "matchExpressions[0].key"),
        (line("k", "Gt"), "matchExpressions[0].values"),
        (line("k", "Gt", "1", "2"), "matchExpressions[0].values"),
        (line("k", "Lt", "1.5"), "matchExpressions[0].values"),
        (line("k", "Lt", "-1"), "matchExpressions[0].values"),
        (line("k", "Lt", "1e3"), "matchExpressions[0].values"),
        (line("k", "Gt", ""), "matchExpressions[0].values"),
        (line("k", "Gt", "\u0661"), "matchExpressions[0].values"),
        (line("k", "Gt", str(2**63)), "matchExpressions[0].values"),
        (line("k", "Gt", "9" * 10_000), "matchExpressions[0].values"),
        (on_field("metadata.name", "Exists"), "matchFields[0].operator"),
        (on_field("metadata.name", "Gt", "1"), "matchFields[0].operator"),
        (on_field("metadata.uid", "In", "x"), "matchFields[0].key"),
        (on_field("", "In", "x"), "matchFields[0].key"),
        (on_field("metadata.name", "In", "x", "y"), "matchFields[0].values"),
        (on_field("metadata.name", "NotIn"), "matchFields[0].values"),
    ],
)
def test_what_kubernetes_would_not_accept_is_told_with_its_place(
    told: dict[str, Any], field: str
) -> None:
    place = place_of_fault(needing(line("fine", "Exists"), told))

    assert place == f"{AFFINITY}.{REQUIRED}.nodeSelectorTerms[1].{field}"


def test_a_field_is_the_nodes_name_and_nothing_else() -> None:
    assert terms_of(needing(on_field("metadata.name", "NotIn", "n1"))) == (
        (Requirement("metadata.name", Operator.NOT_IN, ("n1",), is_field=True),),
    )


def test_a_term_needs_all_its_lines_labels_and_fields() -> None:
    term = {**line("a", "Exists"), **on_field("metadata.name", "In", "n1")}

    assert [each.key for each in terms_of(needing(term))[0]] == ["a", "metadata.name"]


def test_an_empty_term_stays_an_empty_term_which_no_node_satisfies() -> None:
    assert terms_of(needing({}, line("a", "Exists")))[0] == ()


def test_an_affinity_without_terms_leaves_no_node() -> None:
    assert terms_of(needing()) == ()


def wishing(weight: int, preference: dict[str, Any]) -> objects.Pod:
    wish = {"weight": weight, "preference": preference}
    return pod(affinity={"nodeAffinity": {PREFERRED: [wish]}})


def test_wishes_have_weights() -> None:
    assert choosing.preferred(wishing(7, line("a", "Exists"))) == (
        (7, (Requirement("a", Operator.EXISTS),)),
    )


def test_an_empty_wish_is_none() -> None:
    assert choosing.preferred(wishing(7, {})) == ()


@pytest.mark.parametrize("weight", [0, -1, 101])
def test_a_weight_is_from_1_to_100(weight: int) -> None:
    with pytest.raises(errors.BadManifest) as raised:
        choosing.preferred(wishing(weight, line("a", "Exists")))

    assert raised.value.where == f"{AFFINITY}.{PREFERRED}[0].weight"


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ({"key": "gpu", "value": "yes"}, Toleration("gpu", "Equal", "yes", "")),
        ({"key": "gpu"}, Toleration("gpu", "Equal", "", "")),
        ({"key": "gpu", "operator": "Exists"}, Toleration("gpu", "Exists", "", "")),
        ({"operator": "Exists"}, Toleration("", "Exists", "", "")),
        (
            {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
            Toleration("a", "Exists", "", "NoExecute"),
        ),
        ({"key": "a", "operator": "Gt", "value": "-5"}, Toleration("a", "Gt", "-5", "")),
    ],
)
def test_a_toleration_is_read(told: dict[str, Any], read: Toleration) -> None:
    assert choosing.tolerations(pod(tolerations=[told])) == (read,)


@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({}, "key"),
        ({"operator": "Equal", "value": "x"}, "key"),
        ({"key": "a", "operator": "Exist"}, "operator"),
        ({"key": "a", "operator": "Exists", "value": "x"}, "value"),
        ({"key": "a", "operator": "Gt", "value": "x"}, "value"),
        ({"key": "a", "operator": "Lt"}, "value"),
        ({"key": "a", "effect": "NoRun"}, "effect"),
    ],
)
def test_a_toleration_that_kubernetes_would_not_accept_is_told_with_its_place(
    told: dict[str, Any], field: str
) -> None:
    fine = {"operator": "Exists"}

    with pytest.raises(errors.BadManifest) as raised:
        choosing.tolerations(pod(tolerations=[fine, told]))

    assert raised.value.where == f"spec.tolerations[1].{field}"


def test_a_nodes_taints_are_read_as_they_stand() -> None:
    told = {"spec": {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}}
    node = objects.decode(objects.Node, told)

    assert isinstance(node, objects.Node)
    assert choosing.taints(node) == (Taint("gpu", "yes", "NoSchedule"),)
