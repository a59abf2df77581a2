"""Which nodes take how many pods of one ask: the best ones that together hold the count.

Two ways, one meaning: pods are put one after the other where the score is best at that moment, the
node's place in the order of names breaking ties. A score that does not change with copies fills
node after node; one that falls with them is served by finding the level at which it is cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from fullcrew.core.ports import SCORE_LIMIT
from fullcrew.room import Ints, Mask

__all__ = ["FAR", "Holding", "Share", "filled", "levelled"]

FAR: Final = np.int64((1 << 63) - 1)  # no key of a node is as high
_FEW: Final = 8  # below that many pods, looking for one node after the other is fastest


class Share(NamedTuple):
    """Nodes, the best first, and how many pods each takes."""

    nodes: list[int]
    counts: list[int]

    @property
    def pods(self) -> int:
        """How many pods all of them take."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class Holding:
    """How many pods of one ask a node can hold."""

    free: Ints  # [resource, node]
    asked: tuple[tuple[int, int], ...]  # resource and amount, all above zero

    def on(self, node: int) -> int:
        """On one node."""
        return min(int(self.free[row, node]) // much for row, much in self.asked)

    def on_all(self, nodes: Ints, *, most: int) -> Ints:
        """On each of these nodes, up to `most`, which keeps running sums small."""
        (row, much), *others = self.asked
        held = self.free[row, nodes] // much
        for row, much in others:
            np.minimum(held, self.free[row, nodes] // much, out=held)
        most_held: Ints = np.minimum(held, most)
        return most_held


def filled(keys: Ints, fits: Mask, holding: Holding, count: int) -> Share:
    """Up to `count` pods on the nodes with the lowest keys, each filled before the next.

    Keys are unique. Every node that fits holds one pod at least.
    """
    if count <= _FEW:
        return _filled_by_looking(keys, fits, holding, count)
    rows = np.flatnonzero(fits)
    if len(rows) > count:  # so the best `count` of them are enough
        rows = rows[np.argpartition(keys[rows], count - 1)[:count]]
    rows = rows[np.argsort(keys[rows])]
    held = holding.on_all(rows, most=count)
    running = np.cumsum(held)
    last = int(np.searchsorted(running, count))
    if last == len(rows):
        return Share(rows.tolist(), held.tolist())
    counts: list[int] = held[: last + 1].tolist()
    counts[last] -= int(running[last]) - count
    return Share(rows[: last + 1].tolist(), counts)


def _filled_by_looking(keys: Ints, fits: Mask, holding: Holding, count: int) -> Share:
    left = np.where(fits, keys, FAR)
    nodes: list[int] = []
    counts: list[int] = []
    while count and len(left):
        node = int(left.argmin())
        if left[node] == FAR:
            break
        taken = min(count, holding.on(node))
        nodes.append(node)
        counts.append(taken)
        count -= taken
        left[node] = FAR
    return Share(nodes, counts)


def levelled(
    score: Callable[[Ints, Ints], Ints], ranks: Ints, rows: Ints, held: Ints, count: int
) -> Share:
    """Up to `count` pods where the score is best after each one, whatever it falls to.

    `score(rows, copies)` are the scores of one more pod on these nodes; `held` how many each holds.
    """
    if int(held.sum()) <= count:
        taken = held
    else:
        level = _cut_level(score, rows, held, count)
        taken = _copies_above(score, rows, held, level + 1)
        left = count - int(taken.sum())
        at_level = _copies_above(score, rows, held, level) - taken
        order = np.argsort(ranks[rows])
        before = np.cumsum(at_level[order]) - at_level[order]
        taken[order] += np.clip(left - before, 0, at_level[order])
    used = np.flatnonzero(taken)
    used = used[np.argsort(ranks[rows[used]])]
    return Share(rows[used].tolist(), taken[used].tolist())


def _cut_level(score: Callable[[Ints, Ints], Ints], rows: Ints, held: Ints, count: int) -> int:
    """The highest level above or at which `count` pods find their place."""
    low, high = -SCORE_LIMIT, int(score(rows, np.zeros_like(held)).max())
    while low < high:
        middle = (low + high + 1) // 2
        if int(_copies_above(score, rows, held, middle).sum()) >= count:
            low = middle
        else:
            high = middle - 1
    return low


def _copies_above(score: Callable[[Ints, Ints], Ints], rows: Ints, held: Ints, level: int) -> Ints:
    """How many pods each node takes at a score of `level` at least: by halving, since it falls."""
    low = np.zeros_like(held)
    high = held.copy()
    while (low < high).any():
        middle = (low + high + 1) // 2
        is_enough = score(rows, middle - 1) >= level
        low = np.where(is_enough & (middle > low), middle, low)
        high = np.where(is_enough, high, middle - 1)
        high = np.maximum(low, high)
    return low
