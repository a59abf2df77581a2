"""What all pods together take: on each node, of each owner, in each queue.

Kept as running sums. A handful of changes is added one by one in Python, many at once by NumPy:
either way a snapshot costs what changed, not what there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from fullcrew.room import Ints
from fullcrew.state.asks import Asks
from fullcrew.state.columns import longer, wider
from fullcrew.state.numbers import Numbers
from fullcrew.state.placed import NOBODY, Placed
from fullcrew.state.weights import Weights

__all__ = ["Sums"]

_SHORT: Final = 4 * 48  # numbers in a log that is summed one by one, since NumPy starts slowly
_LONG: Final = 1 << 18  # numbers in a log that is summed before more are written


class Sums:
    """`taken` by [resource, node], `used` by [resource, queue number]; both only grow in size.

    Queues have numbers here from the first time a name is heard, whether there is such a queue or
    not, so that an owner's use moves with it from queue to queue.
    """

    __slots__ = (
        "_asks", "_free_owners", "_owned", "_placed", "_queue_at", "_queues", "_resources",
        "changes", "count", "taken", "used", "weights",
    )  # fmt: skip

    def __init__(self, asks: Asks, placed: Placed) -> None:
        self._asks, self._placed = asks, placed
        self._queues: Numbers[str] = Numbers()
        self._queues.of("")  # of pods that are not ours
        self._free_owners: list[int] = []
        self._owned = np.zeros((0, 16), dtype=np.int64)  # [resource, owner]
        self._queue_at = np.zeros(16, dtype=np.int64)  # [owner]
        self._resources = 0
        self.count = NOBODY + 1  # owners
        self.taken = np.zeros((0, 16), dtype=np.int64)
        self.used = np.zeros((0, 16), dtype=np.int64)
        self.weights = Weights()
        self.changes = 0  # grows with every change of a sum

    def new_owner(self, queue: str) -> int:
        """A number for somebody who uses a queue."""
        if self._free_owners:
            self.settle()  # what the number's last owner gave back belongs to that one's queue
            owner = self._free_owners.pop()
        else:
            owner = self.count
            self.count += 1
            self._queue_at = longer(self._queue_at, least=self.count)
            self._owned = longer(self._owned, least=self.count)
        self._queue_at[owner] = self.queue_number(queue)
        return owner

    def free_owner(self, owner: int) -> None:
        """Nobody uses anything in this name any more."""
        self._free_owners.append(owner)

    def move_owner(self, owner: int, queue: str) -> None:
        """The owner's use counts in this queue from now on."""
        number, before = self.queue_number(queue), self._queue_at[owner]
        if number == before:
            return
        self.settle()
        self.used[:, before] -= self._owned[:, owner]
        self.used[:, number] += self._owned[:, owner]
        self._queue_at[owner] = number
        self.changes += 1

    def queue_number(self, queue: str) -> int:
        """The column of a queue in `used`."""
        number = self._queues.of(queue)
        self.used = longer(self.used, least=len(self._queues))
        return number

    def settle(self) -> None:
        """Bring the sums up to date with the rows."""
        if len(self._asks.resources) != self._resources:
            self._widen()
        if not self._placed.log:
            return
        if len(self._placed.log) <= _SHORT:
            self._add_one_by_one()
        else:
            self._add(*self._placed.take_log())

    @property
    def is_due(self) -> bool:
        """Whether to settle now, to save memory."""
        return len(self._placed.log) > _LONG

    def add(self, node: int, owner: int, ask: int, sign: int) -> None:
        """One pod more or less. The sums must be settled, and as long as the nodes are many."""
        queue = self._queue_at[owner]
        self.changes += 1
        for row, much in self._asks.rows[ask]:
            amount = much * sign
            self.taken[row, node] += amount
            self._owned[row, owner] += amount
            self.used[row, queue] += amount
        if ask in self._asks.heavy:
            self.weights.add(node, self._asks.rows[ask], sign)

    def reserve_nodes(self, count: int) -> None:
        """Columns for so many nodes."""
        self.taken = longer(self.taken, least=count)

    @property
    def may_be_half_dead(self) -> bool:
        """Whether it is time to look which queues are still in use."""
        return self._queues.may_be_half_dead

    def start_again(self, queues: Iterable[str]) -> None:
        """Sum all rows anew, after asks and resources were renumbered. Other queues than these that
        no owner uses are forgotten: other numbers stand for the rest."""
        self._renumber_queues([self.queue_number(name) for name in queues])
        rows = len(self._asks.resources)
        del self._placed.log[:]
        self._resources = rows
        self.taken = np.zeros((rows, self.taken.shape[1]), dtype=np.int64)
        self._owned = np.zeros((rows, self._owned.shape[1]), dtype=np.int64)
        self.used = np.zeros((rows, self.used.shape[1]), dtype=np.int64)
        self.weights.clear()
        nodes, owners, asks = self._placed.columns()
        self._add(nodes, owners, asks, np.ones(len(nodes), dtype=np.int64))

    def _renumber_queues(self, named: Sequence[int]) -> None:
        owners = self._queue_at[: self.count]
        in_use = np.ones(self.count, dtype=np.bool_)
        in_use[self._free_owners] = False
        owners[~in_use] = 0
        owners[:] = self._queues.keep([*owners.tolist(), *named])[owners]

    def _widen(self) -> None:
        """Rows for new resources. A host port may have been taken before it became a row; what
        the log holds was written since the last settling and is added with the new rows."""
        known, rows = self._resources, len(self._asks.resources)
        self._resources = rows
        self.taken = wider(self.taken, rows=rows)
        self._owned = wider(self._owned, rows=rows)
        self.used = wider(self.used, rows=rows)
        new = self._asks.table[known:]
        some = np.asarray(new.any(axis=0), dtype=np.bool_)
        nodes, owners, asks = self._placed.columns()
        pending = np.array(self._placed.log, dtype=np.int64).reshape(-1, 4).T
        for at, by, which, sign in ((nodes, owners, asks, 1), (*pending[:3], -pending[3])):
            that = some[which]
            signs = sign if isinstance(sign, int) else sign[that]
            self._sum(at[that], by[that], new[:, which[that]] * signs, known)

    def _add_one_by_one(self) -> None:
        log = self._placed.log.tolist()
        del self._placed.log[:]
        for at in range(0, len(log), 4):
            node, owner, ask, sign = log[at : at + 4]
            self.add(node, owner, ask, sign)

    def _add(self, nodes: Ints, owners: Ints, asks: Ints, signs: Ints) -> None:
        self._sum(nodes, owners, self._asks.table[:, asks] * signs, 0)
        if self._asks.heavy:
            for at in np.flatnonzero(np.isin(asks, sorted(self._asks.heavy))).tolist():
                self.weights.add(int(nodes[at]), self._asks.rows[asks[at]], int(signs[at]))

    def _sum(self, nodes: Ints, owners: Ints, amounts: Ints, first: int) -> None:
        """Add amounts [resource from `first` on, change] where they belong."""
        queues = self._queue_at[owners]
        self.changes += 1
        for row, amount in enumerate(amounts, start=first):
            np.add.at(self.taken[row], nodes, amount)
            np.add.at(self._owned[row], owners, amount)
            np.add.at(self.used[row], queues, amount)
