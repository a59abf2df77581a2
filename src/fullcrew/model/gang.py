"""Gangs and queues as the core reads them: a few roles and parts, whatever the number of pods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fullcrew.model.reason import Reason

__all__ = ["Gang", "Held", "Member", "Missing", "Part", "Queue", "Role", "title_of"]


class Member(NamedTuple):
    """A pod that waits. `rank` is its place in its gang's order of preference, unique there:
    task priority, pod priority, age, name."""

    pod: str  # namespace/name
    uid: str  # "" where the source gives none, as in manifests
    rank: int


@dataclass(frozen=True, slots=True)
class Part:
    """Waiting members of a role that are alike in all that placing looks at, best rank first."""

    ask: int
    where: int
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Role:
    """A task of the gang; one with the name "" where the dialect knows none.

    `minimum` is the role's own (0: none). `standing` counts its members that need no place any
    more: live bound ones (neither leaving nor failed), assumed ones, and succeeded ones if the
    gang has started.
    """

    name: str
    minimum: int
    standing: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """Members that may not be placed now, and why: gated, faulty, or with a rule not built."""

    pods: tuple[str, ...]  # namespace/name, sorted
    reason: Reason


class Missing(NamedTuple):
    """Members of a role that a wounded gang has lost and that nobody has made again yet: what they
    asked for and where they could go, so that room can be kept for those to come."""

    role: str
    ask: int
    where: int
    pods: int


@dataclass(frozen=True, slots=True)
class Gang:
    """Pods that are of use only together, and what is decided about them before any planning.

    Identified by `name` within its `dialect`; a pod without a group is a gang of one. Names of
    gangs are unique in a snapshot (`state` sees to it).
    """

    name: str  # namespace/name of the group, or of the pod that has none
    dialect: str
    queue: str
    minimum: int  # the group's own number, at least 1
    priority: int
    created: int  # seconds since 1970; what has no time is youngest
    roles: tuple[Role, ...]
    live: int = 0  # bound or assumed members that are neither leaving nor finished
    counted: int = 0  # all that count towards the minimum: the sum of the roles' `standing`
    held: tuple[Held, ...] = ()
    fault: Reason | None = None  # keeps the whole gang waiting: unknown queue, no group, ...
    notes: tuple[str, ...] = ()  # told beside any reason: other markers, priorities that differ
    hold_until: int | None = None  # a wounded gang keeps partial room until then (unix seconds)
    min_resources: tuple[tuple[str, int], ...] = ()  # the group's own, judged at its queue's limit
    missing: tuple[Missing, ...] = ()  # of a wounded gang, as far as known; no waiting pod is one

    @property
    def title(self) -> str:
        """The name without the dialect that `state` puts behind it, in brackets, where gangs of two
        dialects have one name."""
        return title_of(self.name)

    @property
    def is_wounded(self) -> bool:
        """Some live member is bound and fewer than the minimum count."""
        return self.live > 0 and self.lacks > 0

    @property
    def lacks(self) -> int:
        """How many members it needs yet to stand at its minimum, role minimums included."""
        owed = sum(max(0, role.minimum - role.standing) for role in self.roles)
        return max(0, self.minimum - self.counted, owed)


def title_of(name: str) -> str:
    """The title in the name of a gang, or in a key that `state` gives one."""
    return name.partition(" (")[0]


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue as it is judged. `parent` is "" for one below the root; flat in this release."""

    name: str
    weight: int = 1
    is_open: bool = True
    state: str = "Open"
    parent: str = ""
    fault: Reason | None = None  # gangs of a queue whose document is faulty wait with it
