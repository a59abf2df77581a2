"""Snapshots: what changed since the last one is worked out, all else is handed over as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fullcrew.model.amounts import MOST_TOTAL, NO_LIMIT
from fullcrew.model.gang import Gang, Missing, Queue
from fullcrew.room import Mask, Nodes, Room, Snapshot
from fullcrew.state import renumbering
from fullcrew.state.columns import frozen
from fullcrew.state.gangs import gang_of, queue_of
from fullcrew.state.lost import missing
from fullcrew.state.pods import Pods
from fullcrew.state.records import Record
from fullcrew.state.settings import Settings

__all__ = ["Making"]


class _Made(NamedTuple):
    """What a snapshot consists of, to be compared by identity with what the next one would."""

    resources: int
    asks: int
    wheres: int
    nodes: Nodes
    sums: int
    queues: tuple[Queue, ...]
    gangs: tuple[Gang, ...]
    closed: Mapping[int, Mask]
    notes: tuple[str, ...]


class Making:
    """Keeps the values of gangs and queues, and the last snapshot."""

    def __init__(self, pods: Pods, settings: Settings) -> None:
        self._pods, self._settings = pods, settings
        self._values: dict[str, Gang] = {}  # of gangs with something to say, by key
        self._order: list[str] = []  # their keys, sorted by name
        self._fresh: set[str] | None = None  # keys to be put in order; None: the order holds
        self._gangs: tuple[Gang, ...] | None = ()
        self._queues: tuple[Queue, ...] = ()
        self._limits: list[tuple[int, Mapping[str, int]]] = []
        self._seen: _Made | None = None
        self._last: Snapshot | None = None
        self._notes: tuple[Nodes, tuple[str, ...]] | None = None  # of these nodes
        self.numbering = 0

    def refresh(self) -> None:
        """Bring all gangs up to date."""
        self._follow_settings()
        pods = self._pods
        if pods.fences.stale:
            stale, pods.fences.stale = pods.fences.stale, set()
            pods.read_kin(stale)
        if pods.records.dirty:
            dirty, pods.records.dirty = pods.records.dirty, set()
            for key in dirty:
                self._make(key)

    def snapshot(self, now: int) -> Snapshot:
        """The moment as the core reads it."""
        self.refresh()
        self._renumber_if_half_dead()
        pods = self._pods
        for label in pods.reader.wheres.fresh_labels:
            pods.nodes.labels.column(label)
        pods.reader.wheres.fresh_labels = set()
        self.settle()
        closed = self.closed()
        made = _Made(
            len(pods.asks.resources),
            pods.asks.count,
            len(pods.reader.wheres.values),
            pods.nodes.shown(),
            pods.sums.changes,
            self._queues,
            self._all_gangs(),
            closed,
            self._notes_of(pods.nodes.shown()),
        )
        if self._last is None or self._seen is None or _differs(made, self._seen):
            self._last = self._made(now, made, self._last)
            self._seen = made
        return self._last if self._last.now == now else replace(self._last, now=now)

    def settle(self) -> None:
        """Bring sums and sizes up to date."""
        self._pods.sums.settle()
        if self._pods.nodes.widen(self._pods.asks.resources):
            self._pods.sums.changes += 1

    def gang(self, record: Record) -> Gang | None:
        """The value of a gang, as of the last refreshing."""
        return self._values.get(record.key)

    def closed(self) -> Mapping[int, Mask]:
        """By where the nodes that bound pods' anti-affinity closes to it."""
        return self._pods.fences.closed(self._pods.reader.wheres.values)

    def limit(self, queue: str) -> Mapping[str, int]:
        """The hard limit of a queue, by resource."""
        rules = self._settings.queues.get(queue)
        return rules.limit if rules else {}

    def _made(self, now: int, made: _Made, last: Snapshot | None) -> Snapshot:
        pods, seen = self._pods, self._seen
        is_renumbered = last is None or last.numbering != self.numbering
        same_asks = seen and not is_renumbered and seen[:2] == made[:2]
        same_wheres = seen and not is_renumbered and seen.wheres == made.wheres
        same_room = (
            same_asks
            and seen
            and seen.nodes is made.nodes
            and seen.sums == made.sums
            and seen.queues is made.queues
        )
        return Snapshot(
            now=now,
            resources=tuple(pods.asks.resources),
            asks=last.asks if last and same_asks else frozen(pods.asks.table),
            wheres=last.wheres if last and same_wheres else tuple(pods.reader.wheres.values),
            closed=made.closed,
            nodes=made.nodes,
            queues=made.queues,
            room=last.room if last and same_room else self._room(made.nodes),
            gangs=made.gangs,
            numbering=self.numbering,
            generation=pods.nodes.generation,
            notes=made.notes,
        )

    def _room(self, nodes: Nodes) -> Room:
        sums, row_of = self._pods.sums, self._pods.asks.row_of
        free = nodes.size - sums.taken[:, : len(nodes.names)]
        for row, node in sums.weights.overflown():
            free[row, node] = -MOST_TOTAL
        columns = [number for number, _ in self._limits]
        limit = np.full((len(row_of), len(columns)), NO_LIMIT, dtype=np.int64)
        for column, (_, limits) in enumerate(self._limits):
            for resource, most in limits.items():
                if resource in row_of:
                    limit[row_of[resource], column] = most
        return Room(free, sums.used[:, columns], limit)

    def _all_gangs(self) -> tuple[Gang, ...]:
        values = self._values
        if self._fresh is not None:
            kept = [key for key in self._order if key in values and key not in self._fresh]
            kept += [key for key in self._fresh if key in values]
            self._order = sorted(kept, key=lambda key: values[key].name)
            self._fresh = None
        if self._gangs is None:
            self._gangs = tuple([values[key] for key in self._order])
        return self._gangs

    def _make(self, key: str) -> None:
        record, value = self._pods.records.get(key), None
        if record is not None:
            name = self._pods.records.name(record)
            value = gang_of(record, name, self._settings)
            if value is not None and record.lost and value.is_wounded:
                value = replace(value, missing=self._missing(record, value))
            self._pods.owners.follow(record)
        before = self._values.get(key)
        if before == value:
            return
        self._gangs = None
        if value is None:
            del self._values[key]
        else:
            self._values[key] = value
        if before is None or value is None or before.name != value.name:
            self._fresh = self._fresh or set()
            self._fresh.add(key)

    def _missing(self, record: Record, gang: Gang) -> tuple[Missing, ...]:
        asks, wheres = self._pods.asks, self._pods.reader.wheres
        waiting = Counter(each.role for each in record.waiting.values() if not each.is_assumed)
        found = []
        for form, count in missing(record.lost, gang, waiting):
            ask = asks.again(form.amounts)
            asks.want_ports(ask)
            found.append(Missing(form.role, ask, wheres.again(form.where), count))
        return tuple(found)

    def _follow_settings(self) -> None:
        settings, pods = self._settings, self._pods
        if not (
            settings.changed_namespaces or settings.queues.changed or settings.are_classes_changed
        ):
            return
        namespaces, settings.changed_namespaces = settings.changed_namespaces, set()
        queues, settings.queues.changed = settings.queues.changed, set()
        are_all, settings.are_classes_changed = settings.are_classes_changed, False
        for record in pods.records:
            if are_all or record.namespace in namespaces or queue_of(record, settings) in queues:
                pods.records.dirty.add(record.key)
        if namespaces:
            pods.owners.follow_namespaces(namespaces)
        if queues:
            self._queues = tuple(rules.queue for rules in settings.queues.all())
            self._number_limits()
            for name in self._limited():
                pods.asks.want_resource(name)

    def _number_limits(self) -> None:
        found, sums = self._settings.queues.all(), self._pods.sums
        self._limits = [(sums.queue_number(rules.queue.name), rules.limit) for rules in found]

    def _limited(self) -> list[str]:
        return sorted({name for _, limit in self._limits for name in limit})

    def _renumber_if_half_dead(self) -> None:
        if renumbering.is_due(self._pods):
            queues = [queue.name for queue in self._queues]
            renumbering.renumber(self._pods, queues=queues, limited=self._limited())
            self._number_limits()
            self.numbering += 1
            self.refresh()

    def _notes_of(self, nodes: Nodes) -> tuple[str, ...]:
        if self._notes is None or self._notes[0] is not nodes:
            self._notes = (nodes, self._pods.nodes.notes())
        told = (*self._settings.notes(), *self._notes[1])
        last = self._last.notes if self._last else ()
        return last if told == last else told


def _differs(one: _Made, other: _Made) -> bool:
    return any(
        a is not b and (not isinstance(a, int) or a != b) for a, b in zip(one, other, strict=True)
    )
