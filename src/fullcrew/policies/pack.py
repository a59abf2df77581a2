"""Scorer `pack`: the fullest node first, so that whole nodes stay free for big gangs.

Full means: by the ask's scarcest resource, the one of which a pod takes the greatest part of all
there is. Nodes with free devices that the pod does not ask for come last, or pods without GPUs
would take the cpu that makes the free GPUs beside it usable: on clusters cut up into gangs that
fit exactly, that alone is the difference between three of four gangs and nearly all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from fullcrew.core.ports import SCORE_LIMIT, View
from fullcrew.model.amounts import PODS, is_device, is_host_port
from fullcrew.room import Ints

__all__ = ["Pack", "Packing", "scarcest"]

_LAST: Final = SCORE_LIMIT // 2  # what a node loses that has devices to spare


class Packing(NamedTuple):
    """What packing takes of an ask: rows of resources."""

    scarcest: int
    unasked_devices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pack:
    """The node with the least left of the scarcest resource."""

    def score(self, ask: Ints, view: View, copies: Ints) -> Ints:
        """Copies make a node fuller, so what was best stays best: they change nothing."""
        return self.of_column(self.column(ask, view), view) + 0 * copies

    def column(self, ask: Ints, view: View) -> Packing:
        """All asks for the same devices that have the same scarcest resource are alike."""
        devices = tuple(
            row
            for row, (much, total) in enumerate(zip(ask.tolist(), view.total.tolist(), strict=True))
            if total and not much and is_device(view.resources[row])
        )
        return Packing(scarcest(ask, view), devices)

    def of_column(self, column: Packing, view: View) -> Ints:
        """Less free is better; bytes are counted coarsely enough to stay within the limit."""
        row = column.scarcest
        coarseness = max(0, int(view.total[row]).bit_length() - _LAST.bit_length() + 1)
        left: Ints = np.minimum(np.maximum(view.free[row], 0) >> coarseness, _LAST - 1)
        for device in column.unasked_devices:
            left = np.where((view.free[device] > 0) & (left < _LAST), left + _LAST, left)
        return -left


def scarcest(ask: Ints, view: View) -> int:
    """The row of the resource of which a pod takes the greatest part; by name where two are alike.

    That a pod is one pod, or takes a port, counts only where it asks for nothing else.
    """
    names, totals = view.resources, view.total.tolist()
    asked = [
        (is_host_port(name), name == PODS, _part(much, totals[row]), name, row)
        for row, (name, much) in enumerate(zip(names, ask.tolist(), strict=True))
        if much
    ]
    return min(asked)[-1]


def _part(much: int, total: int) -> float:
    """Negative, so that the greatest part is the least number. A quotient of two whole numbers is
    the same on every machine, and here it only says which column to look at."""
    return -much / total if total else float("-inf")
