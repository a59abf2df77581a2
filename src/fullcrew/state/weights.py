"""Sums of what is heavy, in numbers without an end: which columns cannot hold theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fullcrew.model.amounts import MOST_TOTAL
from fullcrew.state.asks import HEAVY

__all__ = ["Weights"]


class Weights:
    """By node and resource what pods take together that ask for terabytes. Only those can bring a
    sum beyond its column, so nothing is summed twice where there are none."""

    __slots__ = ("_of_node",)

    def __init__(self) -> None:
        self._of_node: dict[int, dict[int, int]] = {}

    def add(self, node: int, amounts: Iterable[tuple[int, int]], sign: int) -> None:
        """One pod more or less."""
        weights = self._of_node.setdefault(node, {})
        for row, much in amounts:
            if much >= HEAVY:
                weights[row] = weights.get(row, 0) + much * sign
        if not any(weights.values()):
            del self._of_node[node]

    def overflown(self) -> Iterator[tuple[int, int]]:
        """Resource and node of sums that do not fit their column."""
        for node, weights in self._of_node.items():
            yield from ((row, node) for row, much in weights.items() if much > MOST_TOTAL)

    def is_overflown(self, node: int) -> bool:
        """Whether some sum of this node does not fit its column."""
        weights = self._of_node.get(node)
        return weights is not None and max(weights.values()) > MOST_TOTAL

    def clear(self) -> None:
        """All is summed anew."""
        self._of_node.clear()
