"""How long to wait before trying again: longer each time, never quite the same for two of us."""

from __future__ import annotations

import random

__all__ = ["Backoff"]


class Backoff:
    """Grows from `first` to `longest` seconds, each pause a random half to whole of its step."""

    def __init__(
        self,
        *,
        first_seconds: float = 0.1,
        longest_seconds: float = 10.0,
        chance: random.Random | None = None,
    ) -> None:
        self._first = first_seconds
        self._longest = longest_seconds
        self._chance = chance or random.Random()
        self.failures = 0

    def next(self) -> float:
        """The pause after one more failure."""
        step = min(self._longest, self._first * (1 << min(self.failures, 20)))
        self.failures += 1
        return step * (0.5 + self._chance.random() / 2)

    def reset(self) -> None:
        """It went well: the next failure is a first one again."""
        self.failures = 0
