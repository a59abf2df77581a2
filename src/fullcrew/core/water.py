"""Water that rises in vessels side by side: what every queue would have if gangs could be split.

Each vessel has a width, a floor from which it is filled, and perhaps a brim; all that are neither
dry nor full share one level. Whole numbers only, so not a drop is lost to rounding.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Vessel", "Water"]


class Vessel(NamedTuple):
    """Who it stands for, how much water raises it by one, and the level it has already."""

    name: int
    width: int
    floor: int


class Water:
    """The common level, which only rises. A pour costs work for the vessels that it reaches or
    fills, and none for the others."""

    def __init__(self, vessels: Iterable[Vessel]) -> None:
        self._dry = [(vessel.floor, vessel.name, vessel.width) for vessel in vessels]
        heapq.heapify(self._dry)
        self._rising: dict[int, int] = {}  # width by name
        self._full: dict[int, tuple[int, int]] = {}  # width, and the brim at which it stopped
        self._brims: dict[int, int] = {}
        self._next_brims: list[tuple[int, int]] = []  # with brims that were lowered since, too
        self._width = 0  # of all that rise
        self._rest = 0  # too little to raise them by one
        self.level = self._dry[0][0] if self._dry else 0
        self._meet()

    def pour(self, amount: int) -> None:
        """More water; where all vessels are full it runs off."""
        water = self._rest + amount
        while self._width or self._dry:
            ahead = self._ahead()
            if ahead is None or water < self._width * (ahead - self.level):
                rise, self._rest = divmod(water, self._width)
                self.level += rise
                return
            water -= self._width * (ahead - self.level)
            self.level = ahead
            self._meet()
        self._rest = 0

    def brim(self, name: int, level: int) -> None:
        """From now on a vessel takes no more than up to this level, and what stands above it flows
        to the others. A brim is lowered, never raised."""
        if level >= self._brims.get(name, level + 1):
            return
        self._brims[name] = level
        if name in self._full:
            width, stood = self._full[name]
            self._full[name] = (width, level)
            self.pour(width * (stood - level))
        elif name in self._rising:
            if level > self.level:
                heapq.heappush(self._next_brims, (level, name))
                return
            width = self._stop(name, level)
            self.pour(width * (self.level - level))

    def _ahead(self) -> int | None:
        """The next level at which a vessel joins or stops."""
        nearest = [heap[0][0] for heap in (self._dry, self._next_brims) if heap]
        return min(nearest) if nearest else None

    def _meet(self) -> None:
        """At this level some join, and some stop."""
        while self._dry and self._dry[0][0] <= self.level:
            floor, name, width = heapq.heappop(self._dry)
            brim = self._brims.get(name)
            self._rising[name] = width
            self._width += width
            if brim is not None:
                heapq.heappush(self._next_brims, (max(brim, floor), name))
        while self._next_brims and self._next_brims[0][0] <= self.level:
            brim, name = heapq.heappop(self._next_brims)
            if name in self._rising and self._brims[name] <= brim:
                self._stop(name, brim)

    def _stop(self, name: int, brim: int) -> int:
        """A vessel is full and rises no more; its width."""
        width = self._rising.pop(name)
        self._width -= width
        self._full[name] = (width, brim)
        return width
