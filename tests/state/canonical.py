"""A snapshot without the accidents of arrival: no numbers, no order but that of names.

Two snapshots of one cluster are equal in this form, whatever came first and however often.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fullcrew.model.amounts import is_host_port
from fullcrew.model.gang import Gang, Part, Queue
from fullcrew.room import Ints, Snapshot
from fullcrew.state.wheres import labels_of

__all__ = ["ask_of", "canonical", "free_of", "gangs_of"]

Form = dict[str, Any]


def canonical(snapshot: Snapshot) -> Form:
    """All that a plan may depend on. What nobody asks for, uses or reads tells nothing."""
    return _Seen(snapshot).form()


def free_of(snapshot: Snapshot, node: str) -> Mapping[str, int]:
    """What is free on a node, of resources that are not all free of nobody's asking."""
    return _amounts(snapshot, snapshot.room.free[:, snapshot.nodes.names.index(node)])


def ask_of(snapshot: Snapshot, part: Part) -> Mapping[str, int]:
    """What the pods of a part ask for, each."""
    return _amounts(snapshot, snapshot.asks[:, part.ask])


def gangs_of(snapshot: Snapshot) -> dict[str, Gang]:
    """Gangs by name."""
    return {gang.name: gang for gang in snapshot.gangs}


class _Seen:
    """A snapshot, and which of its resources and labels matter to anybody in it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.parts = [p for g in snapshot.gangs for role in g.roles for p in role.parts]
        room, size = snapshot.room, snapshot.nodes.size
        asked = {name for part in self.parts for name in ask_of(snapshot, part)}
        used = (room.used != 0).any(axis=1) | (size != room.free).any(axis=1)
        names = {snapshot.resources[row] for row in np.flatnonzero(used)}
        self.resources = asked | {name for name in names if not is_host_port(name)}
        wheres = [snapshot.wheres[part.where] for part in self.parts]
        self.labels = {key for where in wheres for key in labels_of(where)}

    def form(self) -> Form:
        names, queues = self.snapshot.nodes.names, self.snapshot.queues
        usable = np.flatnonzero(self.snapshot.nodes.usable)
        return {
            "nodes": {names[row]: self.node(int(row)) for row in usable},
            "queues": {queue.name: self.queue(at, queue) for at, queue in enumerate(queues)},
            "gangs": [self.gang(gang) for gang in self.snapshot.gangs],
            "notes": self.snapshot.notes,
        }

    def node(self, row: int) -> Form:
        nodes = self.snapshot.nodes
        return {
            "size": self.amounts(nodes.size[:, row]),
            "free": self.amounts(self.snapshot.room.free[:, row]),
            "taints": nodes.taint_sets[nodes.taints[row]],
            "labels": {
                key: column.values[column.numbers[row]]
                for key, column in nodes.labels.items()
                if key in self.labels and column.numbers[row] >= 0
            },
        }

    def queue(self, column: int, queue: Queue) -> Form:
        room = self.snapshot.room
        limit = self.amounts(room.limit[:, column])
        return {"queue": queue, "used": self.amounts(room.used[:, column]), "limit": limit}

    def gang(self, gang: Gang) -> Form:
        return {
            "gang": gang.name,
            "terms": (gang.dialect, gang.queue, gang.minimum, gang.priority, gang.created),
            "counts": (gang.live, gang.counted, gang.min_resources),
            "told": (gang.held, gang.fault, gang.notes),
            "roles": [
                (role.name, role.minimum, role.standing, [self.part(part) for part in role.parts])
                for role in gang.roles
            ],
        }

    def part(self, part: Part) -> Form:
        closed = self.snapshot.closed.get(part.where, np.zeros(0, dtype=np.bool_))
        names = self.snapshot.nodes.names
        return {
            "ask": ask_of(self.snapshot, part),
            "where": replace(self.snapshot.wheres[part.where], kin=("", ())),
            "closed": sorted(names[row] for row in np.flatnonzero(closed)),
            "members": part.members,
        }

    def amounts(self, column: Ints) -> dict[str, int]:
        found = _amounts(self.snapshot, column)
        return {name: much for name, much in found.items() if name in self.resources}


def _amounts(snapshot: Snapshot, column: Ints) -> dict[str, int]:
    told = zip(snapshot.resources, column.tolist(), strict=True)
    return {name: much for name, much in told if much}
