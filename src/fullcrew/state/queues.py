"""Queues as they are judged, whichever project's object tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from fullcrew.errors import BadInput
from fullcrew.model import gang, reason
from fullcrew.objects import IncubatorQueue, Kind, Queue, SigsQueue, VolcanoQueue, asking
from fullcrew.state.causes import reason_of, words_of

__all__ = ["QueueRules", "Queues"]

_ORDER: Final = (VolcanoQueue.KIND, IncubatorQueue.KIND, SigsQueue.KIND)
_OPEN: Final = "Open"
_SHUT: Final = frozenset({"Closed", "Closing", "Unknown"})


@dataclass(frozen=True, slots=True)
class QueueRules:
    """A queue as it is judged, and its hard limit by resource."""

    queue: gang.Queue
    limit: Mapping[str, int]


class Queues:
    """The queues, and which changed since somebody looked. The default one needs no object."""

    __slots__ = ("_objects", "_rules", "changed", "changes", "default")

    def __init__(self, default: str) -> None:
        self.default = default
        self._objects: dict[str, dict[Kind, tuple[Queue, str]]] = {}  # and their faults
        self._rules: dict[str, QueueRules] = {}
        self.changed: set[str] = set()
        self.changes = 0
        self._judge(default)

    def put(self, queue: Queue, fault: str) -> None:
        """A queue's object as it is now, in one of the groups that have queues."""
        self._objects.setdefault(queue.name, {})[queue.KIND] = (queue, fault)
        self._judge(queue.name)

    def drop(self, kind: Kind, name: str) -> None:
        """The object is gone; another group's may be left, and the default queue stays."""
        objects = self._objects.get(name, {})
        objects.pop(kind, None)
        if not objects:
            self._objects.pop(name, None)
        self._judge(name)

    def get(self, name: str) -> QueueRules | None:
        """A queue by its name."""
        return self._rules.get(name)

    def all(self) -> list[QueueRules]:
        """All queues by name."""
        return [self._rules[name] for name in sorted(self._rules)]

    def objects(self) -> Iterable[Queue]:
        """The object that counts of each queue that has one, by name."""
        for name in sorted(self._objects):
            told = self._winner(name)
            if told is not None:
                yield told[0]

    def names(self, kind: Kind) -> list[str]:
        """All objects of one group by name."""
        return [name for name, objects in self._objects.items() if kind in objects]

    def _winner(self, name: str) -> tuple[Queue, str] | None:
        objects = self._objects.get(name, {})
        return next((objects[kind] for kind in _ORDER if kind in objects), None)

    def _judge(self, name: str) -> None:
        told = self._winner(name)
        if told is not None:
            found: QueueRules | None = _judged(*told)
        else:
            found = QueueRules(gang.Queue(name), {}) if name == self.default else None
        if self._rules.get(name) == found:
            return
        if found is None:
            del self._rules[name]
        else:
            self._rules[name] = found
        self.changed.add(name)
        self.changes += 1


def _judged(queue: Queue, fault: str) -> QueueRules:
    weight = 1 if queue.spec.weight is None else queue.spec.weight
    if weight < 0:
        fault = fault or f"spec.weight: {weight} is less than nothing"
    limit: Mapping[str, int] = {}
    try:
        limit = asking.may_have(queue.spec.capability, place="spec.capability")
    except BadInput as bad:
        fault = fault or words_of(bad)
    place = "status" if queue.status.state else "spec"
    state = queue.status.state or queue.spec.state or _OPEN
    if state != _OPEN and state not in _SHUT:
        fault = fault or f"{place}.state: {state!r:.40} is none of Open, Closed, Closing, Unknown"
    is_open = state == _OPEN and not queue.metadata.is_leaving
    told = reason_of(reason.Kind.FAULTY, f"queue {queue.name}: {fault}") if fault else None
    return QueueRules(
        gang.Queue(queue.name, max(1, weight), is_open, state=state, fault=told), limit
    )
