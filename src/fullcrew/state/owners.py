"""Whose use counts in which queue: a number for each gang, and for all single pods of a queue."""

from __future__ import annotations

from collections.abc import Container

from fullcrew.state.gangs import queue_of
from fullcrew.state.numbers import FEW
from fullcrew.state.placed import NOBODY
from fullcrew.state.records import Record
from fullcrew.state.settings import Settings
from fullcrew.state.sums import Sums

__all__ = ["Owners"]


class Owners:
    """Numbers of owners. A gang has one from its first bound member on; single pods of a namespace
    that tell the same queue share one, since there may be a million of them."""

    __slots__ = ("_limit", "_pools", "_settings", "_sums")

    def __init__(self, sums: Sums, settings: Settings) -> None:
        self._sums, self._settings = sums, settings
        self._pools: dict[tuple[str, str], int] = {}
        self._limit = FEW

    def of(self, record: Record) -> int:
        """The owner of a gang's members."""
        if record.owner == NOBODY:
            record.owner = self._sums.new_owner(queue_of(record, self._settings))
        return record.owner

    def of_single(self, namespace: str, told: str) -> int:
        """The owner of a pod without a group, by the queue that it tells itself."""
        owner = self._pools.get((namespace, told))
        if owner is None:
            queue = self._queue(namespace, told)
            owner = self._pools[namespace, told] = self._sums.new_owner(queue)
        return owner

    def follow(self, record: Record) -> None:
        """The gang may stand in another queue now."""
        if record.owner != NOBODY:
            self._sums.move_owner(record.owner, queue_of(record, self._settings))

    def follow_namespaces(self, namespaces: set[str]) -> None:
        """The default queue of these namespaces may be another one now."""
        for (namespace, told), owner in self._pools.items():
            if namespace in namespaces:
                self._sums.move_owner(owner, self._queue(namespace, told))

    def forget(self, record: Record) -> None:
        """The gang is gone."""
        if record.owner != NOBODY:
            self._sums.free_owner(record.owner)
            record.owner = NOBODY

    @property
    def may_be_half_dead(self) -> bool:
        """Whether it is time to look which owners of single pods still have any."""
        return len(self._pools) > self._limit

    def keep(self, used: Container[int]) -> None:
        """Forget the owners of single pods that have none, as of namespaces that are gone."""
        for key, owner in list(self._pools.items()):
            if owner not in used:
                self._sums.free_owner(self._pools.pop(key))
        self._limit = 2 * len(self._pools) + FEW

    def _queue(self, namespace: str, told: str) -> str:
        return told or self._settings.namespace(namespace).queue or self._settings.default_queue
