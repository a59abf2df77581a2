"""Exact shares: water that rises in all queues at once, each as wide as its weight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from differential.amounts import total
from differential.case import Case
from differential.rows import Gang, Queue

__all__ = ["Due", "alike_gangs_end_at_their_shares", "shares"]


@dataclass(frozen=True)
class Due:
    """A queue: its weight, what it has already, and all it could use at most."""

    weight: int
    there: int
    most: int


def shares(poured: int, dues: Mapping[str, Due]) -> dict[str, Fraction]:
    """What each has when so much is poured in: never below what is there, never above `most`."""

    def at(level: Fraction) -> dict[str, Fraction]:
        return {
            name: max(Fraction(due.there), min(Fraction(due.most), due.weight * level))
            for name, due in dues.items()
        }

    turns = {Fraction(each, due.weight) for due in dues.values() for each in (due.there, due.most)}
    below = Fraction(0)
    for level in sorted(turns):
        low, high = Fraction(sum(at(below).values())), Fraction(sum(at(level).values()))
        if high >= poured:
            rise = (poured - low) / (high - low) if high > low else Fraction(0)
            return at(below + (level - below) * max(Fraction(0), rise))
        below = level
    return at(below)


def _most(queue: Queue, gangs: Sequence[Gang]) -> int:
    """How many of its gangs a queue's limit allows at the most."""
    if not gangs:
        return 0
    asked = total(pod.asks for pod in gangs[0].pods)
    within = [much // asked[name] for name, much in queue.capability.items() if asked.get(name)]
    return min([len(gangs), *within])


def alike_gangs_end_at_their_shares(case: Case) -> Iterator[str]:
    """For clusters of alike gangs only: each queue ends within one gang of its exact share."""
    dues, got = {}, {}
    for queue in case.cluster.queues.values():
        mine = [gang for gang in case.cluster.gangs.values() if gang.queue == queue.name]
        there = sum(1 for gang in mine if gang.stands)
        dues[queue.name] = Due(queue.weight, there, max(there, _most(queue, mine)))
        got[queue.name] = there + sum(1 for gang in mine if gang.key in case.starts)
    due = shares(sum(got.values()), dues)
    for name, number in got.items():
        if abs(number - due[name]) > 1:
            yield f"queue {name} has {number} gangs, its share is {float(due[name]):.2f}"
