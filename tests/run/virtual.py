"""An event loop whose time passes only while everybody waits, and then at once."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar, TypeVarTuple

__all__ = ["passing", "run"]

Result = TypeVar("Result")
Told = TypeVarTuple("Told")


class _Jumping(selectors.DefaultSelector):
    """Instead of waiting, it lets time pass."""

    passes: Callable[[float], None]

    def select(self, timeout: float | None = None) -> list[Any]:
        """What is ready now. Where nothing is and nobody has a timer, the test is stuck."""
        if timeout is None:
            raise RuntimeError("everybody waits, and for nothing")
        ready = super().select(0)
        if not ready and timeout > 0:
            self.passes(timeout)
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        selector = _Jumping()
        selector.passes = self._pass
        self._now = 1_000.0
        super().__init__(selector)

    def time(self) -> float:
        """Seconds, from a thousand on."""
        return self._now

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Told], Result], *args: *Told
    ) -> asyncio.Future[Result]:
        """At once, in this thread: what another thread does takes no virtual time."""
        del executor
        done: asyncio.Future[Result] = self.create_future()
        try:
            found = func(*args)
        except Exception as error:
            done.set_exception(error)
        else:
            self.call_soon(done.set_result, found)  # after what others do meanwhile
        return done

    def _pass(self, seconds: float) -> None:
        self._now += seconds


def run(told: Coroutine[Any, Any, Result]) -> Result:
    """The result, however long it would have taken."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(told)


async def passing(seconds: float) -> None:
    """So much virtual time goes by."""
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    loop.call_later(seconds, over.set_result, None)
    await over
