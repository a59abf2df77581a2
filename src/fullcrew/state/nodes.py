"""The nodes as columns: what they have, what they are called, what keeps pods off them.

A row belongs to a name from the first time it is heard, be it from a pod that is bound there, and
is given back when neither the node nor a pod on it is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from fullcrew.errors import BadInput
from fullcrew.model.amounts import MOST_TOTAL, PODS, is_device, is_host_port
from fullcrew.model.where import Taint
from fullcrew.objects import Node, asking, choosing
from fullcrew.room import Ints, Nodes
from fullcrew.state.asks import places_of
from fullcrew.state.columns import frozen, longer, wider
from fullcrew.state.node_labels import NodeLabels
from fullcrew.state.numbers import Numbers

__all__ = ["MOST_PODS", "NodeRows", "devices", "is_read"]

MOST_PODS: Final = 110  # what a kubelet allows where nobody says otherwise: decision 0009

_UNSCHEDULABLE: Final = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
_LIMIT_PREFIX: Final = "attachable-volumes-csi-"
_READ_OF_METADATA: Final = ("metadata.name", "metadata.labels", "metadata.deletionTimestamp")
_COARSE: Final = 20  # bits left out of a quick look at totals, so that the look cannot overflow


@dataclass(frozen=True, slots=True)
class _Seen:
    """What we keep of a node's object. `fault` says why it cannot be used, whatever it has;
    `remark` is a fault in what no rule reads."""

    amounts: Mapping[str, int]
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    is_usable: bool
    fault: str = ""
    remark: str = ""

    @property
    def rules(self) -> tuple[object, ...]:
        """What rules read of it."""
        return (self.is_usable, self.taints, self.labels)


class NodeRows:
    """Rows of nodes, and the columns that a snapshot shows of them."""

    def __init__(self) -> None:
        self._free: list[int] = []
        self._changed = np.zeros(16, dtype=np.int64)
        self._usable = np.zeros(16, dtype=np.bool_)
        self._taints = np.zeros(16, dtype=np.int64)
        self._taint_sets: Numbers[tuple[Taint, ...]] = Numbers()
        self._taint_sets.of(())  # 0, as the columns begin
        self._limits: dict[str, int] = {}  # how many nodes limit the volumes of a driver
        self._named: tuple[tuple[str, ...], Ints] | None = None  # names and ranks
        self._shown: Nodes | None = None
        self._labels_shown = 0
        self._faults: dict[int, str] = {}  # of nodes' objects, by row
        self._remarks: dict[int, str] = {}  # likewise
        self._closed: dict[int, dict[str, str]] = {}  # by row, pods that cannot be read: why
        self._beyond: frozenset[int] = frozenset()  # rows that the cluster's total has no room for
        self._resources: tuple[str, ...] = ()
        self._row_of: dict[str, int] = {}  # by resource
        self._places: Ints = np.zeros(0, dtype=np.int64)  # [resource]: what each node has of ports
        self.labels = NodeLabels()
        self.names: list[str] = []
        self.row_of: dict[str, int] = {}
        self.seen: list[_Seen | None] = []
        self.size = np.zeros((0, 16), dtype=np.int64)
        self.generation = 0
        self.limited_drivers: frozenset[str] = frozenset()

    def row(self, name: str) -> int:
        """The row of a name, a new one at its first sight."""
        found = self.row_of.get(name)
        if found is not None:
            return found
        if self._free:
            row = self._free.pop()
            self.names[row] = name
        else:
            row = len(self.names)
            self.names.append(name)
            self.seen.append(None)
            self.labels.put(row, {})
            self._reserve(len(self.names))
        self.row_of[name] = row
        self._named = None
        self._touch(row)
        return row

    def put(self, node: Node, fault: str, remark: str = "") -> bool:
        """A node as it is now, the first fault in what a plan reads, and any fault. Whether that
        makes a difference to anybody."""
        row, seen = self.row(node.name), _seen(node, fault, remark)
        before = self.seen[row]
        if before == seen:
            return False
        self.seen[row] = seen
        self._note(row, seen)
        if before is None or before.rules != seen.rules:
            self._write_rules(row)
        self._write_size(row)
        self.generation += 1
        self._count_limits(before, seen)
        return True

    def drop(self, name: str) -> bool:
        """The node is gone; its pods may be there a while longer. Whether it was there."""
        row = self.row_of.get(name)
        if row is None or self.seen[row] is None:
            return False
        self._count_limits(self.seen[row], None)
        self.seen[row] = None
        self._note(row, None)
        self._write_rules(row)
        self._write_size(row)
        return True

    def give_back(self, row: int) -> None:
        """No pod stands there any more: without a node's object the row is free for another."""
        if self.seen[row] is None and self.names[row]:
            del self.row_of[self.names[row]]
            self.names[row] = ""
            self._free.append(row)
            self._named = None
            self._touch(row)

    def close(self, row: int, pod: str, fault: str) -> None:
        """Nobody knows what this pod takes there: the node is not used while it is there."""
        self._closed.setdefault(row, {})[pod] = fault
        self._write_rules(row)

    def reopen(self, row: int, pod: str) -> None:
        """The pod is gone, or can be read now."""
        pods = self._closed.get(row, {})
        pods.pop(pod, None)
        if not pods:
            self._closed.pop(row, None)
        self._write_rules(row)

    def is_open(self, row: int, *, unchanged_since: int | None = None) -> bool:
        """Whether pods may be bound there; and, if a generation is told, whether no rule may read
        anything else of it than in a snapshot of that generation."""
        is_same = unchanged_since is None or self._changed[row] <= unchanged_since
        return bool(self._usable[row] and is_same)

    def widen(self, resources: list[str]) -> bool:
        """Rows for new resources. Whether there are any."""
        known = len(self._resources)
        if len(resources) == known:
            return False
        self._resources = tuple(resources)
        self._row_of = {name: at for at, name in enumerate(resources)}
        new = {name: self._row_of[name] for name in resources[known:]}
        places = [places_of(name) if is_host_port(name) else 0 for name in resources]
        self._places = np.array(places, dtype=np.int64)
        self.size = wider(self.size, rows=len(resources))
        self._shown = None  # also where there is no node yet
        there = [row for row, seen in enumerate(self.seen) if seen]
        self.size[known:, there] = self._places[known:, None]
        for row in there:
            self._write_amounts(row, new)
        return True

    def start_again(self, resources: list[str]) -> None:
        """The resources were numbered anew."""
        self._resources = ()
        self.size = np.zeros((0, self.size.shape[1]), dtype=np.int64)
        self._shown = None
        self.widen(resources)

    def notes(self) -> tuple[str, ...]:
        """Faults of nodes and of pods that close them, sorted."""
        faults = [
            f"node {self.names[row]} is not used: {fault}" for row, fault in self._faults.items()
        ]
        remarks = [f"node {self.names[row]}: {fault}" for row, fault in self._remarks.items()]
        closed = [
            f"node {self.names[row]} is not used: what pod {min(pods)} takes there cannot be read:"
            f" {pods[min(pods)]}"
            for row, pods in self._closed.items()
        ]
        over = [
            f"node {self.names[row]} is not used: the cluster's total would be beyond {MOST_TOTAL}"
            for row in self._refused()
        ]
        return tuple(sorted((*faults, *remarks, *closed, *over)))

    def shown(self) -> Nodes:
        """The columns as a snapshot has them; the same value until something changes."""
        if self._shown is None or self._labels_shown != self.labels.version:
            self._shown, self._labels_shown = self._made(), self.labels.version
        return self._shown

    def _made(self) -> Nodes:
        count = len(self.names)
        names, rank = self._named = self._named or self._ranked()
        usable = self._usable[:count].copy()
        usable[self._refused_now()] = False
        return Nodes(
            names=names,
            rank=rank,
            usable=frozen(usable),
            size=frozen(self.size[:, :count]),
            labels=self.labels.shown(),
            taints=frozen(self._taints[:count]),
            taint_sets=tuple(self._taint_sets.values),
            changed=frozen(self._changed[:count]),
            unreadable=self._unreadable(),
        )

    def _unreadable(self) -> dict[int, str]:
        """By row why a node that is there cannot be used, its own fault first."""
        found = {
            row: f"pod {min(pods)}: {pods[min(pods)]}"
            for row, pods in self._closed.items()
            if self.seen[row] is not None
        }
        return found | {r: f"node {self.names[r]}: {fault}" for r, fault in self._faults.items()}

    def _ranked(self) -> tuple[tuple[str, ...], Ints]:
        names = np.array(self.names, dtype=object)
        rank = np.empty(len(names), dtype=np.int64)
        rank[np.argsort(names, kind="stable")] = np.arange(len(names))
        return tuple(self.names), frozen(rank)

    def _refused(self) -> list[int]:
        """Nodes that would bring a total beyond what sums can hold: the last ones by name."""
        size = self.size[:, : len(self.names)]
        coarse = (size >> _COARSE) + 1
        if not size.size or int(coarse.sum(axis=1).max()) < MOST_TOTAL >> _COARSE:
            return []
        totals, refused = [0] * size.shape[0], []
        for row in sorted(range(len(self.names)), key=self.names.__getitem__):
            after = [total + int(more) for total, more in zip(totals, size[:, row], strict=True)]
            if max(after) > MOST_TOTAL:
                refused.append(row)
            else:
                totals = after
        return refused

    def _refused_now(self) -> list[int]:
        """Those refused now. Which ones hangs on what others have, so a change is marked here."""
        refused = self._refused()
        for row in sorted(self._beyond.symmetric_difference(refused)):
            self._touch(row)
        self._beyond = frozenset(refused)
        return refused

    def _reserve(self, count: int) -> None:
        self.size = longer(self.size, least=count)
        self._changed = longer(self._changed, least=count)
        self._usable = longer(self._usable, least=count)
        self._taints = longer(self._taints, least=count)

    def _touch(self, row: int) -> None:
        self.generation += 1
        self._changed[row] = self.generation
        self._shown = None

    def _write_rules(self, row: int) -> None:
        seen = self.seen[row]
        self._usable[row] = seen is not None and seen.is_usable and row not in self._closed
        self._taints[row] = self._taint_sets.of(seen.taints if seen else ())
        self.labels.put(row, seen.labels if seen else {})
        self._touch(row)

    def _note(self, row: int, seen: _Seen | None) -> None:
        for told, fault in (
            (self._faults, seen.fault if seen else ""),
            (self._remarks, seen.remark if seen else ""),
        ):
            told.pop(row, None)
            if fault:
                told[row] = fault
        self._shown = None

    def _write_size(self, row: int) -> None:
        self.size[:, row] = self._places if self.seen[row] else 0
        self._write_amounts(row, self._row_of)
        self._shown = None

    def _write_amounts(self, row: int, row_of: Mapping[str, int]) -> None:
        """Of these resources what the node tells: it costs what it tells, however many there are,
        and no node tells of a port."""
        seen = self.seen[row]
        amounts = seen.amounts if seen else {}
        for name in amounts.keys() & row_of.keys():
            if not is_host_port(name):
                self.size[row_of[name], row] = amounts[name]

    def _count_limits(self, before: _Seen | None, after: _Seen | None) -> None:
        """Which drivers attach no more than so many volumes to some node."""
        for seen, sign in ((before, -1), (after, 1)):
            for name in seen.amounts if seen else ():
                if name.startswith(_LIMIT_PREFIX):
                    driver = name.removeprefix(_LIMIT_PREFIX)
                    self._limits[driver] = self._limits.get(driver, 0) + sign
        found = frozenset(driver for driver, nodes in self._limits.items() if nodes)
        if found != self.limited_drivers:
            self.limited_drivers = found


