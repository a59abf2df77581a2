"""What a gang lacks, and which of its members are wanted first to make it up."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fullcrew.model.gang import Gang, Part

__all__ = ["Lack", "lack_of", "wanted"]


class Lack(NamedTuple):
    """A gang's need in the terms of placing. `owed` is by role, `role_of` and `pairs` (ask and
    where) by part; `counts` tells by part how many members wait.

    Two gangs whose `signature` is equal fare alike on the same room, whatever they are called.
    """

    need: int
    owed: tuple[int, ...]
    parts: tuple[Part, ...]
    role_of: tuple[int, ...]
    counts: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    signature: tuple[object, ...]


def lack_of(gang: Gang) -> Lack:
    """What it needs to stand at its minimum, and the waiting members it has for that."""
    roles = gang.roles
    if len(roles) == 1 and len(roles[0].parts) == 1:
        part = roles[0].parts[0]
        owed = max(0, roles[0].minimum - roles[0].standing)
        need = max(owed, gang.minimum - gang.counted)
        count = len(part.members)
        alone = (need, owed, count, part.ask, part.where)
        return Lack(need, (owed,), (part,), (0,), (count,), ((part.ask, part.where),), alone)
    parts = tuple(part for role in roles for part in role.parts)
    owing = tuple(max(0, role.minimum - role.standing) for role in roles)
    role_of = tuple(at for at, role in enumerate(roles) for _ in role.parts)
    counts = tuple(len(part.members) for part in parts)
    pairs = tuple((part.ask, part.where) for part in parts)
    signature = (gang.lacks, owing, role_of, counts, pairs)
    return Lack(gang.lacks, owing, parts, role_of, counts, pairs, signature)


def wanted(lack: Lack) -> tuple[int, ...]:
    """By part how many members are wanted first: what roles are owed, then the best ranks.

    There must be members enough.
    """
    if len(lack.parts) == 1:
        return (lack.need,)
    if sum(lack.counts) == lack.need:
        return lack.counts
    taken = [0] * len(lack.parts)
    for role, owed in enumerate(lack.owed):
        ours = [at for at, its in enumerate(lack.role_of) if its == role]
        _take_best(lack.parts, ours, owed, taken)
    _take_best(lack.parts, range(len(lack.parts)), lack.need - sum(taken), taken)
    return tuple(taken)


def _take_best(parts: Sequence[Part], among: Iterable[int], count: int, taken: list[int]) -> None:
    """Adds the `count` best members that are not taken yet; each part has its best one first."""
    waiting = [
        (parts[at].members[taken[at]].rank, at)
        for at in among
        if taken[at] < len(parts[at].members)
    ]
    heapq.heapify(waiting)
    for _ in range(count):
        if not waiting:
            return
        at = waiting[0][1]
        taken[at] += 1
        if taken[at] < len(parts[at].members):
            heapq.heapreplace(waiting, (parts[at].members[taken[at]].rank, at))
        else:
            heapq.heappop(waiting)
