"""Which nodes a pod may use and which it would like, as values: selectors, affinity, tolerations.

Read and checked only; whether a node satisfies them is asked in the policies, for all nodes at
once. Everything here raises `BadManifest` with the place of what Kubernetes would not accept.
"""

from __future__ import annotations

import re
from typing import Final

from fullcrew.errors import BadManifest
from fullcrew.model.where import Operator, Requirement, Taint, Term, Toleration
from fullcrew.objects import pod as pods
from fullcrew.objects.affinity import NodeSelector, NodeSelectorTerm, SelectorRequirement
from fullcrew.objects.node import Node
from fullcrew.objects.pod import Pod
from fullcrew.objects.requirements import named, requirement, unknown_operator
from fullcrew.objects.shape import Strings

__all__ = ["preferred", "required", "selected", "taints", "terms", "tolerations"]

_NAME: Final = "metadata.name"
_ON_LABELS: Final = tuple(Operator)
_ON_FIELDS: Final = (Operator.IN, Operator.NOT_IN)
_WHOLE_NUMBER = re.compile("[0-9]{1,63}")  # as long as a label's value may be
_MOST_NUMBER: Final = 2**63 - 1
_HEAVIEST: Final = 100

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_EQUAL: Final = "Equal"
_TOLERATING: Final = ("Exists", _EQUAL, "Lt", "Gt")

_AFFINITY: Final = "spec.affinity.nodeAffinity"


def required(pod: Pod) -> tuple[tuple[Term, ...], ...]:
    """Of each entry at least one term must hold: the node selector, then the required affinity."""
    found: list[tuple[Term, ...]] = []
    if pod.spec.node_selector:
        found.append((selected(pod.spec.node_selector),))
    affinity = pod.spec.affinity.node_affinity if pod.spec.affinity else None
    told = affinity.required_during_scheduling_ignored_during_execution if affinity else None
    if told is not None:
        place = f"{_AFFINITY}.requiredDuringSchedulingIgnoredDuringExecution"
        found.append(terms(told, where=place))
    return tuple(found)


def preferred(pod: Pod) -> tuple[tuple[int, Term], ...]:
    """Wishes and their weights; an empty term wishes for nothing."""
    affinity = pod.spec.affinity.node_affinity if pod.spec.affinity else None
    if affinity is None:
        return ()
    found = []
    for at, told in enumerate(affinity.preferred_during_scheduling_ignored_during_execution):
        place = f"{_AFFINITY}.preferredDuringSchedulingIgnoredDuringExecution[{at}]"
        if not 1 <= told.weight <= _HEAVIEST:
            raise BadManifest(
                f"a weight of {told.weight}",
                try_this=f"a weight from 1 to {_HEAVIEST}",
                where=f"{place}.weight",
            )
        term = _term(told.preference, where=f"{place}.preference")
        if term:
            found.append((told.weight, term))
    return tuple(found)


def selected(labels: Strings) -> Term:
    """A plain node selector, as the term that says the same."""
    return tuple(Requirement(key, Operator.IN, (labels[key],)) for key in sorted(labels))


def terms(told: NodeSelector, *, where: str) -> tuple[Term, ...]:
    """The terms of a pod's or a volume's node selector; without any, no node will do."""
    return tuple(
        _term(each, where=f"{where}.nodeSelectorTerms[{at}]")
        for at, each in enumerate(told.node_selector_terms)
    )


def tolerations(pod: Pod) -> tuple[Toleration, ...]:
    """What the pod puts up with; an operator that is left out is `Equal`."""
    told = enumerate(pod.spec.tolerations)
    return tuple(_toleration(each, where=f"spec.tolerations[{at}]") for at, each in told)


def taints(node: Node) -> tuple[Taint, ...]:
    """The node's taints, as they stand on it."""
    return tuple(Taint(each.key, each.value, each.effect) for each in node.spec.taints)


def _term(told: NodeSelectorTerm, *, where: str) -> Term:
    labels = (
        _on_label(each, where=f"{where}.matchExpressions[{at}]")
        for at, each in enumerate(told.match_expressions)
    )
    fields = (
        _on_field(each, where=f"{where}.matchFields[{at}]")
        for at, each in enumerate(told.match_fields)
    )
    return (*labels, *fields)


def _on_label(told: SelectorRequirement, *, where: str) -> Requirement:
    if told.operator not in _ON_LABELS:
        raise unknown_operator(told.operator, known=_ON_LABELS, where=where)
    operator = Operator(told.operator)
    if operator not in {Operator.GT, Operator.LT}:
        return requirement(told, where=where)
    named(told, where=where)
    if len(told.values) != 1 or not _is_whole_number(told.values[0]):
        raise BadManifest(
            f"{operator} does not compare with one whole number",
            try_this="one value of digits only, in quotes",
            where=f"{where}.values",
        )
    return Requirement(told.key, operator, told.values)


def _on_field(told: SelectorRequirement, *, where: str) -> Requirement:
    if told.operator not in _ON_FIELDS:
        raise unknown_operator(told.operator, known=_ON_FIELDS, where=where)
    if told.key != _NAME:
        raise BadManifest(
            f"nodes have no field {told.key!r} to select by",
            try_this=f"key: {_NAME}",
            where=f"{where}.key",
        )
    if len(told.values) != 1:
        raise BadManifest(
            f"{len(told.values)} names where one belongs",
            try_this="one name; several are several terms",
            where=f"{where}.values",
        )
    return Requirement(told.key, Operator(told.operator), told.values, is_field=True)


def _toleration(told: pods.Toleration, *, where: str) -> Toleration:
    operator = told.operator or _EQUAL
    if operator not in _TOLERATING:
        raise unknown_operator(told.operator, known=_TOLERATING, where=where)
    if not told.key and operator != "Exists":
        raise BadManifest(
            "a toleration without a key",
            try_this="a key, or operator: Exists for every taint",
            where=f"{where}.key",
        )
    if told.value and operator == "Exists":
        raise BadManifest(
            "a toleration with Exists and a value",
            try_this="operator: Equal, or no value",
            where=f"{where}.value",
        )
    if operator in {"Lt", "Gt"} and not _is_whole_number(told.value.removeprefix("-")):
        raise BadManifest(
            f"{operator} does not compare with a whole number",
            try_this="a value of digits only, in quotes",
            where=f"{where}.value",
        )
    if told.effect not in ("", *_EFFECTS):
        raise BadManifest(
            f"there is no effect {told.effect!r}",
            try_this=f"one of: {', '.join(_EFFECTS)}, or none for all of them",
            where=f"{where}.effect",
        )
    return Toleration(told.key, operator, told.value, told.effect)


def _is_whole_number(text: str) -> bool:
    return bool(_WHOLE_NUMBER.fullmatch(text)) and int(text) <= _MOST_NUMBER
