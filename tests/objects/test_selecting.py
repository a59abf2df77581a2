"""Which pods a rule between pods selects: absent is nothing, empty is everything."""

from __future__ import annotations

from typing import Any

import pytest

from fullcrew import errors, objects
from fullcrew.objects import selecting

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PLACE = f"spec.affinity.podAntiAffinity.{REQUIRED}[0]"


def pod(*terms: dict[str, Any], namespace: str = "team", **labels: str) -> objects.Pod:
    told = {
        "metadata": {"namespace": namespace, "labels": labels},
        "spec": {"affinity": {"podAntiAffinity": {REQUIRED: list(terms)}}},
    }
    found = objects.decode(objects.Pod, told)
    assert isinstance(found, objects.Pod), found
    return found


def term(**told: object) -> dict[str, Any]:
    return {"topologyKey": "zone", **told}


def rule(*terms: dict[str, Any], **labels: str) -> selecting.PodTerm:
    (found,) = selecting.required_anti_affinity(pod(*terms, **labels))
    return found


def chooses(selector: dict[str, Any] | None, **labels: str) -> bool:
    found = rule(term(labelSelector=selector) if selector is not None else term())
    return found.selects(namespace="team", namespace_labels={}, labels=labels)


def on(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def test_a_pod_without_such_rules_has_none() -> None:
    assert selecting.required_anti_affinity(pod()) == ()


def test_no_selector_selects_nothing_and_an_empty_one_everything() -> None:
    assert not chooses(None, app="a")
    assert chooses({}, app="a")
    assert chooses({})


@pytest.mark.parametrize(
    ("selector", "selected", "passed_over"),
    [
        ({"matchLabels": {"app": "a"}}, {"app": "a"}, {"app": "b"}),
        ({"matchLabels": {"app": "a", "b": "c"}}, {"app": "a", "b": "c"}, {"app": "a"}),
        ({"matchLabels": {"app": ""}}, {"app": ""}, {}),
        (on("app", "In", "a", "b"), {"app": "b"}, {"app": "c"}),
        (on("app", "In", "a"), {"app": "a"}, {}),
        (on("app", "NotIn", "a"), {}, {"app": "a"}),
        (on("app", "NotIn", "a"), {"app": "b"}, {"app": "a"}),
        (on("app", "Exists"), {"app": ""}, {"other": "x"}),
        (on("app", "DoesNotExist"), {"other": "x"}, {"app": "x"}),
        ({"matchLabels": {"b": "c"}, **on("app", "Exists")}, {"b": "c", "app": ""}, {"b": "c"}),
    ],
)
def test_each_operator_means_what_kubernetes_means(
    selector: dict[str, Any], selected: dict[str, str], passed_over: dict[str, str]
) -> None:
    assert chooses(selector, **selected)
    assert not chooses(selector, **passed_over)


@pytest.mark.parametrize(
    ("selector", "field"),
    [
        (on("app", "Gt", "1"), "operator"),
        (on("app", "Near", "1"), "operator"),
        (on("app", "In"), "values"),
        (on("app", "Exists", "x"), "values"),
        (on("", "NotIn", "x"), "key"),
    ],
)
def test_a_selector_that_is_none_is_told_with_its_place(
    selector: dict[str, Any], field: str
) -> None:
    with pytest.raises(errors.BadManifest) as raised:
        rule(term(labelSelector=selector))

    assert raised.value.where == f"{PLACE}.labelSelector.matchExpressions[0].{field}"


def test_a_rule_needs_a_kind_of_domain() -> None:
    with pytest.raises(errors.BadManifest) as raised:
        rule({"labelSelector": {}})

    assert raised.value.where == f"{PLACE}.topologyKey"


NAMESPACE_LABELS = {"team": {}, "other": {"tier": "gold"}, "third": {}}


@pytest.mark.parametrize(
    ("told", "spoken_of"),
    [
        ({}, ["team"]),
        ({"namespaces": ["other"]}, ["other"]),
        ({"namespaceSelector": {}}, ["team", "other", "third"]),
        ({"namespaceSelector": {"matchLabels": {"tier": "gold"}}}, ["other"]),
        (
            {"namespaces": ["third"], "namespaceSelector": {"matchLabels": {"tier": "gold"}}},
            ["other", "third"],
        ),
        ({"namespaceSelector": None, "namespaces": []}, ["team"]),
    ],
)
def test_a_rule_speaks_of_its_own_namespace_unless_it_says_otherwise(
    told: dict[str, Any], spoken_of: list[str]
) -> None:
    found = rule(term(labelSelector={}, **told))

    assert [
        namespace
        for namespace, labels in NAMESPACE_LABELS.items()
        if found.selects(namespace=namespace, namespace_labels=labels, labels={})
    ] == spoken_of


def test_match_label_keys_are_the_pods_own_labels() -> None:
    told = term(
        labelSelector={"matchLabels": {"app": "a"}},
        matchLabelKeys=["version", "absent"],
        mismatchLabelKeys=["tenant"],
    )

    found = rule(told, app="a", version="2", tenant="x").pods

    assert found.matches({"app": "a", "version": "2", "tenant": "y"})
    assert found.matches({"app": "a", "version": "2"})
    assert not found.matches({"app": "a", "version": "2", "tenant": "x"})
    assert not found.matches({"app": "a", "version": "1", "tenant": "y"})


def test_what_the_server_wrote_of_label_keys_is_not_written_again() -> None:
    told = term(labelSelector=on("version", "In", "1"), matchLabelKeys=["version"])

    found = rule(told, version="2").pods

    assert found.matches({"version": "1"}), "the pod's label has changed since"


def test_a_manifest_and_what_the_server_makes_of_it_are_one_selector() -> None:
    written = {"matchLabels": {"zebra": "z"}, **on("app", "In", "a")}
    manifest = term(labelSelector={"matchLabels": {"zebra": "z"}}, matchLabelKeys=["app"])

    assert rule(manifest, app="a").pods == rule(term(labelSelector=written)).pods


def test_label_keys_of_a_rule_without_selector_select_nothing() -> None:
    assert rule(term(matchLabelKeys=["app"]), app="a").pods == selecting.NOTHING


def test_a_selector_says_which_labels_matter_to_it() -> None:
    told = term(labelSelector={"matchLabels": {"b": "1", "a": "2"}, **on("c", "Exists")})

    assert rule(told).pods.keys == ("a", "b", "c")


def test_alike_selectors_are_equal_in_whatever_order_they_came() -> None:
    one, other = on("a", "In", "x", "y"), on("b", "Exists")
    both = {"matchExpressions": one["matchExpressions"] + other["matchExpressions"]}
    turned = {
        "matchExpressions": other["matchExpressions"] + on("a", "In", "y", "x")["matchExpressions"]
    }

    assert rule(term(labelSelector=both)).pods == rule(term(labelSelector=turned)).pods
