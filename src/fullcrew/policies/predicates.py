"""Filter `predicates`: node selectors, node affinity and taints, as Kubernetes reads them.

Each distinct value of a label and each distinct set of taints is judged once; the nodes are then
looked up in the table of verdicts, whatever their number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fullcrew.model.where import Operator, Requirement, Taint, Term, Toleration, Where
from fullcrew.room import Ints, LabelColumn, Mask, Nodes

__all__ = ["Predicates"]

_FORBIDS = frozenset({"NoSchedule", "NoExecute"})
_PREFER_NOT = "PreferNoSchedule"
_DISLIKE = 100  # a taint to be avoided weighs as much as the strongest wish


@dataclass(frozen=True, slots=True)
class Predicates:
    """The rules about nodes that every Kubernetes scheduler keeps."""

    def allow(self, where: Where, nodes: Nodes) -> Mask:
        """Usable, without a taint that is not tolerated, and of each requirement one term holds."""
        tolerated = [
            not any(t.effect in _FORBIDS and not _is_tolerated(t, where) for t in taints)
            for taints in nodes.taint_sets
        ]
        allowed = nodes.usable & np.array(tolerated, dtype=np.bool_)[nodes.taints]
        for terms in where.required:
            allowed &= _any_term(terms, nodes)
        return allowed

    def liking(self, where: Where, nodes: Nodes) -> Ints | None:
        """The weights of the wishes that hold, less the taints that are merely to be avoided."""
        avoided = [
            sum(t.effect == _PREFER_NOT and not _is_tolerated(t, where) for t in taints)
            for taints in nodes.taint_sets
        ]
        if not where.preferred and not any(avoided):
            return None
        worth: Ints = np.array(avoided, dtype=np.int64)[nodes.taints] * -_DISLIKE
        for weight, term in where.preferred:
            worth += _holds_all(term, nodes) * np.int64(weight)
        return worth


def _any_term(terms: tuple[Term, ...], nodes: Nodes) -> Mask:
    found = np.zeros(len(nodes.names), dtype=np.bool_)
    for term in terms:
        found |= _holds_all(term, nodes)
    return found


def _holds_all(term: Term, nodes: Nodes) -> Mask:
    """A term without requirements matches no node."""
    if not term:
        return np.zeros(len(nodes.names), dtype=np.bool_)
    found = _holds(term[0], nodes)
    for requirement in term[1:]:
        found &= _holds(requirement, nodes)
    return found


def _holds(requirement: Requirement, nodes: Nodes) -> Mask:
    if requirement.is_field:
        return _is_named(requirement, nodes.names)
    column = nodes.labels.get(requirement.key)
    judged = _verdicts(requirement)
    if column is None:
        return np.full(len(nodes.names), judged(None), dtype=np.bool_)
    return _looked_up(column, judged)


def _looked_up(column: LabelColumn, judged: Callable[[str | None], bool]) -> Mask:
    """The verdict on an absent label stands last, where the number -1 finds it."""
    table = np.array([*map(judged, column.values), judged(None)], dtype=np.bool_)
    found: Mask = table[column.numbers]
    return found


def _verdicts(requirement: Requirement) -> Callable[[str | None], bool]:
    values = frozenset(requirement.values)
    match requirement.operator:
        case Operator.IN:
            return lambda value: value in values
        case Operator.NOT_IN:
            return lambda value: value not in values
        case Operator.EXISTS:
            return lambda value: value is not None
        case Operator.DOES_NOT_EXIST:
            return lambda value: value is None
    bound = _number(requirement.values[0] if requirement.values else "")
    is_greater = requirement.operator is Operator.GT

    def compared(value: str | None) -> bool:
        number = _number(value or "")
        if number is None or bound is None:
            return False
        return number > bound if is_greater else number < bound

    return compared


def _is_named(requirement: Requirement, names: tuple[str, ...]) -> Mask:
    """By `metadata.name`, the only field there is."""
    rows = [names.index(value) for value in requirement.values if value in names]
    found = np.zeros(len(names), dtype=np.bool_)
    found[rows] = True
    return ~found if requirement.operator is Operator.NOT_IN else found


def _is_tolerated(taint: Taint, where: Where) -> bool:
    return any(_tolerates(each, taint) for each in where.tolerations)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if not toleration.key:
        return toleration.operator == "Exists"
    if toleration.key != taint.key:
        return False
    match toleration.operator:
        case "Exists":
            return True
        case "Gt" | "Lt":
            return _is_beyond(taint.value, toleration)
    return toleration.value == taint.value


def _is_beyond(value: str, toleration: Toleration) -> bool:
    number, bound = _number(value), _number(toleration.value)
    if number is None or bound is None:
        return False
    return number > bound if toleration.operator == "Gt" else number < bound


def _number(text: str) -> int | None:
    """A whole number of at most 64 bits, as Kubernetes reads labels that are compared."""
    digits = text.removeprefix("-") if text.startswith("-") else text.removeprefix("+")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 19):
        return None
    number = int(text)
    return number if -(1 << 63) <= number < 1 << 63 else None
