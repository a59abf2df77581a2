"""Questions about gangs, pods and queues, for those who carry plans out and write statuses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from fullcrew import objects
from fullcrew.state.feed import Feed
from fullcrew.state.gangs import queue_of
from fullcrew.state.placed import Standing
from fullcrew.state.pods import Pods
from fullcrew.state.records import Members, Record
from fullcrew.state.settings import Settings

__all__ = ["Answers"]


class Answers:
    """What the state knows by the names of gangs. Gangs that are gone have nothing."""

    __slots__ = ("_feed", "_phases", "_pods", "_settings")

    def __init__(self, pods: Pods, settings: Settings, feed: Feed) -> None:
        self._pods, self._settings, self._feed = pods, settings, feed
        self._phases: tuple[int, dict[str, Counter[str]]] = (-1, {})

    @property
    def version(self) -> int:
        """Grows with every change that a plan could depend on; not with our own binds."""
        return self._pods.version + self._feed.changes + self._settings.version

    def group(self, gang: str) -> objects.PodGroup | None:
        """The group object that counts, with its status as last seen."""
        record = self._pods.records.find(gang)
        seen = record.group if record else None
        return seen.group if seen else None

    def queue_of(self, gang: str) -> str:
        """The queue that the gang stands in."""
        record = self._pods.records.find(gang)
        return queue_of(record, self._settings) if record else self._settings.default_queue

    def members(self, gang: str) -> Members:
        """How many of its members stand how."""
        record = self._pods.records.find(gang)
        return _members(record) if record else Members()

    def pods(self, gang: str) -> tuple[objects.Pod, ...]:
        """Its members that wait, or whose bind is assumed, by name."""
        record = self._pods.records.find(gang)
        waiting = record.waiting if record else {}
        return tuple(waiting[name].pod for name in sorted(waiting))

    def pending_pod(self, pod: str) -> objects.Pod | None:
        """One pod that waits, or whose bind is assumed."""
        each = self._pods.waiting.get(pod)
        return each.pod if each else None

    def gangs(self) -> Iterable[str]:
        """All gangs with a group object."""
        records = self._pods.records
        return sorted(records.name(record) for record in records if record.groups)

    def queue_objects(self) -> Iterable[objects.Queue]:
        """The object that counts of each queue that has one."""
        return self._settings.queues.objects()

    def queue_counts(self, queue: str) -> Mapping[str, int]:
        """How many groups of the queue are in which phase, as their statuses say."""
        moment = self._feed.group_changes + self._settings.version
        if self._phases[0] != moment:
            self._phases = (moment, self._counted())
        return self._phases[1].get(queue, {})

    def take_touched(self) -> frozenset[str]:
        """Gangs whose members or group changed since the last call, those that are gone too."""
        return self._pods.records.take_touched()

    def _counted(self) -> dict[str, Counter[str]]:
        found: dict[str, Counter[str]] = {}
        for record in self._pods.records:
            if (seen := record.group) is not None:
                phase = seen.group.status.phase or "Pending"
                found.setdefault(queue_of(record, self._settings), Counter())[phase] += 1
        return found


def _members(record: Record) -> Members:
    counts = Counter[Standing]()
    for trait, count in record.counts.items():
        counts[trait.standing] += count
    waiting = [each for each in record.waiting.values() if not each.is_assumed]
    gated = sum(each.pod.is_gated for each in waiting)
    return Members(
        pending=len(waiting) - gated,
        gated=gated,
        assumed=len(record.waiting) - len(waiting),
        bound=counts[Standing.BOUND],
        running=counts[Standing.RUNNING],
        succeeded=counts[Standing.SUCCEEDED] + counts[Standing.FULFILLED],
        failed=counts[Standing.FAILED],
        leaving=counts[Standing.LEAVING],
    )
