"""How long requests took, by lane and outcome: lists of whole numbers, as one is counted for each
bind, and a histogram of the metrics' library would cost ten times as much."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["BOUNDS", "Tally", "Took"]

BOUNDS: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""In seconds, the highest time that each count of a histogram holds."""

# By the first figure of the code; no answer is 0, and what is too many (429) takes the free place.
_BUSY: Final = 1
_OUTCOMES: Final = ("unanswered", "busy", "done", "done", "refused", "failed")
_EACH: Final = 8


class Took(NamedTuple):
    """So many requests of one lane and outcome, by the first bound that their time did not pass;
    the last count is of those that passed all bounds."""

    lane: str
    outcome: str
    counts: tuple[int, ...]
    seconds: float  # of all together


class Tally:
    """Counts for each lane. `lanes` are their names, by number."""

    __slots__ = ("_counts", "_lanes", "_seconds")

    def __init__(self, lanes: tuple[str, ...]) -> None:
        self._lanes = lanes
        self._counts = [[0] * (len(BOUNDS) + 1) for _ in range(_EACH * len(lanes))]
        self._seconds = [0.0] * len(self._counts)

    def add(self, lane: int, code: int, seconds: float) -> None:
        """One request; code 0 where no answer came."""
        place = _EACH * lane + (_BUSY if code == 429 else code // 100)
        self._counts[place][bisect_left(BOUNDS, seconds)] += 1
        self._seconds[place] += seconds

    def told(self) -> Iterator[Took]:
        """All that there were, one for each outcome."""
        for number, lane in enumerate(self._lanes):
            for outcome in dict.fromkeys(_OUTCOMES):
                places = [
                    _EACH * number + first
                    for first, word in enumerate(_OUTCOMES)
                    if word == outcome
                ]
                rows = zip(*(self._counts[place] for place in places), strict=True)
                counts = tuple(sum(row) for row in rows)
                if any(counts):
                    yield Took(lane, outcome, counts, sum(self._seconds[p] for p in places))
