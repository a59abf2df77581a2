"""All pods: which of them wait, which take room where, and what their gangs know of it.

Every change of a pod goes one way: what it was is taken out, what it is now is put in. Two ways are
short because they are walked most often: a status that changes nothing, and our own bind coming
back through the watch.
"""

from __future__ import annotations

from collections.abc import Iterable

from fullcrew import dialects
from fullcrew.dialects import Membership
from fullcrew.objects import Pod
from fullcrew.state.asks import Asks
from fullcrew.state.domains import EVERYWHERE
from fullcrew.state.fences import Fences
from fullcrew.state.lost import made_again
from fullcrew.state.nodes import NodeRows
from fullcrew.state.owners import Owners
from fullcrew.state.placed import NOBODY, NOWHERE, Placed, Row, Standing, Trait
from fullcrew.state.reading import (
    FOREIGN,
    Reader,
    is_as_assumed,
    is_same,
    is_single,
    standing_of,
)
from fullcrew.state.records import LIVE, Record, Records, Waiting, key_of
from fullcrew.state.settings import Settings
from fullcrew.state.sums import Sums
from fullcrew.state.templates import NO_ASK
from fullcrew.state.volumes import Volumes

__all__ = ["Pods"]


class Pods:
    """The table of pods, and all that follows from it at once."""

    def __init__(self, owned: frozenset[str], settings: Settings) -> None:
        self._owned = owned
        self._faults: dict[str, str] = {}  # of waiting pods' objects
        self._closing: dict[str, tuple[int, str]] = {}  # by pod which node it closes, and why
        self.asks = Asks()
        self.placed = Placed()
        self.sums = Sums(self.asks, self.placed)
        self.owners = Owners(self.sums, settings)
        self.nodes = NodeRows()
        self.volumes = Volumes()
        self.fences = Fences(self.nodes, settings)
        self.records = Records()
        self.reader = Reader(self.asks, self.volumes, self.fences)
        self.waiting: dict[str, Waiting] = {}
        self.version = 0

    def put(self, pod: Pod, fault: str, unread: str) -> None:
        """A pod as it is now, its fault in words, and the first that hides what it takes."""
        name = pod.full_name
        is_ours = pod.spec.scheduler_name in self._owned
        if pod.is_finished:
            self._put_ended(name, pod, is_ours=is_ours)
        elif pod.spec.node_name:
            self._put_bound(name, pod, (fault, unread), is_ours=is_ours)
        elif is_ours:
            self._put_waiting(name, pod, fault)
        else:
            self.drop(name)
        if self.sums.is_due:
            self.sums.settle()

    def drop(self, name: str, uid: str = "", last: Pod | None = None) -> None:
        """The pod is gone, which was `last` like this. With a uid: unless another one of its name
        is there by now."""
        if uid and self._uid(name, self.waiting.get(name)) not in {"", uid}:
            return
        self._lose(name, last)
        self._drop(name)

    def _drop(self, name: str) -> None:
        each = self.waiting.get(name)
        if each is not None:
            self._unwait(each)
        if name in self.placed.row_of:
            self._unplace(name)

    def look_again(self, names: Iterable[str]) -> None:
        """Something that these waiting pods refer to has changed."""
        for name in sorted(names):
            if each := self.waiting.get(name):
                self._read(each)
                self.version += 1

    def read_kin(self, namespaces: set[str]) -> None:
        """Rules read other labels in these now: which class a pod belongs to may change."""
        for each in self.waiting.values():
            if EVERYWHERE in namespaces or each.record.namespace in namespaces:
                before = each.where
                self._read(each, is_quiet=True)
                if each.where != before:
                    self.records.dirty.add(each.record.key)

    def node_row(self, name: str) -> int:
        """The row of a node, with columns in the sums."""
        row = self.nodes.row_of.get(name)
        if row is None:
            row = self.nodes.row(name)
            self.sums.reserve_nodes(len(self.nodes.names))
        return row

    def names(self) -> list[str]:
        """All pods that are known."""
        return [*self.waiting, *(name for name in self.placed.row_of if name not in self.waiting)]

    def take(self, each: Waiting, node: int, trait: Trait) -> None:
        """A bind is assumed: the pod stands there from now on. The caller has summed it."""
        key = _key(each.membership)
        row = Row(node, each.ask, self.owner_of(each), each.created, trait, key)
        self.placed.put(each.name, each.uid, row, is_summed=True)
        if key:
            each.record.count(trait, each.created, 1)
        each.is_assumed = True
        self.records.touch(each.record)

    def give(self, each: Waiting) -> None:
        """The assumed bind does not happen: the pod waits again."""
        self._unplace(each.name)
        each.is_assumed = False
        self.records.touch(each.record)
        self.version += 1

    def owner_of(self, each: Waiting) -> int:
        """Whose use of a queue the pod's would be."""
        if is_single(each.membership):
            return self.owners.of_single(each.record.namespace, each.told_queue)
        return self.owners.of(each.record)

    def assumed_trait(self, each: Waiting) -> Trait:
        """How a member stands whose bind is assumed."""
        return self.reader.trait(each.pod, Standing.ASSUMED, each.membership)

    def _lose(self, name: str, last: Pod | None) -> None:
        """A member goes before its work is done. What it was is remembered while others of its
        gang live; of a bound one that nobody can show any more, nothing is known."""
        each, row = self.waiting.get(name), self.placed.of(name)
        is_live = row is not None and row.trait.standing in LIVE
        record = each.record if each else None
        if record is None and row is not None and is_live:
            record = self.records.get(row.record)
        if record is None:
            return
        last = last or (each.pod if each else None)
        others = record.number(LIVE) - int(is_live)
        if not others:
            record.lost.clear()  # not wounded any more: whoever comes starts afresh
        elif last is not None and (form := self.reader.form(last)) is not None:
            record.lost[form] = record.lost.get(form, 0) + 1

    def _find(self, record: Record | None, pod: Pod) -> None:
        """A member came that was not there: it may stand for one that was lost."""
        if record is not None and record.lost:
            made_again(record.lost, dialects.role_of(pod), self.reader.form(pod))

    def _is_live(self, name: str) -> bool:
        row = self.placed.of(name)
        return row is not None and row.trait.standing in LIVE

    def _put_waiting(self, name: str, pod: Pod, fault: str) -> None:
        each = self.waiting.get(name)
        is_more = each is None and not self._is_live(name)
        if each is not None:
            if is_same(each.pod, pod) and fault == self._faults.get(name, ""):
                each.pod = pod
                return
            if each.uid == pod.metadata.uid and each.is_assumed:
                self._renew_assumed(each, pod, fault)
                return
            self._unwait(each)
        if name in self.placed.row_of:
            self._unplace(name)
        each = self._wait(name, pod, fault)
        if is_more:
            self._find(each.record, pod)

    def _wait(self, name: str, pod: Pod, fault: str) -> Waiting:
        membership = dialects.membership(pod)
        record = self.records.of(membership.dialect, membership.gang)
        each = Waiting(name, pod, membership, record)
        if fault:
            self._faults[name] = fault
        self._read(each)
        self.waiting[name] = each
        record.wait(each)
        self.version += 1
        return each

    def _renew_assumed(self, each: Waiting, pod: Pod, fault: str) -> None:
        """It changed while its bind is under way: whatever it asks now is taken where it goes."""
        row = self.placed.of(each.name)
        self._unwait(each)
        self._unplace(each.name)
        fresh = self._wait(each.name, pod, fault)
        if row is not None and fresh.ask != NO_ASK:
            self.sums.settle()
            self.sums.add(row.node, self.owner_of(fresh), fresh.ask, 1)
            self.take(fresh, row.node, self.assumed_trait(fresh))

    def _unwait(self, each: Waiting) -> None:
        del self.waiting[each.name]
        self._leave_record(each)
        self.version += 1
        self.changed(each.record)

    def _read(self, each: Waiting, *, is_quiet: bool = False) -> None:
        self.reader.read(each, self._faults.get(each.name, ""))
        if not is_quiet:
            self.records.touch(each.record)

    def _put_ended(self, name: str, pod: Pod, *, is_ours: bool) -> None:
        """It takes no room; its gang counts it."""
        membership = dialects.membership(pod) if is_ours else None
        if membership is None or is_single(membership):
            self.drop(name)
            return
        trait = self.reader.trait(pod, standing_of(pod), membership)
        row = self.placed.of(name)
        if row is not None and row.trait is trait and self.placed.uid(name) == pod.metadata.uid:
            return
        if trait.standing is Standing.FAILED:
            self._lose(name, pod)
        self._drop(name)
        self._place(name, pod, membership, (NOWHERE, self.asks.of({}), trait))

    def _put_bound(self, name: str, pod: Pod, faults: tuple[str, str], *, is_ours: bool) -> None:
        fault, unread = faults
        each = self.waiting.get(name)
        if each is not None and each.is_assumed and not fault and is_as_assumed(each.pod, pod):
            row = self.placed.of(name)
            if row is not None and self.nodes.names[row.node] == pod.spec.node_name:
                self._stays(name, row, self.reader.moved_on(row.trait, standing_of(pod)))
                return
        node = self.node_row(pod.spec.node_name)
        ask, odd = self.reader.ask(pod)
        terms, unclear = self.reader.fences_of(pod)
        membership = dialects.membership(pod) if is_ours else None
        trait = FOREIGN
        if membership is not None:
            trait = self.reader.trait(pod, standing_of(pod), membership)
        if trait.standing is Standing.LEAVING:
            self._lose(name, pod)
        row = self.placed.of(name)
        is_there = row is not None and self.placed.uid(name) == pod.metadata.uid
        key = "" if membership is None else _key(membership)
        if row is not None and is_there and (row.node, row.ask, row.record) == (node, ask, key):
            self._stays(name, row, trait)
        else:
            is_more = each is None and trait.standing in LIVE and not self._is_live(name)
            self._drop(name)
            node = self.node_row(pod.spec.node_name)
            self._place(name, pod, membership, (node, ask, trait))
            if is_more and key:
                self._find(self.records.get(key), pod)
        if terms or self.fences.has(name):
            self.fences.put(name, node, terms)
        unread = unread or odd or unclear
        if unread or name in self._closing:
            self._close(name, node, unread)
        if key:
            self._note(key, name, fault or unread)

    def _stays(self, name: str, row: Row, trait: Trait) -> None:
        """The pod takes what it took: our bind is there, or only its status moved on."""
        each = self.waiting.pop(name, None)
        if each is not None:
            self._leave_record(each)
            self.records.touched.add(each.record.key)
            if each.record.is_empty:
                self._forget(each.record)
        if row.trait is trait:
            return
        self.placed.retrait(name, trait)
        record = self.records.get(row.record) if row.record else None
        if record is None:
            return
        record.count(row.trait, row.since, -1)
        record.count(trait, row.since, 1)
        self.records.touched.add(record.key)
        if not _counts_alike(row.trait, trait):
            self.records.dirty.add(record.key)
            self.version += 1

    def _place(
        self, name: str, pod: Pod, membership: Membership | None, stands: tuple[int, int, Trait]
    ) -> None:
        node, ask, trait = stands
        owner, key, since = NOBODY, "", 0
        record = None
        if membership is not None:
            since = self.reader.time_of(pod)
            key = _key(membership)
        if membership is not None and key:
            record = self.records.of(membership.dialect, membership.gang)
            record.count(trait, since, 1)
            self.records.touch(record)
            owner = self.owners.of(record)
        elif membership is not None:
            owner = self.owners.of_single(pod.namespace, trait.queue)
        self.placed.put(name, pod.metadata.uid, Row(node, ask, owner, since, trait, key))
        self.version += 1

    def _unplace(self, name: str) -> None:
        row = self.placed.of(name)
        if row is None:
            return
        self.placed.drop(name)
        self.fences.drop(name)
        if name in self._closing:
            self._close(name, row.node, "")
        if row.node != NOWHERE and row.node not in self.placed.on_node:
            self.nodes.give_back(row.node)
        if record := self.records.get(row.record) if row.record else None:
            record.count(row.trait, row.since, -1)
            record.faults.pop(name, None)
            self.changed(record)
        self.version += 1

    def _close(self, name: str, node: int, unread: str) -> None:
        """What it takes on its node cannot be told: then nobody else may come there."""
        before = self._closing.get(name)
        if unread and before == (node, unread):
            return
        if before is not None:
            self.nodes.reopen(self._closing.pop(name)[0], name)
        if unread:
            self._closing[name] = (node, unread)
            self.nodes.close(node, name, unread)
        self.version += 1

    def _note(self, key: str, name: str, fault: str) -> None:
        """What is wrong with a bound member: others of its gang wait for that."""
        record = self.records.get(key)
        if record is None or record.faults.get(name, "") == fault:
            return
        record.faults.pop(name, None)
        if fault:
            record.faults[name] = fault
        self.records.touch(record)
        self.version += 1

    def changed(self, record: Record) -> None:
        """A member or a group of it came or went."""
        self.records.touch(record)
        if record.is_empty:
            self._forget(record)

    def _forget(self, record: Record) -> None:
        self.owners.forget(record)
        self.records.forget(record)

    def _leave_record(self, each: Waiting) -> None:
        each.record.leave(each)
        self._faults.pop(each.name, None)
        if not each.is_plain:
            self.volumes.forget(each.pod)

    def _uid(self, name: str, each: Waiting | None) -> str:
        if each is not None:
            return each.uid
        return self.placed.uid(name) if name in self.placed.row_of else ""


def _key(membership: Membership) -> str:
    """The record that counts a pod's bound members; single pods are counted nowhere."""
    return "" if is_single(membership) else key_of(membership)


def _counts_alike(old: Trait, new: Trait) -> bool:
    """Whether a gang's value is the same with either."""
    return (
        (old.standing in LIVE) == (new.standing in LIVE)
        and new.standing in LIVE
        and (old.role, old.priority, old.priority_class)
        == (new.role, new.priority, new.priority_class)
        and (old.queue, old.minimum) == (new.queue, new.minimum)
    )
