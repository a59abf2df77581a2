"""Whether pods of several asks fit together at all, found out exactly where that is affordable.

Node by node the set of counts that can be placed so far grows: counts are one number for each
(ask, where) pair, and since fewer pods always fit where more do, the set is kept as a grid of
truth values. It is complete, so a "no" is proven; what it may cost is counted in cells of that
grid, never in time, so that the same input gives the same answer on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import combinations
from math import prod
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from fullcrew.core.cutting import Share
from fullcrew.core.ground import Ground
from fullcrew.core.lacking import Lack
from fullcrew.model.amounts import NO_LIMIT
from fullcrew.room import Ints, Mask

__all__ = ["Found", "Searcher", "Verdict"]

Vector = tuple[int, ...]

MOST_PAIRS: Final = 4  # up to here, and to these nodes and pods, it is complete: promised
MOST_NODES: Final = 8
MOST_PODS: Final = 24
MOST_CELLS: Final = (MOST_PODS + 1) ** MOST_PAIRS
MOST_COUNT: Final = 1 << 9  # of one pair; times four amounts of 2^50 it fits int64
MOST_AXES: Final = 32  # of a grid; older NumPy knows no more
BUDGET: Final = 1 << 21  # cells looked at beyond that: a millisecond or two
MOST_LARGE_SEARCHES: Final = 128  # of a cycle: a second or two in all
NODES_LOOKED_AT: Final = 64  # each costs some tens of microseconds, however few its cells


class Verdict(Enum):
    """How a search ended that found nothing."""

    NONE = auto()  # it cannot be done
    ENDED = auto()  # the bound was hit


@dataclass(frozen=True, slots=True)
class Found:
    """By part the nodes and counts that meet the need together; nothing is taken yet."""

    shares: tuple[tuple[int, Share], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Stage:
    """One node: what could be placed before it, and the most that it takes."""

    node: int
    before: Mask
    takes: tuple[Vector, ...]


class Searcher:
    """Searches on one ground. Those beyond the bound of completeness share a budget, so that a
    backlog of thousands of them does not make a cycle of minutes."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._left = MOST_LARGE_SEARCHES

    def search(self, lack: Lack, queue: int) -> Found | Verdict:
        """A way to meet the need, with the members wanted first as far as that can be."""
        pairs = tuple(dict.fromkeys(lack.pairs))
        if len(pairs) > MOST_AXES:
            return Verdict.ENDED
        fits = [self._ground.fits(ask, where) for ask, where in pairs]
        nodes = _promising(fits, self._ground.snapshot.nodes.rank)
        is_small = len(nodes) <= MOST_NODES and len(pairs) <= MOST_PAIRS and lack.need <= MOST_PODS
        if not is_small:
            if not self._left:
                return Verdict.ENDED
            self._left -= 1
        asked = _Asked(lack, pairs, fits, queue)
        return _search(asked, self._ground, nodes, budget=None if is_small else BUDGET)


class _Asked(NamedTuple):
    lack: Lack
    pairs: tuple[tuple[int, int], ...]
    fits: list[Mask]  # by pair
    queue: int


def _search(asked: _Asked, ground: Ground, nodes: Ints, *, budget: int | None) -> Found | Verdict:
    lack, pairs, fits, queue = asked
    most = tuple(
        min(lack.need, _waiting(lack, pair), _on_all(ground, pair, fit, lack.need))
        for pair, fit in zip(pairs, fits, strict=True)
    )
    if sum(most) < lack.need:
        return Verdict.NONE
    shape = tuple(count + 1 for count in most)
    goals = _goals(lack, pairs, shape, ground, queue)
    if goals is None:
        return Verdict.ENDED
    if not goals.any():
        return Verdict.NONE
    looked_at = nodes[:NODES_LOOKED_AT]
    stages = _stages(_Placing(ground, pairs, fits, shape), looked_at, budget)
    if stages is None:
        return Verdict.ENDED
    reached = stages[-1].before & goals
    if not reached.any():
        return Verdict.NONE if len(looked_at) == len(nodes) else Verdict.ENDED
    chosen = _preferred(lack, pairs, np.argwhere(reached))
    return Found(_shares(lack, pairs, chosen, stages))


def _promising(fits: Sequence[Mask], rank: Ints) -> Ints:
    """The nodes that hold a pod of some pair: first those of the pair that fewest nodes hold, since
    whoever cannot be placed elsewhere decides; then by name."""
    nodes = np.flatnonzero(np.logical_or.reduce(fits))
    rarest = min(fits, key=np.count_nonzero)
    order = np.lexsort((rank[nodes], ~rarest[nodes]))
    found: Ints = nodes[order]
    return found


def _waiting(lack: Lack, pair: tuple[int, int]) -> int:
    counted = zip(lack.pairs, lack.counts, strict=True)
    return sum(count for its, count in counted if its == pair)


def _on_all(ground: Ground, pair: tuple[int, int], fits: Mask, most: int) -> int:
    rows = np.flatnonzero(fits)
    return int(ground.holding(pair[0]).on_all(rows, most=most).sum()) if len(rows) else 0


