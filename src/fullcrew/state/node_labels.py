"""Labels of all nodes as columns, one for each label that somebody reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from fullcrew.room import Ints, LabelColumn
from fullcrew.state.columns import frozen
from fullcrew.state.numbers import Numbers

__all__ = ["NodeLabels"]

_ABSENT: Final = -1

Labels = Mapping[str, str]


class _Column:
    """One label: by node the number of its value."""

    __slots__ = ("_shown", "numbers", "values")

    def __init__(self) -> None:
        self.values: Numbers[str] = Numbers()
        self.numbers = np.full(16, _ABSENT, dtype=np.int64)
        self._shown: LabelColumn | None = None

    def put(self, row: int, value: str | None) -> None:
        self._shown = None
        if row >= len(self.numbers):
            grown = np.full(max(row + 1, 2 * len(self.numbers)), _ABSENT, dtype=np.int64)
            grown[: len(self.numbers)] = self.numbers
            self.numbers = grown
        self.numbers[row] = _ABSENT if value is None else self.values.of(value)
        if self.values.may_be_half_dead:
            self._renumber()

    def _renumber(self) -> None:
        """Nodes come and go, and most have a name of their own among their labels."""
        there = self.numbers != _ABSENT
        self.numbers[there] = self.values.keep(self.numbers[there].tolist())[self.numbers[there]]

    def shown(self, count: int) -> LabelColumn:
        if self._shown is None or len(self._shown.numbers) != count:
            self._shown = LabelColumn(tuple(self.values.values), frozen(self.numbers[:count]))
        return self._shown


class NodeLabels:
    """The columns that were asked for. `version` grows when there are others than before."""

    __slots__ = ("_columns", "_rows", "version")

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}
        self._rows: list[Labels] = []  # all labels of each node
        self.version = 0

    def put(self, row: int, labels: Labels) -> None:
        """The labels of a node as they are now."""
        while row >= len(self._rows):
            self._rows.append({})
            for column in self._columns.values():
                column.put(len(self._rows) - 1, None)
        self._rows[row] = labels
        for key, column in self._columns.items():
            column.put(row, labels.get(key))

    def column(self, key: str) -> Ints:
        """By node the number of its value, -1 where it has none; made when it is first asked."""
        found = self._columns.get(key)
        if found is None:
            found = self._columns[key] = _Column()
            for row, labels in enumerate(self._rows):
                found.put(row, labels.get(key))
            self.version += 1
        return found.numbers[: len(self._rows)]

    def keep(self, used: Iterable[str]) -> None:
        """Nobody reads any others."""
        kept = frozenset(used)
        self._columns = {key: column for key, column in self._columns.items() if key in kept}
        self.version += 1

    def shown(self) -> Mapping[str, LabelColumn]:
        """All columns, as they are now and will not change."""
        count = len(self._rows)
        return {key: column.shown(count) for key, column in sorted(self._columns.items())}
