"""What keeps pods off the nodes that they may not use: for the sentence of a reason.

Asked only where no node will do, once for each class of constraints. "None of 400 nodes" alone
sends people to compare labels by hand. The filter itself is asked, with one rule at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from fullcrew.core.ports import Filter
from fullcrew.model.where import Taint, Toleration, Where
from fullcrew.room import Ints, Mask, Nodes

__all__ = ["Barred", "Bars"]

_UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
_ALL_TAINTS: Final = (Toleration(key="", operator="Exists", value="", effect=""),)
_MOST_TAINTS: Final = 3  # named; a fourth is rarely the one that was forgotten


@dataclass(frozen=True, slots=True)
class Barred:
    """How many nodes are out of reach, by cause; each counts once, under the first that holds."""

    counts: Mapping[str, int]  # causes that keep off no node are left out
    taints: tuple[str, ...]  # keys of those that are not tolerated, in order
    fault: str = ""  # of the first node by name that cannot be read

    def in_words(self) -> str:
        """`1 is not ready, 2 have a taint it does not tolerate (nvidia.com/gpu)`."""
        return ", ".join(self._told())

    def _told(self) -> Iterator[str]:
        keys = ", ".join(self.taints[:_MOST_TAINTS])
        more = " and others" if len(self.taints) > _MOST_TAINTS else ""
        one_and_many = {
            "unreadable": (f"cannot be read: {self.fault}", f"cannot be read, as {self.fault}"),
            "unready": ("is not ready", "are not ready"),
            "cordoned": ("is unschedulable", "are unschedulable"),
            "unmatched": (
                "does not match its node selector, affinity or volumes",
                "do not match its node selector, affinity or volumes",
            ),
            "tainted": (
                f"has a taint it does not tolerate ({keys}{more})",
                f"have a taint it does not tolerate ({keys}{more})",
            ),
            "closed": (
                "has a pod whose anti-affinity forbids it",
                "have a pod whose anti-affinity forbids it",
            ),
        }
        for cause, count in self.counts.items():
            yield f"{count} {one_and_many[cause][count > 1]}"


@dataclass(frozen=True, slots=True, eq=False)
class _Taints:
    """What taints do to pods with the same tolerations."""

    refused: frozenset[Taint]  # those that alone would keep such a pod off a node
    is_cordoned: Mask  # [node]
    passes: Mask  # [node]: usable, and every taint tolerated


class Bars:
    """The nodes of one moment, asked about one class of constraints after the other. Most classes
    of a backlog tolerate the same, so what taints do is kept by tolerations."""

    def __init__(self, nodes: Nodes, rule: Filter) -> None:
        self._nodes = nodes
        self._rule = rule
        self._there = nodes.is_there
        self._unreadable = np.zeros_like(nodes.usable)
        self._unreadable[list(nodes.unreadable)] = True
        rows = sorted(nodes.unreadable, key=nodes.names.__getitem__)
        self._fault = nodes.unreadable[rows[0]] if rows else ""
        self._taints: dict[tuple[Toleration, ...], _Taints] = {}

    def barred(self, where: Where, closed: Mask | None) -> Barred:
        """Which causes keep pods of this class off how many nodes."""
        nodes, taints = self._nodes, self._taints_of(where.tolerations)
        passing = {
            "unreadable": ~self._unreadable,
            "unready": nodes.usable,
            "cordoned": ~taints.is_cordoned,
            "unmatched": self._rule.allow(replace(where, tolerations=_ALL_TAINTS), nodes),
            "tainted": taints.passes,
            "closed": np.ones_like(nodes.usable) if closed is None else ~closed,
        }
        left, keys = self._there.copy(), set[str]()
        counts: dict[str, int] = {}
        for cause, passes in passing.items():
            off = left & ~passes
            if many := int(np.count_nonzero(off)):
                counts[cause] = many
                if cause == "tainted":
                    keys = self._keys(off, taints.refused)
            left &= passes
        return Barred(counts, tuple(sorted(keys)), self._fault)

    def _keys(self, off: Mask, refused: frozenset[Taint]) -> set[str]:
        """Those of the taints that keep pods off these nodes."""
        sets = np.unique(self._nodes.taints[off]).tolist()
        every = (taint for number in sets for taint in self._nodes.taint_sets[number])
        return {taint.key for taint in every if taint in refused}

    def _taints_of(self, tolerations: tuple[Toleration, ...]) -> _Taints:
        found = self._taints.get(tolerations)
        if found is None:
            where = Where(tolerations=tolerations)
            refused = _refused(where, self._nodes, self._rule)
            cordons = {taint for taint in refused if taint.key == _UNSCHEDULABLE}
            passes = self._rule.allow(where, self._nodes)
            found = _Taints(refused, _with_taint(self._nodes, cordons), passes)
            self._taints[tolerations] = found
        return found


def _refused(where: Where, nodes: Nodes, rule: Filter) -> frozenset[Taint]:
    taints = sorted({t for taints in nodes.taint_sets for t in taints})
    if not taints:
        return frozenset()
    verdicts = rule.allow(where, _one_node_each(taints))
    return frozenset(t for t, passes in zip(taints, verdicts.tolist(), strict=True) if not passes)


def _one_node_each(taints: list[Taint]) -> Nodes:
    """Made-up nodes with nothing but one taint."""
    rows: Ints = np.arange(len(taints), dtype=np.int64)
    return Nodes(
        names=tuple(map(str, rows.tolist())),
        rank=rows,
        usable=np.ones(len(taints), dtype=np.bool_),
        size=np.zeros((0, len(taints)), dtype=np.int64),
        labels={},
        taints=rows,
        taint_sets=tuple((taint,) for taint in taints),
        changed=np.zeros(len(taints), dtype=np.int64),
    )


def _with_taint(nodes: Nodes, taints: set[Taint]) -> Mask:
    has = np.array([not taints.isdisjoint(each) for each in nodes.taint_sets], dtype=np.bool_)
    found: Mask = has[nodes.taints]
    return found
