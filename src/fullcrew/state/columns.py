"""Columns that grow: NumPy arrays with room at their end, so that adding one entry is cheap."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["frozen", "longer", "wider"]

Cell = TypeVar("Cell", bound=np.generic)


def longer(column: npt.NDArray[Cell], *, least: int) -> npt.NDArray[Cell]:
    """The same column with room for `least` entries at least, doubled to make growing rare."""
    if column.shape[-1] >= least:
        return column
    size = max(least, 2 * column.shape[-1], 16)
    grown = np.zeros((*column.shape[:-1], size), dtype=column.dtype)
    grown[..., : column.shape[-1]] = column
    return grown


def wider(columns: npt.NDArray[Cell], *, rows: int) -> npt.NDArray[Cell]:
    """The same columns [resource, x] with zeros for resources that are new."""
    if columns.shape[0] >= rows:
        return columns
    grown = np.zeros((rows, columns.shape[1]), dtype=columns.dtype)
    grown[: columns.shape[0]] = columns
    return grown


def frozen(column: npt.NDArray[Cell]) -> npt.NDArray[Cell]:
    """A copy that shows no later change and that nobody may write."""
    copied = np.array(column, order="C")
    copied.flags.writeable = False
    return copied
