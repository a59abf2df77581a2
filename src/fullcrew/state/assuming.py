"""Binds that are under way: their room is taken before the server is asked, or not at all.

A plan was made from a snapshot, and the cluster went on. So all that the plan read is looked at
once more, for this gang alone and as it is now; whatever has become stale refuses the whole gang,
which then is planned again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fullcrew.model.gang import Gang
from fullcrew.room import Binding, Start
from fullcrew.state.gangs import queue_of
from fullcrew.state.making import Making
from fullcrew.state.pods import Pods
from fullcrew.state.records import Record, Waiting
from fullcrew.state.settings import Settings

__all__ = ["Assuming"]


class _Move(NamedTuple):
    each: Waiting
    node: int


class Assuming:
    """Takes and gives back the room of binds."""

    def __init__(self, pods: Pods, settings: Settings, making: Making) -> None:
        self._pods, self._settings, self._making = pods, settings, making

    def assume(self, start: Start, generation: int) -> bool:
        """Take the room of all these binds, or of none where any of it is stale."""
        record = self._pods.records.find(start.gang.name)
        if record is None:
            return False
        self._making.refresh()
        gang = self._making.gang(record)
        if gang is None or not _is_as_planned(gang, start.gang):
            return False
        is_mending = gang.live and start.minimum
        if not is_mending and not self._is_open(gang.queue):
            return False
        if not _is_enough(record, gang, start.bindings):
            return False
        moves = self._moves(record, start, generation)
        return moves is not None and self._take(gang.queue, moves)

    def holds(self, pod: str, uid: str) -> bool:
        """Whether the bind is still assumed, and its node and queue have room for what is there."""
        each = self._pods.waiting.get(pod)
        if each is None or not each.is_assumed or each.uid != uid or each.cause or each.fault:
            return False
        row = self._pods.placed.of(pod)
        if row is None or not self._pods.nodes.is_open(row.node):
            return False
        self._making.settle()
        return self._has_room(row.node, each.ask, more=0) and self._is_below_limit(
            queue_of(each.record, self._settings), each.ask, more=0
        )

    def forget(self, pod: str, uid: str) -> None:
        """The assumed bind will not happen."""
        each = self._pods.waiting.get(pod)
        if each is not None and each.is_assumed and each.uid == uid:
            self._pods.give(each)

    def moved(self, pod: str, uid: str, node: str) -> None:
        """It is bound elsewhere than assumed: its room is taken there until the watch says so."""
        each = self._pods.waiting.get(pod)
        if each is None or not each.is_assumed or each.uid != uid:
            return
        self._pods.give(each)
        self._making.settle()
        row = self._pods.node_row(node)
        self._pods.sums.add(row, self._pods.owner_of(each), each.ask, 1)
        self._pods.take(each, row, self._pods.assumed_trait(each))

    def _moves(self, record: Record, start: Start, generation: int) -> list[_Move] | None:
        """Who goes where; None if a pod or a node is not what the plan has read."""
        planned = {
            member.pod: (part.ask, part.where)
            for role in start.gang.roles
            for part in role.parts
            for member in part.members
        }
        pods, found = self._pods, []
        closed = self._making.closed()
        for pod, uid, node in start.bindings:
            each, row = pods.waiting.get(pod), pods.nodes.row_of.get(node)
            if each is None or each.is_assumed or each.uid != uid or each.cause or each.fault:
                return None
            if each.record is not record or planned.get(pod) != (each.ask, each.where):
                return None
            if row is None or not pods.nodes.is_open(row, unchanged_since=generation):
                return None
            if closed and (mask := closed.get(each.where)) is not None and mask[row]:
                return None
            found.append(_Move(each, row))
        return found

    def _take(self, queue: str, moves: list[_Move]) -> bool:
        self._making.settle()
        sums = self._pods.sums
        taken: list[tuple[int, int, int]] = []
        for each, node in moves:
            owner = self._pods.owner_of(each)
            sums.settle()
            if not (
                self._has_room(node, each.ask, more=1)
                and self._is_below_limit(queue, each.ask, more=1)
            ):
                for undone in reversed(taken):
                    sums.add(*undone, -1)
                sums.changes -= 2 * len(taken)  # nothing has changed after all
                return False
            sums.add(node, owner, each.ask, 1)
            taken.append((node, owner, each.ask))
        for each, node in moves:
            self._pods.take(each, node, self._pods.assumed_trait(each))
        return True

    def _has_room(self, node: int, ask: int, *, more: int) -> bool:
        size, taken = self._pods.nodes.size, self._pods.sums.taken
        if self._pods.sums.weights.is_overflown(node):
            return False
        return all(
            taken[row, node] + much * more <= size[row, node]
            for row, much in self._pods.asks.rows[ask]
        )

    def _is_below_limit(self, queue: str, ask: int, *, more: int) -> bool:
        limit = self._making.limit(queue)
        if not limit:
            return True
        number, used = self._pods.sums.queue_number(queue), self._pods.sums.used
        resources = self._pods.asks.resources
        return all(
            used[row, number] + much * more <= limit[resources[row]]
            for row, much in self._pods.asks.rows[ask]
            if resources[row] in limit
        )

    def _is_open(self, queue: str) -> bool:
        rules = self._settings.queues.get(queue)
        return rules is not None and rules.queue.is_open


def _is_as_planned(now: Gang, planned: Gang) -> bool:
    """Whether the terms of the gang are those that the plan has kept."""
    return (
        now.fault is None
        and now.minimum == planned.minimum
        and now.queue == planned.queue
        and _minimums(now) == _minimums(planned)
    )


def _minimums(gang: Gang) -> dict[str, int]:
    return {role.name: role.minimum for role in gang.roles if role.minimum}


def _is_enough(record: Record, gang: Gang, bindings: Iterable[Binding]) -> bool:
    """Whether the gang stands at its minimum after these binds: a member may have gone since."""
    if not gang.lacks:
        return True
    standing = {role.name: role.standing for role in gang.roles}
    for pod, _, _ in bindings:
        if each := record.waiting.get(pod):
            standing[each.role] = standing.get(each.role, 0) + 1
    return sum(standing.values()) >= gang.minimum and all(
        standing.get(role.name, 0) >= role.minimum for role in gang.roles
    )