def _goals(
    lack: Lack, pairs: Sequence[tuple[int, int]], shape: Vector, ground: Ground, queue: int
) -> Mask | None:
    """Which counts meet the need: as many as it takes, roles served, hard limits kept.

    None where that alone would cost too much: what roles are owed is asked of every set of pairs.
    """
    if prod(shape) > MOST_CELLS or max(shape) > MOST_COUNT:
        return None
    linked = _linked(lack, pairs)
    sets = sum(1 << len(each) for each in linked)
    if len(pairs) > MOST_PAIRS and prod(shape) * sets > BUDGET:
        return None
    axes = np.ogrid[tuple(slice(0, size) for size in shape)]
    goals = np.broadcast_to(sum(axes) == lack.need, shape).copy()
    for each in linked:
        for some in (some for many in range(len(each)) for some in combinations(each, many + 1)):
            owed = _owed_to(lack, {pairs[at] for at in some})
            if owed:
                goals &= sum(axes[at] for at in some) >= owed
    if ground.is_limited[queue]:
        left, limit = ground.quota(queue), ground.room.limit[:, queue]
        for row in np.flatnonzero(limit < NO_LIMIT).tolist():
            each = [int(ground.asks[ask, row]) for ask, _ in pairs]
            if any(each):
                used = sum(axis * much for axis, much in zip(axes, each, strict=True))
                goals &= (used <= left[row]) | (used == 0)  # it may be over its limit already
    return goals


