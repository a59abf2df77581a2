"""What one plan learned about nodes and constraints, and the next may use.

An explicit argument of `plan`: nothing else is remembered between cycles. A plan with a used memo
equals the plan with an empty one; a property sees to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fullcrew.core.ports import Filter
from fullcrew.model.reason import Reason
from fullcrew.model.where import Where
from fullcrew.room import Ints, Mask, Snapshot

__all__ = ["Allowed", "Memo"]

_MANY = 4  # more than one changed node in so many: judging all anew is as cheap


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """Which nodes a class of constraints may use, and what it likes (None: all alike)."""

    mask: Mask
    liking: Ints | None


@dataclass(slots=True, eq=False)
class _Entry:
    allowed: Allowed
    generation: int  # of the snapshot it was brought up to date with
    cycle: int  # the last one that asked for it


class Memo:
    """Masks by the rules of a where, refreshed for changed nodes only; and what was found out on
    a ledger that is still the same, as of a full cluster to which further work comes.

    Wheres that differ in whom other pods' rules select share an entry. What a cycle does not ask
    for is forgotten, so the memo stays as large as one backlog.

    `capacities`: by ask and where how many pods fit on the untouched ledger, where that was less
    than somebody wanted. `reasons`: what gangs were told when a cycle ended with the ledger
    untouched, under keys that `explaining` makes.
    """

    __slots__ = (
        "_by_number",
        "_cycle",
        "_entries",
        "_ledger",
        "_numbering",
        "capacities",
        "reasons",
    )

    def __init__(self) -> None:
        self._ledger: Snapshot | None = None
        self.capacities: dict[tuple[int, int], int] = {}
        self.reasons: dict[object, Reason] = {}
        self._entries: dict[Where, _Entry] = {}
        self._by_number: dict[int, Where] = {}
        self._numbering = -1
        self._cycle = 0

    def begin(self, snapshot: Snapshot) -> None:
        """Before a cycle: what was not asked for in the last one goes."""
        stale = [rules for rules, entry in self._entries.items() if entry.cycle < self._cycle]
        for rules in stale:
            del self._entries[rules]
        self._cycle += 1
        if stale or snapshot.numbering != self._numbering:
            self._by_number.clear()
            self._numbering = snapshot.numbering
        if self._ledger is None or not _is_same_ledger(self._ledger, snapshot):
            self.capacities.clear()
            self.reasons.clear()
        self._ledger = snapshot

    def allowed(self, where: int, snapshot: Snapshot, rule: Filter) -> Allowed:
        """What a where allows now."""
        rules = self._by_number.get(where)
        if rules is None:
            full = snapshot.wheres[where]
            rules = self._by_number[where] = Where(
                required=full.required, preferred=full.preferred, tolerations=full.tolerations
            )
        entry = self._entries.get(rules)
        if entry is None:
            found = Allowed(rule.allow(rules, snapshot.nodes), rule.liking(rules, snapshot.nodes))
            entry = self._entries[rules] = _Entry(found, snapshot.generation, self._cycle)
        elif entry.cycle != self._cycle:
            entry.allowed = _refreshed(entry, rules, snapshot, rule)
            entry.generation, entry.cycle = snapshot.generation, self._cycle
        return entry.allowed


def _is_same_ledger(old: Snapshot, new: Snapshot) -> bool:
    """Whether nothing changed that a count or a reason hangs on, gangs and asks apart."""
    return (
        old.numbering == new.numbering
        and old.generation == new.generation
        and old.resources == new.resources
        and old.queues == new.queues
        and np.array_equal(old.room.free, new.room.free)
        and np.array_equal(old.room.used, new.room.used)
        and np.array_equal(old.room.limit, new.room.limit)
        and np.array_equal(old.nodes.size, new.nodes.size)
        and old.closed.keys() == new.closed.keys()
        and all(_is_same(mask, new.closed[where]) for where, mask in old.closed.items())
    )


def _is_same(old: Mask, new: Mask) -> bool:
    """What did not change is mostly the very same column."""
    return old is new or bool(np.array_equal(old, new))


def _refreshed(entry: _Entry, rules: Where, snapshot: Snapshot, rule: Filter) -> Allowed:
    """The old answer with the rows of changed nodes asked anew. Nodes may have been added."""
    nodes, old = snapshot.nodes, entry.allowed
    changed = np.flatnonzero(nodes.changed > entry.generation)
    known = len(old.mask)
    if not len(changed) and known == len(nodes.names):
        return old
    if known > len(nodes.names) or len(changed) * _MANY > len(nodes.names):
        return Allowed(rule.allow(rules, nodes), rule.liking(rules, nodes))
    rows = np.union1d(changed, np.arange(known, len(nodes.names), dtype=np.int64))
    mask = np.zeros(len(nodes.names), dtype=np.bool_)
    mask[:known] = old.mask
    mask[rows] = rule.allow(rules, nodes.only(rows))
    # Whether there is any liking hangs on the taints of all nodes, so it is always asked anew.
    return Allowed(mask, rule.liking(rules, nodes))
