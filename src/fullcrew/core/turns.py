"""Whose turn it is: queues by how full they are, and in each its line of gangs."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from fullcrew.core.ground import Ground
from fullcrew.model.amounts import PODS, is_host_port

__all__ = ["Turns"]

Item = TypeVar("Item")
Key = tuple[int, int, str, int]
Demand = Sequence[int]  # by resource


class Turns(Generic[Item]):
    """A heap of queues by level, pods and name, each with its line.

    A queue's level is taken half way through what the head of its line would add: judged by what
    it uses alone, many light queues would each start one before a heavy one starts its second,
    and that leaves shares more than a gang away from the water's (docs/decisions/0005).
    Among queues of pods without requests the number of pods decides.
    """

    def __init__(
        self, ground: Ground, lines: Mapping[int, Sequence[Item]], demand: Callable[[Item], Demand]
    ) -> None:
        self._ground = ground
        self._demand = demand
        names = ground.snapshot.resources
        self._rows = [
            at for at, name in enumerate(names) if name != PODS and not is_host_port(name)
        ]
        self._pods = [at for at, name in enumerate(names) if name == PODS]
        self._total = [2 * int(ground.total[at]) for at in self._rows]
        self._pods_total = [2 * int(ground.total[at]) for at in self._pods]
        self._lines = {queue: line for queue, line in lines.items() if line}
        self._next = dict.fromkeys(self._lines, 0)
        self._heap = [self._key_of(queue) for queue in self._lines]
        heapq.heapify(self._heap)

    def __bool__(self) -> bool:
        return bool(self._heap)

    @property
    def queue(self) -> int:
        """The queue whose turn it is."""
        return self._heap[0][-1]

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
        if self._next[queue] >= len(self._lines[queue]):
            heapq.heappop(self._heap)
            del self._lines[queue]
        elif len(self._heap) > 1:
            heapq.heapreplace(self._heap, self._key_of(queue))

    def until_next(self, ask: int, most: int) -> int:
        """How many pods of an ask its queue may have, one after the other, until it is another's
        turn; at least one, at most `most`."""
        if len(self._heap) < 2 or most <= 1:
            return most
        bound = min(self._heap[1:3])
        queue = self.queue
        used = self._ground.room.used[:, queue].tolist()
        asked = self._ground.asks[ask].tolist()

        def is_its_turn(pod: int) -> bool:
            before = [u + a * (pod - 1) for u, a in zip(used, asked, strict=True)]
            return self._key(queue, before, asked) < bound

        low = 1  # doubled first: between queues that take turns it is one pod, or a few
        while 2 * low <= most and is_its_turn(2 * low):
            low *= 2
        high = min(most, 2 * low - 1)
        while low < high:
            middle = (low + high + 1) // 2
            if is_its_turn(middle):
                low = middle
            else:
                high = middle - 1
        return low

    def _key_of(self, queue: int) -> Key:
        head = self._lines[queue][self._next[queue]]
        return self._key(queue, self._ground.room.used[:, queue].tolist(), self._demand(head))

    def _key(self, queue: int, used: Sequence[int], demand: Demand) -> Key:
        its = self._ground.snapshot.queues[queue]
        fairness = self._ground.policies.fairness
        half_way = [2 * used[at] + demand[at] for at in self._rows]
        level = fairness.level(its, half_way, self._total)
        pods = 0
        if not level:
            half_way = [2 * used[at] + demand[at] for at in self._pods]
            pods = fairness.level(its, half_way, self._pods_total)
        return (level, pods, its.name, queue)
