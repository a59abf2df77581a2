"""Domains that bound pods keep others out of: required anti-affinity, anybody's.

A rule is kept once however many pods have it, with the nodes where they are; a domain is all nodes
that have the same value of the rule's topology key. A node without that label is in no domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from fullcrew.model.where import Where
from fullcrew.objects.selecting import PodTerm
from fullcrew.room import Ints, Mask
from fullcrew.state.domains import EVERYWHERE, Domains, Kin, Kindred, Rule, namespaces_of
from fullcrew.state.nodes import NodeRows
from fullcrew.state.settings import Settings

__all__ = ["NO_KIN", "Fences"]

NO_KIN: Final[Kin] = ("", ())  # of pods that no rule can speak of


class _Column(NamedTuple):
    """A label of all nodes, as the domains were last counted by."""

    numbers: Ints
    values: int


class Fences:
    """Rules of bound pods, and the masks that they make."""

    __slots__ = (
        "_closed", "_columns", "_domains", "_generation", "_keys", "_known", "_moved", "_nodes",
        "_of_pod", "_rules", "_settings", "stale",
    )  # fmt: skip

    def __init__(self, nodes: NodeRows, settings: Settings) -> None:
        self._nodes, self._settings = nodes, settings
        self._rules: dict[PodTerm, Rule] = {}
        self._of_pod: dict[str, tuple[int, tuple[PodTerm, ...]]] = {}
        self._keys: dict[str, frozenset[str]] = {}  # labels that rules read, by namespace
        self._domains = Domains(settings.labels_of)
        self._moved: dict[Rule, set[int]] = {}  # nodes where pods came or went, or that changed
        self._columns: dict[str, _Column] = {}
        self._closed: dict[int, Mask] = {}
        self._known = 0  # wheres that the masks were made for
        self._generation = -1  # of the nodes, likewise
        self.stale: set[str] = set()  # namespaces whose kin must be read again; "" for all

    def put(self, pod: str, node: int, terms: tuple[PodTerm, ...]) -> None:
        """The rules of a bound pod as they are now."""
        if self._of_pod.get(pod, (0, ())) == ((node, terms) if terms else (0, ())):
            return
        self.drop(pod)
        if not terms:
            return
        self._of_pod[pod] = (node, terms)
        for term in terms:
            rule = self._rules.get(term)
            if rule is None:
                rule = self._rules[term] = Rule(term, {})
                self._read_keys(term)
            self._count(rule, node, 1)

    def has(self, pod: str) -> bool:
        """Whether the pod keeps anybody out."""
        return pod in self._of_pod

    def drop(self, pod: str) -> None:
        """The pod is gone."""
        node, terms = self._of_pod.pop(pod, (0, ()))
        for term in terms:
            rule = self._rules[term]
            self._count(rule, node, -1)
            if not rule.pods:
                del self._rules[term]

    def kin(self, namespace: str, labels: Mapping[str, str]) -> Kin:
        """What the rules can read of a pod."""
        if not self._keys:
            return NO_KIN
        mine, all_over = self._keys.get(namespace), self._keys.get(EVERYWHERE)
        if mine is None and all_over is None:
            return NO_KIN
        keys = (mine or frozenset()) | (all_over or frozenset())
        return namespace, tuple((key, labels[key]) for key in sorted(keys) if key in labels)

    @property
    def topology_keys(self) -> set[str]:
        """The labels of nodes that rules read."""
        return {term.topology_key for term in self._rules}

    def read_keys(self) -> None:
        """Read again which labels matter, after rules have gone. The caller reads every kin."""
        self._keys.clear()
        for term in self._rules:
            self._read_keys(term)
        self.stale.clear()

    def closed(self, wheres: Sequence[Where]) -> Mapping[int, Mask]:
        """By where the nodes that rules close to it; the same value until one changes."""
        self._follow_nodes()
        self._follow_namespaces()
        self._follow_rules()
        for number in range(self._known, len(wheres)):
            kin = wheres[number].kin
            if kin != NO_KIN:
                kindred = self._domains.of(kin)
                kindred.wheres.append(number)
                if kindred.rules:
                    self._domains.stale.add(kindred)
        self._known = len(wheres)
        if self._domains.stale:
            self._closed = self._made()
        return self._closed

    def start_again(self) -> None:
        """The wheres were numbered anew, and perhaps the values of labels."""
        self._domains = Domains(self._settings.labels_of)
        self._rules = {term: Rule(term, rule.pods) for term, rule in self._rules.items()}
        self._moved = {rule: set(rule.pods) for rule in self._rules.values()}
        self._columns, self._closed = {}, {}
        self._known, self._generation = 0, -1

    def _count(self, rule: Rule, node: int, sign: int) -> None:
        before = rule.pods.get(node, 0)
        if before + sign:
            rule.pods[node] = before + sign
        else:
            del rule.pods[node]
        if not before or not before + sign:
            self._moved.setdefault(rule, set()).add(node)

    def _follow_nodes(self) -> None:
        """Nodes came, or their labels changed: their domains are others now."""
        if self._generation == self._nodes.generation:
            return
        self._generation = self._nodes.generation
        for key, before in self._columns.items():
            now = self._column(key)
            known = len(before.numbers)
            rows = np.flatnonzero(now.numbers[:known] != before.numbers)
            changed = {*rows.tolist(), *range(known, len(now.numbers))}
            if changed:
                self._columns[key] = now
                self._move(key, changed)

    def _move(self, key: str, changed: set[int]) -> None:
        for rule in self._rules.values():
            if rule.term.topology_key == key and (there := changed & rule.pods.keys()):
                self._moved.setdefault(rule, set()).update(there)
        kindred = self._domains.kindred.values()
        self._domains.stale.update(each for each in kindred if each.rules)

    def _follow_namespaces(self) -> None:
        relabelled, self._settings.relabelled = self._settings.relabelled, set()
        for namespace in relabelled:
            self._domains.look_again(namespace)

    def _follow_rules(self) -> None:
        moved, self._moved = self._moved, {}
        for rule, nodes in moved.items():
            key = rule.term.topology_key
            column = self._columns.get(key)
            if column is None:
                column = self._columns[key] = self._column(key)
            for node in nodes:
                domain = int(column.numbers[node]) if node in rule.pods else -1
                self._domains.move(rule, node, None if domain < 0 else domain)
            if not rule.pods:
                self._domains.remove(rule)
            elif rule.places is None:
                self._domains.add(rule)

    def _column(self, key: str) -> _Column:
        numbers = self._nodes.labels.column(key).copy()
        return _Column(numbers, int(numbers.max(initial=-1)) + 1)

    def _made(self) -> dict[int, Mask]:
        made = dict(self._closed)
        stale, self._domains.stale = self._domains.stale, set()
        for kindred in stale:
            mask = self._mask(kindred) if kindred.rules else None
            for number in kindred.wheres:
                if mask is None:
                    made.pop(number, None)
                else:
                    made[number] = mask
        return made

    def _mask(self, kindred: Kindred) -> Mask:
        mask = np.zeros(len(self._nodes.names), dtype=np.bool_)
        for key, domains in kindred.domains.items():
            column = self._columns[key]
            is_closed = np.zeros(column.values + 1, dtype=np.bool_)  # the last: without the label
            is_closed[[*domains]] = True
            mask |= is_closed[column.numbers]
        mask.flags.writeable = False
        return mask

    def _read_keys(self, term: PodTerm) -> None:
        for namespace in namespaces_of(term):
            known = self._keys.get(namespace)
            keys = (known or frozenset()) | frozenset(term.pods.keys)
            if keys != known:
                self._keys[namespace] = keys
                self.stale.add(namespace)
