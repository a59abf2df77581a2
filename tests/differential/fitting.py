"""Whether pods fit, by trying everything: the obviously correct way, for small clusters only.

A gang's pods that are alike are a sort. For each node all the ways to fill it are listed that
cannot be filled further; from node to node the best sums reached so far are kept. A way that is
at most as good as another in every sort is dropped, and nothing else ever is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from differential.amounts import Amounts, Port
from differential.rows import Cluster, Pod
from differential.usable import allowed

__all__ = ["Left", "Sort", "clash", "fits", "most", "on_node", "room_left", "sorts_of"]

MOST_WAYS: Final = 20_000

Way = tuple[int, ...]  # by sort, how many pods


@dataclass
class Left:
    """What each node has left, and which of its ports are taken."""

    free: dict[str, Amounts]
    ports: dict[str, set[Port]] = field(default_factory=dict)

    def take(self, pod: Pod, node: str) -> None:
        """A pod uses its room, whether it is there or not."""
        if node not in self.free:
            return
        for name, much in pod.asks.items():
            self.free[node][name] = self.free[node].get(name, 0) - much
        self.ports.setdefault(node, set()).update(pod.ports)

    def copy(self) -> Left:
        """The same, to suppose something with."""
        return Left(
            {node: dict(free) for node, free in self.free.items()},
            {node: set(ports) for node, ports in self.ports.items()},
        )

    def holds(self, node: str, asks: Mapping[str, int]) -> bool:
        """Whether a node has as much, of what is asked for."""
        free = self.free[node]
        return all(free.get(name, 0) >= much for name, much in asks.items() if much)


@dataclass(frozen=True)
class Sort:
    """Pods of one role that are alike in all that placing looks at."""

    role: str
    asks: tuple[tuple[str, int], ...]
    nodes: frozenset[str]
    ports: frozenset[Port]
    count: int


def room_left(cluster: Cluster, started: Mapping[str, str]) -> Left:
    """What the bound pods leave, and those which a plan starts."""
    left = Left({node.name: dict(node.has) for node in cluster.nodes.values()})
    for pod in cluster.pods.values():
        if pod.takes_room:
            left.take(pod, pod.node)
    for name, node in started.items():
        left.take(cluster.pods[name], node)
    for pod in cluster.pods.values():
        if pod.takes_room and pod.is_murky and pod.node in left.free:
            left.free[pod.node] = {}
    return left


def sorts_of(cluster: Cluster, pods: Iterable[Pod]) -> list[Sort]:
    """The sorts that these pods are."""
    counted = Counter(
        (pod.role, tuple(sorted(pod.asks.items())), allowed(cluster, pod), pod.ports)
        for pod in pods
    )
    return [
        Sort(*kind, count=count)
        for kind, count in sorted(counted.items(), key=lambda each: (each[0][0], each[0][1]))
    ]


def fits(left: Left, sorts: Sequence[Sort], *, count: int, roles: Mapping[str, int]) -> bool | None:
    """Whether `count` pods of these fit, with so many of each role. None: too many ways to try."""
    capped = [_with_count(sort, min(sort.count, count)) for sort in sorts]
    reached = _reached(left, capped)
    if reached is None:
        return None
    return any(sum(way) >= count and _has_roles(way, capped, roles) for way in reached)


def most(left: Left, sort: Sort) -> int:
    """How many of one sort fit on all nodes."""
    return sum(on_node(left, node, sort) for node in sort.nodes)


def _with_count(sort: Sort, count: int) -> Sort:
    return Sort(sort.role, sort.asks, sort.nodes, sort.ports, count)


def _has_roles(way: Way, sorts: Sequence[Sort], roles: Mapping[str, int]) -> bool:
    got: Counter[str] = Counter()
    for sort, number in zip(sorts, way, strict=True):
        got[sort.role] += number
    return all(got[role] >= least for role, least in roles.items())


def _reached(left: Left, sorts: Sequence[Sort]) -> list[Way] | None:
    """All ways over all nodes that no other way beats."""
    if len(sorts) == 1:
        return [(min(sorts[0].count, most(left, sorts[0])),)]
    caps = [sort.count for sort in sorts]
    reached: list[Way] = [(0,) * len(sorts)]
    for node in sorted(left.free):
        here = list(_ways(left, node, sorts))
        if len(here) * len(reached) > MOST_WAYS * 20:
            return None
        sums = {
            tuple(min(a + b, cap) for a, b, cap in zip(one, other, caps, strict=True))
            for one in reached
            for other in here
        }
        if len(sums) > MOST_WAYS:
            return None
        reached = _best(sums)
    return reached


def _best(ways: Iterable[Way]) -> list[Way]:
    """Without those that another way is at least as good as in every sort."""
    kept: list[Way] = []
    for way in sorted(ways, key=lambda way: (-sum(way), way)):
        if not any(all(a >= b for a, b in zip(other, way, strict=True)) for other in kept):
            kept.append(way)
    return kept


def _ways(left: Left, node: str, sorts: Sequence[Sort]) -> list[Way]:
    """How one node can be filled by these sorts, fuller ways only."""
    return _best(set(_filled(left, node, list(sorts))))


def _filled(left: Left, node: str, sorts: list[Sort]) -> Iterator[Way]:
    if not sorts:
        yield ()
        return
    first, rest = sorts[0], sorts[1:]
    top = min(first.count, on_node(left, node, first) if node in first.nodes else 0)
    for number in range(top + 1):
        supposed = _without(left, node, first, number)
        for way in _filled(supposed, node, rest):
            yield (number, *way)


def _without(left: Left, node: str, sort: Sort, number: int) -> Left:
    free = dict(left.free[node])
    for name, much in sort.asks:
        free[name] = free.get(name, 0) - number * much
    ports = left.ports.get(node, set()) | (sort.ports if number else set())
    return Left({node: free}, {node: ports})


def on_node(left: Left, node: str, sort: Sort) -> int:
    """How many of a sort one node holds, however they are chosen."""
    free = left.free[node]
    number = min(free.get(name, 0) // much for name, much in sort.asks)
    if sort.ports:
        number = min(number, 0 if clash(sort.ports, left.ports.get(node, set())) else 1)
    return max(0, number)


def clash(wanted: Iterable[Port], taken: Iterable[Port]) -> bool:
    """A port on all addresses clashes with the same port on any."""
    there = list(taken)
    return any(
        one[:2] == other[:2] and (one[2] == other[2] or not one[2] or not other[2])
        for one in wanted
        for other in there
    )
