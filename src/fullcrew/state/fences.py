"""Domains that bound pods keep others out of: required anti-affinity, anybody's.

A rule is kept once however many pods have it, with the nodes where they are; a domain is all nodes
that have the same value of the rule's topology key. A node without that label is in no domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fullcrew.model.where import Where
from fullcrew.objects.selecting import NOTHING, PodTerm
from fullcrew.room import Mask
from fullcrew.state.nodes import NodeRows

__all__ = ["NO_KIN", "Fences", "Kin"]

Kin = tuple[str, tuple[tuple[str, str], ...]]
NO_KIN: Kin = ("", ())  # of pods that no rule can speak of

_EVERYWHERE = ""  # in the place of a namespace, for rules that choose theirs by labels


class _Moment(NamedTuple):
    """What the masks depend on besides the wheres."""

    rules: int
    nodes: int
    namespaces: int


class Fences:
    """Rules of bound pods, and the masks that they make."""

    __slots__ = (
        "_closed", "_counts", "_keys", "_known", "_masks", "_matching", "_moment", "_of_pod",
        "stale", "version",
    )  # fmt: skip

    def __init__(self) -> None:
        self._counts: dict[PodTerm, dict[int, int]] = {}  # how many pods by node
        self._of_pod: dict[str, tuple[int, tuple[PodTerm, ...]]] = {}
        self._keys: dict[str, frozenset[str]] = {}  # labels that rules read, by namespace
        self._masks: dict[PodTerm, Mask] = {}
        self._matching: dict[Kin, list[PodTerm]] = {}
        self._closed: dict[int, Mask] = {}
        self._known = 0  # wheres that the masks were made for
        self._moment: _Moment | None = None
        self.version = 0
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
            on_nodes = self._counts.get(term)
            if on_nodes is None:
                on_nodes = self._counts[term] = {}
                self._matching.clear()
                self._read_keys(term)
            on_nodes[node] = on_nodes.get(node, 0) + 1
        self.version += 1

    def has(self, pod: str) -> bool:
        """Whether the pod keeps anybody out."""
        return pod in self._of_pod

    def drop(self, pod: str) -> bool:
        """The pod is gone. Whether it had rules."""
        node, terms = self._of_pod.pop(pod, (0, ()))
        for term in terms:
            on_nodes = self._counts[term]
            on_nodes[node] -= 1
            if not on_nodes[node]:
                del on_nodes[node]
            if not on_nodes:
                del self._counts[term]
                self._matching.clear()
        self.version += bool(terms)
        return bool(terms)

    def kin(self, namespace: str, labels: Mapping[str, str]) -> Kin:
        """What the rules can read of a pod."""
        if not self._keys:
            return NO_KIN
        mine, all_over = self._keys.get(namespace), self._keys.get(_EVERYWHERE)
        if mine is None and all_over is None:
            return NO_KIN
        keys = (mine or frozenset()) | (all_over or frozenset())
        return namespace, tuple((key, labels[key]) for key in sorted(keys) if key in labels)

    @property
    def topology_keys(self) -> set[str]:
        """The labels of nodes that rules read."""
        return {term.topology_key for term in self._counts}

    def forget_keys(self) -> None:
        """Read again which labels matter, after rules have gone. Every kin is stale then."""
        self._keys.clear()
        for term in self._counts:
            self._read_keys(term)
        self.stale.add(_EVERYWHERE)

    def closed(
        self,
        wheres: Sequence[Where],
        nodes: NodeRows,
        labels_of: Callable[[str], Mapping[str, str]],
        namespaces: int,
    ) -> Mapping[int, Mask]:
        """By where the nodes that rules close to it. `namespaces` grows when labels of one change.

        The same value as long as nothing that it depends on changed.
        """
        moment = _Moment(self.version, nodes.generation, namespaces)
        if moment != self._moment:
            self._masks.clear()
            self._matching.clear()
            self._closed = {}
            self._known = 0
            self._moment = moment
        if self._counts and self._known < len(wheres):
            self._closed = self._made(wheres, nodes, labels_of)
        self._known = len(wheres)
        return self._closed

    def start_again(self) -> None:
        """The wheres were numbered anew."""
        self._moment = None

    def _made(
        self,
        wheres: Sequence[Where],
        nodes: NodeRows,
        labels_of: Callable[[str], Mapping[str, str]],
    ) -> dict[int, Mask]:
        made = dict(self._closed)
        for number in range(self._known, len(wheres)):
            where = wheres[number]
            if where.kin == NO_KIN:
                continue
            matching = self._matching.get(where.kin)
            if matching is None:
                matching = self._matching[where.kin] = self._selecting(where.kin, labels_of)
            if matching:
                made[number] = self._union(matching, nodes)
        return made

    def _selecting(self, kin: Kin, labels_of: Callable[[str], Mapping[str, str]]) -> list[PodTerm]:
        namespace, labels = kin
        around, own = labels_of(namespace), dict(labels)
        return [
            term
            for term in self._counts
            if term.selects(namespace=namespace, namespace_labels=around, labels=own)
        ]

    def _union(self, terms: Sequence[PodTerm], nodes: NodeRows) -> Mask:
        mask = np.zeros(len(nodes.names), dtype=np.bool_)
        for term in terms:
            mask |= self._mask(term, nodes)
        mask.flags.writeable = False
        return mask

    def _mask(self, term: PodTerm, nodes: NodeRows) -> Mask:
        mask = self._masks.get(term)
        if mask is None:
            values = nodes.labels.column(term.topology_key)
            there = values[sorted(self._counts[term])]
            mask = self._masks[term] = np.isin(values, there[there >= 0])
        return mask

    def _read_keys(self, term: PodTerm) -> None:
        everywhere = term.namespace_selector != NOTHING
        for namespace in (_EVERYWHERE,) if everywhere else term.namespaces:
            known = self._keys.get(namespace)
            keys = (known or frozenset()) | frozenset(term.pods.keys)
            if keys != known:
                self._keys[namespace] = keys
                self.stale.add(namespace)
