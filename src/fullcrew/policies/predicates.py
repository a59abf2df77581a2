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
_FEW = 8  # names that are sought one by one, since an index of all nodes costs more
_DISLIKE = 100  # a taint to be avoided weighs as much as the strongest wish


@dataclass(frozen=True, slots=True)
class Predicates:
    """The rules about nodes that every Kubernetes scheduler keeps."""

    def allow(self, where: Where, nodes: Nodes) -> Mask:
        """Usable, without a taint that is not tolerated, and of each requirement one term holds."""
        tolerations = _by_key(where)
        tolerated = [
            not any(t.effect in _FORBIDS and not _is_tolerated(t, tolerations) for t in taints)
            for taints in nodes.taint_sets
        ]
        allowed = nodes.usable & np.array(tolerated, dtype=np.bool_)[nodes.taints]
        labels = _Labels(nodes)
        for terms in where.required:
            allowed &= _any_term(terms, labels)
        return allowed

    def liking(self, where: Where, nodes: Nodes) -> Ints | None:
        """The weights of the wishes that hold, less the taints that are merely to be avoided."""
        tolerations = _by_key(where)
        avoided = [
            sum(t.effect == _PREFER_NOT and not _is_tolerated(t, tolerations) for t in taints)
            for taints in nodes.taint_sets
        ]
        if not where.preferred and not any(avoided):
            return None
        worth: Ints = np.array(avoided, dtype=np.int64)[nodes.taints] * -_DISLIKE
        labels = _Labels(nodes)
        for weight, term in where.preferred:
            worth += _holds_all(term, labels) * np.int64(weight)
        return worth


class _Labels:
    """The nodes under the requirements of one where. A where may have thousands of terms that name
    one value each, so values are found by an index, made when a label is first asked about."""

    __slots__ = ("_index", "_named", "_row_of", "nodes")

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self._index: dict[str, dict[str, int]] = {}
        self._named = 0  # nodes asked for by name
        self._row_of: dict[str, int] = {}

    def has(self, key: str, column: LabelColumn, values: tuple[str, ...]) -> Mask:
        """Which nodes have one of these values; none where the label is absent."""
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = {value: at for at, value in enumerate(column.values)}
        table = np.zeros(len(column.values) + 1, dtype=np.bool_)
        table[[index[value] for value in values if value in index]] = True
        found: Mask = table[column.numbers]
        return found

    def is_named(self, names: tuple[str, ...]) -> Mask:
        """Which nodes have one of these names."""
        every = self.nodes.names
        found = np.zeros(len(every), dtype=np.bool_)
        self._named += len(names)
        if self._named <= _FEW:
            found[[every.index(name) for name in names if name in every]] = True
            return found
        self._row_of = self._row_of or {name: row for row, name in enumerate(every)}
        found[[self._row_of[name] for name in names if name in self._row_of]] = True
        return found


def _any_term(terms: tuple[Term, ...], labels: _Labels) -> Mask:
    found = np.zeros(len(labels.nodes.names), dtype=np.bool_)
    for term in terms:
        found |= _holds_all(term, labels)
    return found


def _holds_all(term: Term, labels: _Labels) -> Mask:
    """A term without requirements matches no node."""
    if not term:
        return np.zeros(len(labels.nodes.names), dtype=np.bool_)
    found = _holds(term[0], labels)
    for requirement in term[1:]:
        found &= _holds(requirement, labels)
    return found


def _holds(requirement: Requirement, labels: _Labels) -> Mask:
    nodes, is_not = labels.nodes, requirement.operator is Operator.NOT_IN
    if requirement.is_field:  # `metadata.name`, the only one there is
        found = labels.is_named(requirement.values)
        return ~found if is_not else found
    column = nodes.labels.get(requirement.key)
    if column is not None and requirement.operator in {Operator.IN, Operator.NOT_IN}:
        found = labels.has(requirement.key, column, requirement.values)
        return ~found if is_not else found
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


def _by_key(where: Where) -> dict[str, list[Toleration]]:
    """Tolerations by the key of the taints that they may tolerate; those of all keys under "".
    A pod may have as many as there are kinds of taint, and each taint is asked about a few."""
    found: dict[str, list[Toleration]] = {}
    for each in where.tolerations:
        found.setdefault(each.key, []).append(each)
    return found


def _is_tolerated(taint: Taint, by_key: dict[str, list[Toleration]]) -> bool:
    keys = (taint.key, "") if taint.key else ("",)
    return any(_tolerates(each, taint) for key in keys for each in by_key.get(key, ()))


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
