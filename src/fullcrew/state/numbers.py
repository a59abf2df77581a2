"""A small number for each distinct value, so that columns can speak of values.

Numbers are given in the order of first sight, which is an accident of arrival: a number may index
a column and must never decide what comes first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Generic, TypeVar

import numpy as np

from fullcrew.room import Ints

__all__ = ["DEAD", "FEW", "Numbers"]

DEAD: Final = -1  # the new number of a value that is forgotten

FEW: Final = 64  # below that, dead values cost nothing worth a renumbering

Value = TypeVar("Value")


class Numbers(Generic[Value]):
    """Values under numbers. Who uses them is not counted, since counts drift: when there may be
    as many dead as live ones, the owner says which are in use, and the rest is forgotten."""

    __slots__ = ("_limit", "_number_of", "values")

    def __init__(self) -> None:
        self._number_of: dict[Value, int] = {}
        self._limit = FEW
        self.values: list[Value] = []

    def __len__(self) -> int:
        return len(self.values)

    def of(self, value: Value) -> int:
        """The number of a value, a new one at its first sight."""
        number = self._number_of.get(value)
        if number is None:
            number = self._number_of[value] = len(self.values)
            self.values.append(value)
        return number

    @property
    def may_be_half_dead(self) -> bool:
        """Whether it is time to look which values are still in use."""
        return len(self.values) > self._limit

    def keep(self, used: Iterable[int]) -> Ints:
        """Forget all but the used numbers. Answers with the new number of each old one."""
        kept = sorted(frozenset(used))
        renumbered = np.full(len(self.values), DEAD, dtype=np.int64)
        renumbered[kept] = np.arange(len(kept), dtype=np.int64)
        self.values = [self.values[number] for number in kept]
        self._number_of = {value: number for number, value in enumerate(self.values)}
        self._limit = 2 * len(self.values) + FEW
        return renumbered