def is_read(place: str) -> bool:
    """Whether a plan reads what stands there in a node's object."""
    return not place.startswith("metadata.") or place.startswith(_READ_OF_METADATA)


def _seen(node: Node, fault: str, remark: str) -> _Seen:
    amounts: Mapping[str, int] = {}
    try:
        place = "allocatable" if node.status.allocatable else "capacity"
        has = node.status.allocatable or node.status.capacity
        amounts = {PODS: MOST_PODS, **asking.has(has, place=f"status.{place}")}
    except BadInput as bad:
        fault = fault or f"{bad.where}: {bad.problem}"
    taints = sorted(choosing.taints(node), key=lambda taint: (taint.key, taint.value, taint.effect))
    if node.spec.unschedulable:
        taints.append(_UNSCHEDULABLE)
    is_usable = node.is_ready and not node.metadata.is_leaving and not fault
    return _Seen(
        amounts=amounts,
        labels=node.metadata.labels,
        taints=tuple(dict.fromkeys(taints)),
        is_usable=is_usable,
        fault=fault,
        remark="" if fault else remark,
    )


def devices(nodes: NodeRows, name: str) -> list[str]:
    """What is plugged into a node of this name."""
    seen = nodes.seen[nodes.row_of[name]] if name in nodes.row_of else None
    return [each for each, much in seen.amounts.items() if much and is_device(each)] if seen else []
