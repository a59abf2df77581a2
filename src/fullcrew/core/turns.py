"""Whose turn it is: queues by how full they are, and in each its line of gangs."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from fullcrew.core.ground import Ground
from fullcrew.core.water import Vessel, Water
from fullcrew.model.amounts import PODS, is_host_port

__all__ = ["Turns"]

Item = TypeVar("Item")
Demand = Sequence[int]  # by resource


class Turns(Generic[Item]):
    """Queues, each with its line. Among those that the water has reached, that queue comes first
    which its next start would fill the least.

    The water is what would flow to the queues if gangs could be split; it stands at the level that
    the starts so far amount to. A queue that is above it already has had its turn, and of the
    others the one that is soonest due cannot wait: together this keeps every queue of gangs that
    are alike within one gang of its exact share at every moment, whatever the weights
    (docs/decisions/0014).
    """

    def __init__(
        self,
        ground: Ground,
        lines: Mapping[int, Sequence[Item]],
        demand: Callable[[Item], Demand],
        *,
        is_last: Callable[[Item], bool] = lambda _: True,
        is_idle: bool,
    ) -> None:
        """`demand`: what the next start of an item adds to its queue, by resource; `is_last`:
        whether that start is all the item wants. `is_idle`: the items ask for nothing but a
        place, so it is the number of pods that fills their queues."""
        self._ground = ground
        self._demand = demand
        self._is_last = is_last
        self._rows = [
            at
            for at, name in enumerate(ground.snapshot.resources)
            if ground.total[at]
            and (name == PODS if is_idle else name != PODS and not is_host_port(name))
        ]
        self._total = [int(ground.total[at]) for at in self._rows]
        self._lines = {queue: line for queue, line in lines.items() if line}
        self._next = dict.fromkeys(self._lines, 0)
        fairness, queues = ground.policies.fairness, ground.snapshot.queues
        self._widths = {queue: fairness.width(queues[queue]) for queue in self._lines}
        self._levels = {queue: self._level(queue, self._used(queue)) for queue in self._lines}
        self._water = Water(
            Vessel(queue, self._widths[queue], level) for queue, level in self._levels.items()
        )
        self._due: list[tuple[int, str, int]] = []  # by the level after the next start, and name
        self._early = [(level, queue) for queue, level in self._levels.items()]
        heapq.heapify(self._early)
        for queue in self._lines:
            self._tell_brim(queue)
        self._admit()

    def __bool__(self) -> bool:
        return bool(self._due)

    @property
    def queue(self) -> int:
        """The queue whose turn it is."""
        return self._due[0][-1]

    def head(self) -> Item:
        """The first in its line."""
        return self._lines[self.queue][self._next[self.queue]]

    @property
    def left(self) -> int:
        """How many stand in its line yet."""
        return len(self._lines[self.queue]) - self._next[self.queue]

    def run(
        self, is_like: Callable[[Item, Item], bool], *, most: int | None = None
    ) -> Sequence[Item]:
        """The head and all that come right behind it and are like it, `most` together."""
        line, start = self._lines[self.queue], self._next[self.queue]
        last = len(line) if most is None else min(len(line), start + most)
        end = start + 1
        while end < last and is_like(line[start], line[end]):
            end += 1
        return line[start:end]

    def passed(self, count: int) -> None:
        """The first ones of the line are done with, started or not; used up, the queue goes.

        With a count of 0: its head has got something and asks for less from now on.
        """
        queue = self.queue
        self._next[queue] += count
        is_over = self._next[queue] >= len(self._lines[queue])
        if len(self._lines) == 1 and not is_over:
            return  # nobody to compare it with
        before = self._levels[queue]
        level = self._levels[queue] = self._level(queue, self._used(queue))
        self._water.pour(self._widths[queue] * (level - before))
        heapq.heappop(self._due)
        if is_over:
            del self._lines[queue]
            self._water.brim(queue, level)
        else:
            heapq.heappush(self._early, (level, queue))
            self._tell_brim(queue)
        self._admit()

    def until_next(self, ask: int, most: int) -> int:
        """How many pods of an ask its queue may have, one after the other, until it may be
        another's turn; at least one, at most `most`."""
        if len(self._lines) < 2 or most <= 1:
            return most
        queue, name = self.queue, self._due[0][1]
        reached = [entry[:2] for entry in self._due[1:3]]
        early = [(self._early[0][0], "")] if self._early else []
        bound = min(reached + early)
        used, asked = self._used(queue), self._ground.asks[ask].tolist()

        def is_its_turn(pod: int) -> bool:
            before = [u + a * (pod - 1) for u, a in zip(used, asked, strict=True)]
            if reached and self._level(queue, before) > self._water.level:
                return False
            return (self._after(queue, before, asked), name) < bound

        return _last(is_its_turn, most)

    def _admit(self) -> None:
        """Those that the water has reached may have their turn; one always may."""
        while self._early and (self._early[0][0] <= self._water.level or not self._due):
            _, queue = heapq.heappop(self._early)
            name = self._ground.snapshot.queues[queue].name
            heapq.heappush(self._due, (self._after_next(queue), name, queue))

    def _tell_brim(self, queue: int) -> None:
        """A queue's last start is all that it still wants, so no more flows to it."""
        line, place = self._lines[queue], self._next[queue]
        if place == len(line) - 1 and self._is_last(line[place]):
            self._water.brim(queue, self._after_next(queue))

    def _after_next(self, queue: int) -> int:
        demand = self._demand(self._lines[queue][self._next[queue]])
        return self._after(queue, self._used(queue), demand)

    def _used(self, queue: int) -> list[int]:
        used: list[int] = self._ground.room.used[:, queue].tolist()
        return used

    def _after(self, queue: int, used: Sequence[int], demand: Demand) -> int:
        """Its level when it has so much more."""
        its = self._ground.snapshot.queues[queue]
        counted = [used[at] + demand[at] for at in self._rows]
        return self._ground.policies.fairness.level(its, counted, self._total)

    def _level(self, queue: int, used: Sequence[int]) -> int:
        its = self._ground.snapshot.queues[queue]
        counted = [used[at] for at in self._rows]
        return self._ground.policies.fairness.level(its, counted, self._total)


def _last(holds: Callable[[int], bool], most: int) -> int:
    """The last number from 1 to `most` of which something holds that holds of all before it; it is
    taken to hold of 1. Doubled first: between queues that take turns it is one, or a few."""
    low = 1
    while 2 * low <= most and holds(2 * low):
        low *= 2
    high = min(most, 2 * low - 1)
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low
