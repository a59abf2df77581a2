"""In which order a cycle comes to the gangs of a queue, for plans and for people alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fullcrew.core.lacking import lack_of
from fullcrew.model.amounts import PODS, is_host_port
from fullcrew.model.gang import Gang
from fullcrew.room import Snapshot

__all__ = ["Order", "best_effort", "is_idle", "line", "order"]

# Where it stands in its queue's line.
Order = tuple[int, int, str]


def order(gang: Gang) -> Order:
    """In its queue, among those of its phase: by priority, age, name."""
    return (-gang.priority, gang.created, gang.name)


def best_effort(snapshot: Snapshot) -> list[bool]:
    """By ask: whether it asks for nothing but a place."""
    is_more = [not (name == PODS or is_host_port(name)) for name in snapshot.resources]
    rows = np.array(is_more, dtype=np.bool_)
    asks_more = np.asarray((snapshot.asks[rows] > 0).any(axis=0), dtype=np.bool_)
    return [not each for each in asks_more.tolist()]


def is_idle(pairs: Sequence[tuple[int, int]], is_best_effort: Sequence[bool]) -> bool:
    """Whether these members, by ask and where, ask for nothing: then their turn comes last."""
    return is_best_effort[pairs[0][0]] and all(is_best_effort[ask] for ask, _ in pairs)


def line(snapshot: Snapshot, queue: str) -> tuple[Gang, ...]:
    """The gangs of a queue that want something, in the order of their turns: wounded, fresh, those
    that grow, those that ask for nothing."""
    is_best_effort = best_effort(snapshot)

    def turn(gang: Gang) -> tuple[bool, bool, bool, Order]:
        pairs = lack_of(gang).pairs
        is_last = bool(pairs) and is_idle(pairs, is_best_effort)
        return not gang.is_wounded, is_last and not gang.is_wounded, not gang.lacks, order(gang)

    return tuple(sorted((each for each in snapshot.gangs if each.queue == queue), key=turn))
