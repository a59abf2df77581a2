"""What has to be looked at, and when: each thing once, at the earliest time it was wanted."""

from __future__ import annotations

from heapq import heappop, heappush

__all__ = ["Agenda"]


class Agenda:
    """Names by time. Times are seconds on any steady clock."""

    def __init__(self) -> None:
        self._due: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []

    def __len__(self) -> int:
        return len(self._due)

    def put(self, name: str, at: float) -> None:
        """Not later than `at`. An earlier wish stands."""
        if at < self._due.get(name, float("inf")):
            self._due[name] = at
            heappush(self._heap, (at, name))

    def drop(self, name: str) -> None:
        """It is of no interest any more."""
        self._due.pop(name, None)

    @property
    def next(self) -> float | None:
        """When the first of them is due."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, now: float, *, most: int) -> list[str]:
        """Those that are due, the longest due first; they are off the agenda then."""
        taken: list[str] = []
        while len(taken) < most and (at := self.next) is not None and at <= now:
            name = heappop(self._heap)[1]
            del self._due[name]
            taken.append(name)
        return taken
