"""Pods that need no place any more, as rows of columns: bound ones, assumed ones, ended members.

A million of them are a few arrays and three lists of references, no object each. What they use on
nodes and in queues is summed from a log of changes, never by walking over the pods.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

import numpy as np

from fullcrew.room import Ints

__all__ = ["NOBODY", "NOWHERE", "InUse", "Placed", "Row", "Standing", "Told", "Trait"]

NOWHERE: Final = -1  # the node of a pod that takes no room
NOBODY: Final = 0  # the owner of a pod that is not ours


class Standing(Enum):
    """How far a member has come that needs no place any more."""

    ASSUMED = 0
    BOUND = 1
    RUNNING = 2
    LEAVING = 3
    SUCCEEDED = 4
    FAILED = 5
    FULFILLED = 6  # succeeded, and its stamp shows that its gang had started


# Role, scheduler, priority, priority class, queue, minimum: a trait but for how the member stands.
Told = tuple[str, str, int | None, str, str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Trait:
    """All that a gang must know of a member without looking at it. Interned by who reads pods, so
    that alike ones are the same object, and compared as such.

    `priority` is the pod's number, or None where only the name of its class is known. `queue` and
    `minimum` are what the pod itself tells, for gangs without a group object.
    """

    standing: Standing
    role: str = ""
    scheduler: str = ""
    priority: int | None = None
    priority_class: str = ""
    queue: str = ""
    minimum: int = 0

    @property
    def told(self) -> Told:
        """What stays while the member moves on."""
        return (
            self.role,
            self.scheduler,
            self.priority,
            self.priority_class,
            self.queue,
            self.minimum,
        )


class Row(NamedTuple):
    """One pod in all columns. `owner` is whose queue it uses; `record` is the key of the gang that
    counts it, empty for single pods and for those that are not ours."""

    node: int
    ask: int
    owner: int
    since: int
    trait: Trait
    record: str


class InUse(NamedTuple):
    """Asks of rows that take room; owners, and what traits tell, of all rows."""

    asks: list[int]
    owners: frozenset[int]
    told: frozenset[Told]


_ABSENT: Final = Trait(Standing.FAILED)


class Placed:
    """The rows, and the log of what changed in them since it was taken."""

    __slots__ = (
        "_asks", "_free", "_nodes", "_owners", "_records", "_since", "_traits", "log", "names",
        "on_node", "row_of", "uids",
    )  # fmt: skip

    def __init__(self) -> None:
        self._nodes = array("q")
        self._asks = array("q")
        self._owners = array("q")
        self._since = array("q")
        self._traits: list[Trait] = []
        self._records: list[str] = []
        self._free: list[int] = []
        self.log = array("q")  # node, owner, ask, +1 or -1
        self.names: list[str] = []
        self.uids: list[str] = []
        self.row_of: dict[str, int] = {}
        self.on_node: dict[int, int] = {}  # how many rows stand there

    def __len__(self) -> int:
        return len(self.row_of)

    def put(self, name: str, uid: str, row: Row, *, is_summed: bool = False) -> None:
        """A pod as it stands now; the entry that its name had is replaced. `is_summed`: what it
        takes now is in the sums already."""
        at = self.row_of.get(name)
        if at is None:
            at = self.row_of[name] = self._fresh(name, uid)
        else:
            self._leave(at)
            self.uids[at] = uid
        node, ask, owner, since, trait, record = row
        self._nodes[at], self._asks[at], self._owners[at] = node, ask, owner
        self._since[at], self._traits[at], self._records[at] = since, trait, record
        if node != NOWHERE:
            self.on_node[node] = self.on_node.get(node, 0) + 1
            if not is_summed:
                self.log.extend((node, owner, ask, 1))

    def drop(self, name: str) -> None:
        """The pod is gone, with all it used."""
        at = self.row_of.pop(name)
        self._leave(at)
        self._nodes[at], self._owners[at] = NOWHERE, NOBODY
        self._traits[at], self._records[at] = _ABSENT, ""
        self.names[at] = self.uids[at] = ""
        self._free.append(at)

    def retrait(self, name: str, trait: Trait) -> None:
        """The pod stands otherwise, and takes what it took."""
        self._traits[self.row_of[name]] = trait

    def of(self, name: str) -> Row | None:
        """How a pod stands."""
        at = self.row_of.get(name)
        if at is None:
            return None
        return Row(
            self._nodes[at], self._asks[at], self._owners[at], self._since[at],
            self._traits[at], self._records[at],
        )  # fmt: skip

    def uid(self, name: str) -> str:
        """The uid under which it was put."""
        return self.uids[self.row_of[name]]

    def take_log(self) -> tuple[Ints, Ints, Ints, Ints]:
        """All changes since the last call: nodes, owners, asks, signs."""
        entries = np.array(self.log, dtype=np.int64).reshape(-1, 4).T
        del self.log[:]
        nodes, owners, asks, signs = np.ascontiguousarray(entries)
        return nodes, owners, asks, signs

    def columns(self) -> tuple[Ints, Ints, Ints]:
        """Copies of nodes, owners and asks, of the rows that take room alone."""
        nodes = np.array(self._nodes, dtype=np.int64)
        there = nodes != NOWHERE
        owners = np.array(self._owners, dtype=np.int64)[there]
        return nodes[there], owners, np.array(self._asks, dtype=np.int64)[there]

    def in_use(self) -> InUse:
        """What the rows hold numbers of, and more that is kept only for them."""
        asks = np.unique(self.columns()[2]).tolist()
        owners = np.unique(np.array(self._owners, dtype=np.int64)).tolist()
        return InUse(asks, frozenset(owners), frozenset(each.told for each in set(self._traits)))

    def renumber(self, numbers: Ints) -> None:
        """New numbers for all asks; what takes no room gets any. The log must be empty."""
        asks = np.array(self._asks, dtype=np.int64)
        there = np.array(self._nodes, dtype=np.int64) != NOWHERE
        asks[there] = numbers[asks[there]]
        asks[~there] = 0
        self._asks = array("q", asks.tobytes())

    def _leave(self, at: int) -> None:
        node = self._nodes[at]
        if node == NOWHERE:
            return
        self.log.extend((node, self._owners[at], self._asks[at], -1))
        left = self.on_node[node] - 1
        if left:
            self.on_node[node] = left
        else:
            del self.on_node[node]

    def _fresh(self, name: str, uid: str) -> int:
        if self._free:
            at = self._free.pop()
            self.names[at], self.uids[at] = name, uid
            return at
        self.names.append(name)
        self.uids.append(uid)
        for column in (self._nodes, self._asks, self._owners, self._since):
            column.append(0)
        self._nodes[-1] = NOWHERE
        self._traits.append(_ABSENT)
        self._records.append("")
        return len(self.names) - 1
