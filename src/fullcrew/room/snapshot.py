"""One moment of a cluster, as the core reads it: everything a plan depends on, time included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from fullcrew.model.gang import Gang, Queue
from fullcrew.model.where import Taint, Where
from fullcrew.room.ledger import Ints, Mask, Room

__all__ = ["LabelColumn", "Nodes", "Snapshot"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumn:
    """One label of all nodes: by node the number of its value in `values`, -1 where it is absent.

    The order of `values` is an accident of arrival and must decide nothing.
    """

    values: tuple[str, ...]
    numbers: Ints  # [node]


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The nodes as columns that cannot be written; row i is the same node in all of them.

    A row that was given back has the name "" and is not usable. `rank` is a node's place in the
    order of names, the one order all machines agree on. `size` is what is allocatable.
    `labels` has the keys that some live where mentions. `changed` tells by node at which
    `Snapshot.generation` something that a rule reads of it (labels, taints, usable) last changed.
    An unschedulable node carries the taint `node.kubernetes.io/unschedulable:NoSchedule`.
    `unreadable` has by row the words of the fault, the node's or that of a pod on it, for which a
    node that is there is not usable.
    """

    names: tuple[str, ...]
    rank: Ints  # [node]
    usable: Mask  # [node]: there, ready, not being deleted, and its object without fault
    size: Ints  # [resource, node]
    labels: Mapping[str, LabelColumn]
    taints: Ints  # [node]: number in taint_sets
    taint_sets: tuple[tuple[Taint, ...], ...]
    changed: Ints  # [node]
    unreadable: Mapping[int, str] = field(default_factory=dict)

    @property
    def is_there(self) -> Mask:
        """By node whether there is one: a name that only pods know has nothing."""
        found = np.asarray(self.size.any(axis=0), dtype=np.bool_)
        found[list(self.unreadable)] = True  # what it has may be what cannot be read
        return found

    def only(self, rows: Ints) -> Nodes:
        """The same columns of some nodes, for a rule that is asked anew of what changed."""
        return Nodes(
            names=tuple(self.names[row] for row in rows.tolist()),
            rank=self.rank[rows],
            usable=self.usable[rows],
            size=self.size[:, rows],
            labels={
                key: LabelColumn(column.values, column.numbers[rows])
                for key, column in self.labels.items()
            },
            taints=self.taints[rows],
            taint_sets=self.taint_sets,
            changed=self.changed[rows],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What `core.plan` gets, besides its memo and its policies. Nothing in it is ever changed.

    `room` is shared by reference and must be copied before anything is taken from it.
    Numbers of asks, wheres and queues come from arrival: they index columns and order nothing.

    For the memo: `numbering` changes when numbers of asks or wheres were given out anew;
    `generation` grows with every change of a node.
    """

    now: int  # unix seconds
    resources: tuple[str, ...]
    asks: Ints  # [resource, ask]; every ask has 1 of `pods`
    wheres: tuple[Where, ...]
    closed: Mapping[int, Mask]  # by where: nodes closed to it by bound pods' anti-affinity
    nodes: Nodes
    queues: tuple[Queue, ...]  # in the order of the columns of room.used and room.limit
    room: Room
    gangs: tuple[Gang, ...]  # all with something to say: waiting members, wounded, short of pods
    numbering: int = 0
    generation: int = 0
    notes: tuple[str, ...] = field(default=())  # faults that concern no gang, as of a node
