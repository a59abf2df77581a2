"""What goes wrong between a client and the API server, and when: faults, and rules that pick one.

A rule names a verb, a path and the occurrences it is for, so the same run meets the same fault at
the same place. A fault is a small value; what it needs of the network stands in `Exchange`.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

WATCH = "WATCH"  # the verb of a GET that asks to be told of changes
SECONDS_TO_HAPPEN = 30.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, as the server gave it or as a fault makes it up."""

    code: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class NeverHappened(Exception):
    """A test waited for its own fault in vain: nothing it could show has been shown."""


class Exchange(Protocol):
    """One request on its way, as a fault sees it."""

    async def forward(self, *, behind: Gate | None = None) -> Answer:
        """Ask the server, once the gate is open if there is one. What was begun goes on to its end
        even when our client has given up by then."""

    async def reply(self, answer: Answer) -> None:
        """Answer the client."""

    async def stream(self, lines: int | None = None, *, half_a_line: bool = False) -> None:
        """Answer a watch from the server's stream, up to a number of lines, and half the next."""

    def cut(self) -> None:
        """End the client's connection without another byte."""


class Fault(Protocol):
    """One way to go wrong."""

    async def strike(self, exchange: Exchange) -> None:
        """Deal with the request instead of the proxy."""


@dataclass(frozen=True, slots=True)
class LostBefore:
    """The connection ends before the server heard anything."""

    async def strike(self, exchange: Exchange) -> None:
        exchange.cut()


@dataclass(frozen=True, slots=True)
class LostAfter:
    """The server acts; its answer is lost with the connection."""

    async def strike(self, exchange: Exchange) -> None:
        await exchange.forward()
        exchange.cut()


@dataclass(frozen=True, slots=True)
class Refused:
    """A Status instead of what the server would have said. `acted`: it did what was asked, and
    something between it and us made up the answer, as a gateway that lost its patience does."""

    code: int
    reason: str = "InternalError"
    retry_after_seconds: int | None = None
    acted: bool = False

    async def strike(self, exchange: Exchange) -> None:
        if self.acted:
            await exchange.forward()
        wait = self.retry_after_seconds
        headers = {} if wait is None else {"Retry-After": str(wait)}
        await exchange.reply(Answer(self.code, status(self.code, self.reason), headers))


@dataclass(frozen=True, slots=True)
class Late:
    """The request waits on its way until the test opens the gate; then the server acts, whether
    the client still listens or not."""

    gate: Gate

    async def strike(self, exchange: Exchange) -> None:
        await exchange.reply(await exchange.forward(behind=self.gate))


@dataclass(frozen=True, slots=True)
class AnsweredLate:
    """The server acts at once; its answer waits until the test opens the gate."""

    gate: Gate

    async def strike(self, exchange: Exchange) -> None:
        answer = await exchange.forward()
        await self.gate.passed()
        await exchange.reply(answer)


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """Somebody else acts on the server while the request is on its way, and is first."""

    act: Callable[[], object]

    async def strike(self, exchange: Exchange) -> None:
        await asyncio.to_thread(self.act)
        await exchange.reply(await exchange.forward())


@dataclass(frozen=True, slots=True)
class Slow:
    """The request takes its time on the way there, and goes on when its client has died."""

    seconds: Callable[[], float]

    async def strike(self, exchange: Exchange) -> None:
        gate = Gate()
        asyncio.get_running_loop().call_later(self.seconds(), gate.open)
        await exchange.reply(await exchange.forward(behind=gate))


@dataclass(frozen=True, slots=True)
class Untouched:
    """Nothing goes wrong; a test wants to know that it came by."""

    async def strike(self, exchange: Exchange) -> None:
        await exchange.reply(await exchange.forward())


@dataclass(frozen=True, slots=True)
class CutWatch:
    """A watch ends after some events, in the middle of the next one if so wished."""

    after: int = 0
    half_a_line: bool = False

    async def strike(self, exchange: Exchange) -> None:
        await exchange.stream(self.after, half_a_line=self.half_a_line)
        exchange.cut()


@dataclass(frozen=True, slots=True)
class Gone:
    """The server knows the asked revision no longer, and says so at once."""

    async def strike(self, exchange: Exchange) -> None:
        await exchange.reply(Answer(410, status(410, "Expired")))


class Gate:
    """Opened from any thread, waited for on the proxy's loop by as many as like."""

    def __init__(self) -> None:
        self._is_open = False
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._change = threading.Lock()

    def open(self) -> None:
        """Lets through what waits, and whatever comes later."""
        with self._change:
            self._is_open = True
            for loop, opened in self._waiting:
                with suppress(RuntimeError):  # the loop is closed, so nobody waits there
                    loop.call_soon_threadsafe(opened.set)

    async def passed(self) -> None:
        """Returns once it is open, or when no test would wait any longer."""
        opened = asyncio.Event()
        with self._change:
            if self._is_open:
                return
            self._waiting.append((asyncio.get_running_loop(), opened))
        with suppress(TimeoutError):
            await asyncio.wait_for(opened.wait(), SECONDS_TO_HAPPEN)


class Rule:
    """A fault, and the requests it is for: those of a verb, on a path, by their number."""

    def __init__(self, verb: str, path: str, fault: Fault, *, nth: range | None = None) -> None:
        self.fault = fault
        self._verb = verb
        self._path = re.compile(path)
        self._nth = nth
        self._seen = 0
        self._struck = 0
        self.seconds = 0.0  # when it struck last, on the clock that cannot be set
        self._change = threading.Condition()

    @property
    def struck(self) -> int:
        """How often it has happened. A test whose fault never struck has shown nothing."""
        with self._change:
            return self._struck

    def takes(self, verb: str, path: str) -> bool:
        """Whether this request is one of its own; it counts the request when the path is right."""
        if verb != self._verb or not self._path.search(path):
            return False
        self._seen += 1
        return self._nth is None or self._seen in self._nth

    def note(self) -> None:
        """It strikes now."""
        with self._change:
            self._struck += 1
            self.seconds = monotonic()
            self._change.notify_all()

    def wait(self, times: int = 1, *, seconds: float = SECONDS_TO_HAPPEN) -> None:
        """Returns when it has struck so often."""
        with self._change:
            if not self._change.wait_for(lambda: self._struck >= times, seconds):
                told = f"{self._verb} {self._path.pattern}: struck {self._struck} of {times} times"
                raise NeverHappened(f"{told} within {seconds} s, {self._seen} requests seen")


def status(code: int, reason: str) -> bytes:
    """The body of a refusal in Kubernetes' form."""
    return json.dumps(
        {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "message": f"made up by the test: {reason}",
            "reason": reason,
            "code": code,
        }
    ).encode()


Strike = Callable[[Exchange], Awaitable[None]]
