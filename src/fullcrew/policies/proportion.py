"""Fairness `proportion`: queues fill like vessels of the width of their weights.

A queue stands as high as the greatest part, over the resources, that it uses of the cluster,
divided by its weight. One that has all it asks for drops out and the others rise together, so what
comes out is the water-filled share of whatever turned out to be usable, to within one gang where
gangs are alike (`core.turns`, docs/decisions/0014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fullcrew.model.gang import Queue

__all__ = ["Proportion"]

# Two parts of different size, each used / (total * weight), differ by 2^-156 at least (2^62 is the
# most of a total, 2^16 that of a weight), so whole numbers of this many bits tell them apart.
_BITS: Final = 160


@dataclass(frozen=True, slots=True)
class Proportion:
    """Weighted max-min fairness on the dominant part."""

    def level(self, queue: Queue, used: Sequence[int], total: Sequence[int]) -> int:
        """The height of the water. What the cluster has none of makes no part."""
        weight, level = self.width(queue), 0
        for much, most in zip(used, total, strict=True):
            if most > 0:
                level = max(level, (much << _BITS) // (most * weight))
        return level

    def width(self, queue: Queue) -> int:
        """Its weight."""
        return max(1, queue.weight)
