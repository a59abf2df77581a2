"""Scorer `spread`: the emptiest node first, so that pods share as little as can be.

Empty means: the part of the node that would be left of the ask's scarcest resource. Each further
copy leaves less, so a gang lies as evenly as the nodes' sizes allow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fullcrew.core.ports import View
from fullcrew.policies.pack import scarcest
from fullcrew.room import Ints

__all__ = ["Spread"]

STEPS = 1 << 10
"""How finely parts are told apart: 2^50, the most of one amount, times this still fits int64."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The node with the greatest part left after one more pod."""

    def score(self, ask: Ints, view: View, copies: Ints) -> Ints:
        """In parts of `STEPS`; below zero where one more does not fit, which is never used."""
        row = scarcest(ask, view)
        left = view.free[row] - np.minimum(copies + 1, 1 << 12) * ask[row]
        parts: Ints = np.clip(left, 0, 1 << 50) * STEPS // np.maximum(view.size[row], 1)
        return np.minimum(parts, STEPS * STEPS)
