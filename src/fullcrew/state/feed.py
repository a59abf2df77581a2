"""The one feed: objects added, changed and gone, from a watch, a list, files or the simulator.

Kinds may come in any order: a pod before its group, a claim before its volume, a node after its
pods. What refers to something that is not there yet waits, and is looked at again when it comes.
"""

from __future__ import annotations

from typing import Any

from fullcrew.objects import (
    CsiNode,
    Faulty,
    Kind,
    KubernetesObject,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodGroup,
    PriorityClass,
    Queue,
    fault_in,
    fault_where,
    readable,
)
from fullcrew.state.nodes import devices, is_read
from fullcrew.state.pods import Pods
from fullcrew.state.reading import is_asked
from fullcrew.state.records import seen
from fullcrew.state.settings import Settings, is_for_all, is_of_queue

__all__ = ["Feed", "Object"]

Object = KubernetesObject | Faulty[Any]  # as the decoder gives them

_ANNOTATION = "annotation"


class Feed:
    """Takes objects in. `changes` grows with all that a plan could depend on, but for pods."""

    def __init__(self, pods: Pods, settings: Settings) -> None:
        self._pods, self._settings = pods, settings
        self._listing: dict[Kind, set[str]] = {}
        self.changes = 0
        self.group_changes = 0  # statuses included

    def put(self, told: Object) -> None:
        """An object that was added or has changed."""
        found, fault = readable(told), fault_in(told)
        if self._listing and (listed := self._listing.get(found.KIND)) is not None:
            listed.add(found.full_name)
        match found:
            case Pod():
                self._pods.put(found, fault, fault_where(told, is_asked))
            case Node() if not found.name:
                pass  # nobody could be bound there
            case Node():
                self._pods.node_row(found.name)
                if self._pods.nodes.put(found, fault_where(told, is_read), fault):
                    self._look_at_volumes(self._pods.volumes.limit(self._limited))
                    self._pods.asks.see(devices(self._pods.nodes, found.name))
                    self.changes += 1
            case PodGroup():
                self._put_group(found, fault)
            case PersistentVolumeClaim():
                self._look_at_volumes(self._pods.volumes.put_claim(found, fault))
            case PersistentVolume():
                self._look_at_volumes(self._pods.volumes.put_volume(found, fault))
            case CsiNode():
                self._look_at_volumes(self._pods.volumes.limit(found.limited, told_by=found.name))
            case _:
                self._put_setting(told)

    def drop(self, told: Object) -> None:
        """An object that was deleted."""
        found = readable(told)
        if isinstance(found, Pod):
            self._pods.drop(found.full_name, found.metadata.uid, found)
        else:
            self._drop(found.KIND, found.full_name)

    def begin(self, kind: Kind) -> None:
        """A list of this kind starts anew."""
        self._listing[kind] = set()

    def end(self, kind: Kind) -> None:
        """The list is complete: what was not put since it began is gone."""
        listed = self._listing.pop(kind, set())
        for name in self._names(kind):
            if name not in listed:
                self._drop(kind, name)

    @property
    def _limited(self) -> frozenset[str]:
        return self._pods.nodes.limited_drivers

    def _drop(self, kind: Kind, name: str) -> None:
        if kind == Pod.KIND:
            self._pods.drop(name)
        elif kind == Node.KIND:
            self._drop_node(name)
        elif kind == PersistentVolumeClaim.KIND:
            self._look_at_volumes(self._pods.volumes.drop_claim(name))
        elif kind == PersistentVolume.KIND:
            self._look_at_volumes(self._pods.volumes.drop_volume(name))
        elif kind == CsiNode.KIND:
            self._look_at_volumes(self._pods.volumes.limit(frozenset(), told_by=name))
        elif kind.name == "PodGroup":
            self._drop_group(kind, name)
        else:
            self._drop_setting(kind, name)

    def _drop_node(self, name: str) -> None:
        nodes = self._pods.nodes
        if nodes.drop(name):
            self._look_at_volumes(self._pods.volumes.limit(self._limited))
            if nodes.row_of[name] not in self._pods.placed.on_node:
                nodes.give_back(nodes.row_of[name])
            self.changes += 1

    def _put_group(self, group: PodGroup, fault: str) -> None:
        record = self._pods.records.of(_ANNOTATION, group.full_name)
        before = record.groups.get(group.KIND)
        now = record.groups[group.KIND] = seen(group, fault, before)
        self.group_changes += 1
        self._pods.records.touched.add(record.key)
        if before is None or before[1:] != now[1:]:
            self._pods.records.dirty.add(record.key)
            self.changes += 1
        elif before.group.status.phase != now.group.status.phase:
            self._pods.records.dirty.add(record.key)  # a finished one is not told any more

    def _drop_group(self, kind: Kind, name: str) -> None:
        record = self._pods.records.get(name)
        if record is not None and record.groups.pop(kind, None) is not None:
            self._pods.changed(record)
            self.changes += 1
            self.group_changes += 1

    def _put_setting(self, told: Object) -> None:
        found, fault = readable(told), fault_in(told)
        match found:
            case Namespace():
                of_all, of_queue = fault_where(told, is_for_all), fault_where(told, is_of_queue)
                self._settings.put_namespace(found, fault, of_all, of_queue)
            case PriorityClass():
                self._settings.put_class(found, fault)
            case Queue():
                self._settings.queues.put(found, fault)

    def _drop_setting(self, kind: Kind, name: str) -> None:
        if kind == Namespace.KIND:
            self._settings.drop_namespace(name)
        elif kind == PriorityClass.KIND:
            self._settings.drop_class(name)
        elif kind.name == "Queue":
            self._settings.queues.drop(kind, name)

    def _look_at_volumes(self, pods: frozenset[str]) -> None:
        self._pods.look_again(pods)

    def _names(self, kind: Kind) -> list[str]:
        pods = self._pods
        if kind == Pod.KIND:
            return pods.names()
        if kind == Node.KIND:
            return [name for name, row in pods.nodes.row_of.items() if pods.nodes.seen[row]]
        if kind in {PersistentVolume.KIND, PersistentVolumeClaim.KIND, CsiNode.KIND}:
            return pods.volumes.names(kind)
        if kind.name == "PodGroup":
            return [record.title for record in pods.records if kind in record.groups]
        return self._settings.names(kind)
