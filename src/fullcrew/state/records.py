"""What is known of each gang between two snapshots: its group objects, its members, how they stand.

A pod that waits is kept as it was read; of those that need no place any more there are only counts
by trait. Gangs of two dialects may have one name; the less preferred one is told apart by a word
behind its name for as long as the other is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from fullcrew import dialects
from fullcrew.dialects import GroupFacts, Membership, labels, single
from fullcrew.model.gang import title_of
from fullcrew.objects import Kind, Pod, PodGroup
from fullcrew.room import Ints
from fullcrew.state.causes import Cause
from fullcrew.state.lost import Form
from fullcrew.state.placed import NOBODY, Standing, Trait

__all__ = ["LIVE", "GroupSeen", "Members", "Record", "Records", "Waiting", "key_of", "seen"]

# Members that hold their room and go on.
LIVE: Final = (Standing.ASSUMED, Standing.BOUND, Standing.RUNNING)

_BEHIND: Final = {labels.NAME: f" ({labels.NAME})", single.NAME: f" ({single.NAME})"}
_ANY: Final = ("", *_BEHIND.values())


class GroupSeen(NamedTuple):
    """A group object, and what it says. `fault` is of the object itself."""

    group: PodGroup
    facts: GroupFacts
    fault: str


class Waiting:
    """A pod that waits, or whose bind is assumed and not confirmed yet.

    `cause` keeps this pod from being placed, `fault` its whole gang.
    """

    __slots__ = (
        "ask", "cause", "created", "fault", "is_assumed", "is_plain", "membership", "name", "pod",
        "record", "role", "task", "told_queue", "where",
    )  # fmt: skip

    def __init__(self, name: str, pod: Pod, membership: Membership, record: Record) -> None:
        self.name, self.pod = name, pod
        self.membership, self.record = membership, record
        self.role = ""
        self.task: int | None = None
        self.created = 0
        self.told_queue = ""
        self.ask = self.where = -1
        self.cause: Cause | None = None
        self.fault = ""
        self.is_plain = True
        self.is_assumed = False

    def renumber(self, asks: Ints, wheres: Ints) -> None:
        """New numbers, by the old ones."""
        self.where = int(wheres[self.where])
        self.ask = int(asks[self.ask]) if self.ask >= 0 else self.ask

    @property
    def uid(self) -> str:
        """The uid of the pod that was read."""
        return self.pod.metadata.uid


@dataclass(frozen=True, slots=True)
class Members:
    """How many members stand how, for statuses."""

    pending: int = 0
    gated: int = 0
    assumed: int = 0
    bound: int = 0
    running: int = 0
    succeeded: int = 0
    failed: int = 0
    leaving: int = 0


class Record:
    """One gang. `owner` is its number in the sums from its first bound member on."""

    __slots__ = (
        "counts", "dialect", "faults", "groups", "key", "lost", "namespace", "owner", "queues",
        "since", "title", "waiting",
    )  # fmt: skip

    def __init__(self, key: str, dialect: str, title: str) -> None:
        self.key, self.dialect, self.title = key, dialect, title
        self.namespace = title.partition("/")[0]
        self.owner = NOBODY
        self.groups: dict[Kind, GroupSeen] = {}
        self.waiting: dict[str, Waiting] = {}
        self.counts: dict[Trait, int] = {}
        self.faults: dict[str, str] = {}  # of bound members, by name
        self.lost: dict[
            Form, int
        ] = {}  # members that went while others lived, and were not made again
        self.queues: dict[str, int] = {}  # how many members tell which, where they tell one
        self.since: dict[int, int] = {}  # bound members by their time, where no group has one

    @property
    def is_empty(self) -> bool:
        """Nothing is left of it."""
        return not (self.waiting or self.counts or self.groups)

    def count(self, trait: Trait, since: int, sign: int) -> None:
        """One member more or less that stands so."""
        _add(self.counts, trait, sign)
        if trait.queue:
            _add(self.queues, trait.queue, sign)
        if self.dialect == labels.NAME:
            _add(self.since, since, sign)

    def wait(self, each: Waiting) -> None:
        """A member came that waits."""
        self.waiting[each.name] = each
        if each.told_queue:
            _add(self.queues, each.told_queue, 1)

    def leave(self, each: Waiting) -> None:
        """A member does not wait any more."""
        del self.waiting[each.name]
        if each.told_queue:
            _add(self.queues, each.told_queue, -1)

    def number(self, standings: Sequence[Standing]) -> int:
        """How many members stand in one of these ways."""
        return sum(n for trait, n in self.counts.items() if trait.standing in standings)

    @property
    def group(self) -> GroupSeen | None:
        """The group object that counts."""
        if len(self.groups) <= 1:
            return next(iter(self.groups.values()), None)
        schedulers = {trait.scheduler for trait in self.counts}
        schedulers |= {each.pod.spec.scheduler_name for each in self.waiting.values()}
        kind = dialects.preferred(self.groups, schedulers)
        return self.groups[kind] if kind else None


class Records:
    """All gangs by key, and which of them must be looked at."""

    __slots__ = ("_by_key", "dirty", "touched")

    def __init__(self) -> None:
        self._by_key: dict[str, Record] = {}
        self.dirty: set[str] = set()  # values to be made anew
        self.touched: set[str] = set()  # members or group changed since somebody asked

    def __iter__(self) -> Iterator[Record]:
        return iter(self._by_key.values())

    def __len__(self) -> int:
        return len(self._by_key)

    def get(self, key: str) -> Record | None:
        """A record by its key."""
        return self._by_key.get(key)

    def of(self, dialect: str, title: str) -> Record:
        """The record of a gang, made where there is none."""
        key = title + _BEHIND.get(dialect, "")
        found = self._by_key.get(key)
        if found is None:
            found = self._by_key[key] = Record(key, dialect, title)
            self._rename(title)
        return found

    def forget(self, record: Record) -> None:
        """Nothing is left of this gang; the dirty mark stays, so that its value is taken away."""
        if self._by_key.pop(record.key, None) is not None:
            self.dirty.add(record.key)
            self._rename(record.title)

    def touch(self, record: Record) -> None:
        """Something changed about it that a plan may read."""
        self.dirty.add(record.key)
        self.touched.add(record.key)

    def start_again(self) -> None:
        """Asks and wheres have other numbers: whatever tells some is made anew."""
        self.dirty.update(each.key for each in self if each.waiting or each.lost)

    def name(self, record: Record) -> str:
        """Its name among all gangs."""
        title, dialect = record.title, record.dialect
        if title in self._by_key:
            return record.key
        if dialect == single.NAME and title + _BEHIND[labels.NAME] in self._by_key:
            return record.key
        return title

    def find(self, gang: str) -> Record | None:
        """The gang of that name."""
        found = self._by_key.get(gang)
        if found is None:
            keys = (gang + behind for behind in _BEHIND.values())
            found = next((self._by_key[key] for key in keys if key in self._by_key), None)
        return found

    def take_touched(self) -> frozenset[str]:
        """Names of gangs that changed since the last call, those that are gone among them."""
        found = frozenset(self._name_of(key) for key in self.touched)
        self.touched = set()
        return found

    def _name_of(self, key: str) -> str:
        record = self._by_key.get(key)
        return self.name(record) if record else title_of(key)

    def _rename(self, title: str) -> None:
        """Others of that title may change their names."""
        for behind in _ANY:
            key = title + behind
            if key in self._by_key:
                self.dirty.add(key)


def key_of(membership: Membership) -> str:
    """The key of the gang that a pod belongs to."""
    return membership.gang + _BEHIND.get(membership.dialect, "")


def seen(group: PodGroup, fault: str, before: GroupSeen | None) -> GroupSeen:
    """A group object as it is kept. A status alone, as we write them, is not read again."""
    if fault:
        return GroupSeen(group, dialects.facts(group), fault)
    is_sound = before is not None and before.fault == before.facts.fault
    if before is not None and is_sound and _is_same_but_for_status(before.group, group):
        return before._replace(group=group)
    facts = dialects.facts(group)
    return GroupSeen(group, facts, facts.fault)


def _is_same_but_for_status(old: PodGroup, new: PodGroup) -> bool:
    before, after = old.metadata, new.metadata
    return (
        old.spec == new.spec
        and before.uid == after.uid
        and before.labels == after.labels
        and before.annotations == after.annotations
        and before.creation_timestamp == after.creation_timestamp
        and before.deletion_timestamp == after.deletion_timestamp
    )


def _add(counts: dict[Any, int], key: object, sign: int) -> None:
    left = counts.get(key, 0) + sign
    if left:
        counts[key] = left
    else:
        del counts[key]
