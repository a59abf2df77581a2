"""An event loop whose time jumps when nothing is left to do: an hour of waiting takes no time.

    virtual_time.run(scenario())

For what uses no socket and no thread. Two tasks that wait for each other are told as such instead
of hanging.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["VirtualLoop", "run"]

Given = TypeVar("Given")


class _Jumping(selectors.DefaultSelector):
    """Instead of waiting until something happens, lets that much time have passed."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        """What is ready at once; else time passes."""
        ready: list[Any] = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("every task waits for another one, and no time will help")
        if not ready and timeout:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Starts at zero."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds that have passed in here."""
        return self._jumping.now


def run(scenario: Coroutine[Any, Any, Given]) -> Given:
    """Runs it to its end, and gives back what it returns."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(scenario)
