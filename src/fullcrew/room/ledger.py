"""The ledger of a cluster: what each node has left and what each queue uses.

It is the one mutable thing of the core. It changes by `take` and `give` alone; both are written
into a journal, and `back_to` undoes from the journal's end. So to suppose something ("as if
these pods were gone") costs what was supposed, not the size of the cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NewType

import numpy as np
import numpy.typing as npt

from fullcrew import errors

__all__ = ["Ints", "Mark", "Mask", "Room", "Taking"]

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Mark = NewType("Mark", int)
Asked = list[tuple[int, int]]  # number of the resource and how much of it, where there is some

_FEW_CELLS: Final = 24  # measured: from there on NumPy is faster


@dataclass(frozen=True, slots=True, eq=False)
class Taking:
    """Pods of one ask on some nodes, for one queue.

    A node stands in `nodes` once at most: NumPy carries out an update of a row that is indexed
    twice only once, and the ledger would drift. Compared by identity, since `==` on columns
    answers with a column.
    """

    nodes: Ints
    counts: Ints
    ask: Ints  # [resource]
    queue: int

    @property
    def pods(self) -> int:
        """How many pods all nodes take together."""
        return int(self.counts.sum())


class Room:
    """Free amounts by [resource, node], used amounts and hard limits by [resource, queue].

    That way round, because all questions run over the nodes one resource at a time: with the
    nodes' numbers side by side in memory the same pass takes a fraction of the time.
    A node may stand below zero, as when it shrank or another scheduler was faster.
    """

    __slots__ = ("_free", "_free_cells", "_journal", "_used_cells", "free", "limit", "used")

    def __init__(self, free: Ints, used: Ints, limit: Ints) -> None:
        self._free = np.array(free, dtype=np.int64, order="C")  # copies: the caller's stay
        own_used = np.array(used, dtype=np.int64, order="C")
        self._free_cells = self._free.reshape(-1).data
        self._used_cells = own_used.reshape(-1).data
        self._journal: list[tuple[Taking, int]] = []
        self.free: Final = _read_only(self._free)
        self.used: Final = _read_only(own_used)
        self.limit: Final = _read_only(np.array(limit, dtype=np.int64, order="C"))

    def copy(self) -> Room:
        """A ledger of its own for a cycle, with nothing to take back."""
        return Room(self.free, self.used, self.limit)

    def take(self, taking: Taking) -> None:
        """Use room. That it is there was found out before; this only makes sure."""
        if not self._move(taking, -1, is_checked=True):
            raise errors.Bug(f"{taking.pods} pods taken from nodes that cannot hold them")
        self._journal.append((taking, -1))

    def give(self, taking: Taking) -> None:
        """Let room go: its pods ended, or are supposed to."""
        self._move(taking, +1, is_checked=False)
        self._journal.append((taking, +1))

    def mark(self) -> Mark:
        """Where we stand, to come back to."""
        return Mark(len(self._journal))

    def back_to(self, mark: Mark) -> None:
        """Undo all since `mark`, the latest first. Marks made since then are void."""
        if mark > len(self._journal):
            raise errors.Bug("this mark was left behind by going back before it")
        while len(self._journal) > mark:
            taking, sign = self._journal.pop()
            self._move(taking, -sign, is_checked=False)

    def settle(self) -> None:
        """What was done is done. For the ledger that lives on: its journal must not grow."""
        self._journal.clear()

    def _move(self, taking: Taking, sign: int, *, is_checked: bool) -> bool:
        """Add to what is free, or take from it; False, with nothing changed, if it is not there.

        Most roles take a node or two, and the set-up of NumPy's indexing alone is many times what
        a few single cells cost. So there are two ways to the same cells.
        """
        queues = self.used.shape[1]
        if not 0 <= taking.queue < queues:
            raise errors.Bug(f"room of queue number {taking.queue}, where there are {queues}")
        asked = [(row, much) for row, much in enumerate(taking.ask.tolist()) if much]
        counts = taking.counts.tolist()
        move = self._move_few if len(asked) * len(counts) <= _FEW_CELLS else self._move_many
        if not move(taking, asked, sign, is_checked=is_checked):
            return False
        pods = sum(counts)
        for row, much in asked:
            self._used_cells[row * queues + taking.queue] -= sign * much * pods
        return True

    def _move_few(self, taking: Taking, asked: Asked, sign: int, *, is_checked: bool) -> bool:
        cells, size = self._free_cells, self.free.shape[1]
        nodes = taking.nodes.tolist()
        if nodes and not (min(nodes) >= 0 and max(nodes) < size):
            raise _no_such_node(size)
        pairs = list(zip(nodes, taking.counts.tolist(), strict=True))
        moves = [(row * size + at, much * many) for row, much in asked for at, many in pairs]
        if is_checked:  # what is not asked for may well be overdrawn
            for cell, much in moves:
                if cells[cell] < much:
                    return False
        for cell, much in moves:
            cells[cell] += sign * much
        return True

    def _move_many(self, taking: Taking, asked: Asked, sign: int, *, is_checked: bool) -> bool:
        size = self.free.shape[1]
        if np.count_nonzero(taking.nodes.view(np.uint64) >= size):  # below zero is far beyond it
            raise _no_such_node(size)
        cells = np.add.outer([row * size for row, _ in asked], taking.nodes)
        much = np.multiply.outer([sign * much for _, much in asked], taking.counts)
        flat = self._free.reshape(-1)
        much += flat[cells]
        if is_checked and np.count_nonzero(much < 0):
            return False
        flat[cells] = much
        return True


def _no_such_node(size: int) -> errors.Bug:
    return errors.Bug(f"room of a node that is none of the {size} there are")


def _read_only(column: Ints) -> Ints:
    """A window on a column: it shows every later change and allows none."""
    window = column.view()
    window.flags.writeable = False
    return window