def _linked(lack: Lack, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Pairs, by number, between which roles that are owed something can choose. Whether roles can
    be served is a question to each such set alone, so what it costs stays small."""
    found: list[set[int]] = []
    for role, owed in enumerate(lack.owed):
        if not owed:
            continue
        of_role = zip(lack.role_of, lack.pairs, strict=True)
        ours = {pairs.index(pair) for its, pair in of_role if its == role}
        apart = [each for each in found if not each & ours]
        shared = [each for each in found if each & ours]
        found = [*apart, ours.union(*shared)]
    return [sorted(each) for each in found]


def _owed_to(lack: Lack, some: set[tuple[int, int]]) -> int:
    """What roles are owed that only pods of these pairs can serve: for every choice of pairs it
    must be there, and if it is, roles can be served (Hall's condition)."""
    elsewhere = [0] * len(lack.owed)
    for role, pair, count in zip(lack.role_of, lack.pairs, lack.counts, strict=True):
        if pair not in some:
            elsewhere[role] += count
    return sum(max(0, owed - other) for owed, other in zip(lack.owed, elsewhere, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Placing:
    """What the nodes are asked: how many of each pair, in a grid of this shape."""

    ground: Ground
    pairs: tuple[tuple[int, int], ...]
    fits: list[Mask]
    shape: Vector

    def takes(self, node: int) -> tuple[Vector, ...]:
        """The counts that the node holds at the most: each with no larger one above it."""
        axes = np.ogrid[tuple(slice(0, size) for size in self.shape)]
        holds = np.ones(self.shape, dtype=np.bool_)
        for row in sorted({row for ask, _ in self.pairs for row, _ in self.ground.asked(ask)}):
            each = [int(self.ground.asks[ask, row]) for ask, _ in self.pairs]
            used = sum(axis * much for axis, much in zip(axes, each, strict=True))
            holds &= (used <= self.ground.room.free[row, node]) | (used == 0)
        for at, fits in enumerate(self.fits):
            if not fits[node]:
                holds &= axes[at] == 0
        return tuple(tuple(vector) for vector in np.argwhere(_edge(holds)).tolist())

    def likeness(self, node: int) -> tuple[object, ...]:
        """Nodes of which this is equal take the same."""
        return (
            tuple(self.ground.room.free[:, node].tolist()),
            tuple(bool(fits[node]) for fits in self.fits),
        )


def _edge(holds: Mask) -> Mask:
    """Of a set that has all smaller counts too, those with no larger one in it."""
    edge = holds.copy()
    for axis in range(holds.ndim):
        above = np.zeros_like(holds)
        above[_from(axis, 0, -1, holds.ndim)] = holds[_from(axis, 1, None, holds.ndim)]
        edge &= ~above
    return edge


def _from(axis: int, start: int, end: int | None, axes: int) -> tuple[slice, ...]:
    return tuple(slice(start, end) if at == axis else slice(None) for at in range(axes))


def _stages(placing: _Placing, nodes: Ints, budget: int | None) -> list[_Stage] | None:
    """The way through the nodes, ended by a stage with no node; None where it costs too much."""
    reached = np.zeros(placing.shape, dtype=np.bool_)
    reached[(0,) * reached.ndim] = True
    known: dict[tuple[object, ...], tuple[Vector, ...]] = {}
    stages: list[_Stage] = []
    looked_at = 0
    for node in nodes.tolist():
        likeness = placing.likeness(node)
        if likeness not in known:
            looked_at += reached.size
            known[likeness] = placing.takes(node)
        takes = known[likeness]
        looked_at += reached.size * (len(takes) + 1)
        if budget is not None and looked_at > budget:
            return None
        stages.append(_Stage(node, reached, takes))
        reached = _with(reached, takes)
    stages.append(_Stage(-1, reached, ()))
    return stages


def _with(reached: Mask, takes: Sequence[Vector]) -> Mask:
    """What can be placed with one node more."""
    grown: npt.NDArray[np.bool_] = reached.copy()
    for vector in takes:
        to = tuple(slice(count, None) for count in vector)
        of = tuple(
            slice(0, size - count) for size, count in zip(reached.shape, vector, strict=True)
        )
        grown[to] |= reached[of]
    for axis in range(grown.ndim):  # all smaller counts belong to it too
        flipped = np.flip(grown, axis)
        grown = np.flip(np.logical_or.accumulate(flipped, axis=axis), axis)
    return grown


def _preferred(lack: Lack, pairs: Sequence[tuple[int, int]], goals: Ints) -> Vector:
    """Of the counts that can be had, those with the members that are wanted first."""
    counts = [0] * len(pairs)
    for at in _by_preference(lack):
        pair = pairs.index(lack.pairs[at])
        left = goals[goals[:, pair] > counts[pair]]
        if len(left):
            goals = left
            counts[pair] += 1
            if sum(counts) == lack.need:
                break
    return tuple(counts)


def _by_preference(lack: Lack) -> Iterator[int]:
    """The part of each waiting member: what roles are owed first, then by rank."""
    ranked = sorted(
        (member.rank, at, place)
        for at, part in enumerate(lack.parts)
        for place, member in enumerate(part.members)
    )
    owed = list(lack.owed)
    later = []
    for _, at, _ in ranked:
        if owed[lack.role_of[at]]:
            owed[lack.role_of[at]] -= 1
            yield at
        else:
            later.append(at)
    yield from later


def _shares(
    lack: Lack, pairs: Sequence[tuple[int, int]], chosen: Vector, stages: Sequence[_Stage]
) -> tuple[tuple[int, Share], ...]:
    """Which part's pods go where: back through the nodes, each giving what it can."""
    on_nodes: list[list[tuple[int, int]]] = [[] for _ in pairs]
    left = chosen
    for stage in reversed(stages[:-1]):
        takes = next(t for t in (*stage.takes, (0,) * len(left)) if stage.before[_less(left, t)])
        for at, (wish, most) in enumerate(zip(left, takes, strict=True)):
            if min(wish, most):
                on_nodes[at].append((stage.node, min(wish, most)))
        left = _less(left, takes)
    shares = []
    for part, count in enumerate(_by_part(lack, pairs, chosen)):
        if count:
            places = on_nodes[pairs.index(lack.pairs[part])]
            shares.append((part, _portion(places, count)))
    return tuple(shares)


def _less(left: Vector, takes: Vector) -> Vector:
    return tuple(max(0, wish - most) for wish, most in zip(left, takes, strict=True))


def _portion(places: list[tuple[int, int]], count: int) -> Share:
    """Takes `count` pods off the front of a list of places."""
    nodes, counts = [], []
    while count:
        node, many = places.pop()
        taken = min(many, count)
        if many > taken:
            places.append((node, many - taken))
        nodes.append(node)
        counts.append(taken)
        count -= taken
    return Share(nodes, counts)


def _by_part(lack: Lack, pairs: Sequence[tuple[int, int]], chosen: Vector) -> tuple[int, ...]:
    """The counts of pairs as counts of parts, such that every role has what it is owed."""
    left = dict(zip(pairs, chosen, strict=True))
    given = _served(lack, left, [0] * len(lack.parts), role=0)
    taken = list(given or [0] * len(lack.parts))
    for at, pair in enumerate(lack.pairs):
        left[pair] -= taken[at]
    for at in _by_preference(lack):
        pair = lack.pairs[at]
        if left[pair] and taken[at] < lack.counts[at]:
            taken[at] += 1
            left[pair] -= 1
    return tuple(taken)


def _served(
    lack: Lack, left: dict[tuple[int, int], int], taken: list[int], *, role: int
) -> list[int] | None:
    """Serves one role after the other, taking back what leaves a later one short."""
    if role == len(lack.owed):
        return taken
    ours = [at for at, its in enumerate(lack.role_of) if its == role]
    for way in _ways(lack, ours, lack.owed[role], left):
        after = dict(left)
        counts = list(taken)
        for at, count in zip(ours, way, strict=True):
            counts[at] += count
            after[lack.pairs[at]] -= count
        found = _served(lack, after, counts, role=role + 1)
        if found is not None:
            return found
    return None


def _ways(
    lack: Lack, parts: Sequence[int], owed: int, left: dict[tuple[int, int], int]
) -> Iterator[tuple[int, ...]]:
    """How a role's parts can make up what it is owed, the first parts giving most at first."""
    if not parts:
        if not owed:
            yield ()
        return
    first, *others = parts
    most = min(owed, lack.counts[first], left[lack.pairs[first]])
    for count in range(most, -1, -1):
        after = {**left, lack.pairs[first]: left[lack.pairs[first]] - count}
        for rest in _ways(lack, others, owed - count, after):
            yield (count, *rest)
