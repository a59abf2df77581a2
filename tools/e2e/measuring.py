"""Clocks of the benchmark: what a process used, what the API server did, when pods were bound."""

from __future__ import annotations

import asyncio
import os
import re
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tools.e2e.wire import Wire

_TICKS = os.sysconf("SC_CLK_TCK")
_SAMPLE_SECONDS = 0.02
_CHANGING = {"POST", "PUT", "PATCH", "DELETE", "APPLY"}
_REQUESTS = re.compile(r"^apiserver_request_total\{([^}]*)\} (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')


class _Metadata(msgspec.Struct, gc=False):
    name: str = ""
    uid: str = ""
    resourceVersion: str = ""  # noqa: N815 - Kubernetes' own word


class _Spec(msgspec.Struct, gc=False):
    nodeName: str = ""  # noqa: N815
    holderIdentity: str | None = None  # noqa: N815


class Seen(msgspec.Struct, gc=False):
    """What the clocks read of an object."""

    metadata: _Metadata
    spec: _Spec = msgspec.field(default_factory=_Spec)


class Event(msgspec.Struct, gc=False):
    """One line of a watch."""

    type: str
    object: Seen


class Listed(msgspec.Struct, gc=False):
    """A list, of which only names and the revision are read."""

    metadata: _Metadata
    items: list[Seen]


_LINE = msgspec.json.Decoder(Event)
_LIST = msgspec.json.Decoder(Listed)


@dataclass
class Stamps:
    """A watch, its lines with their times. They are read between two looks and not as they come,
    so that the clock costs the machine as little as can be."""

    path: str
    lines: list[tuple[float, bytes]] = field(default_factory=list)
    added: dict[str, float] = field(default_factory=dict)  # by name: when it was first seen
    bound: dict[str, float] = field(default_factory=dict)  # when it was first seen on a node
    held: list[tuple[float, str]] = field(default_factory=list)  # whose a lease is
    last: float = 0.0  # when the last line came
    times_cut: int = 0
    _read: int = 0

    async def follow(self, wire: Wire, revision: str) -> None:
        """Until it is cancelled. A server ends the watch of who reads too slowly for a moment, as
        happens when others need the cores: it goes on behind the last line."""
        while True:
            query = f"watch=1&resourceVersion={revision}&timeoutSeconds=7200"
            async for line in wire.lines(f"{self.path}?{query}"):
                self.lines.append((time.time(), line))
            if self.lines:
                revision = _LINE.decode(self.lines[-1][1]).object.metadata.resourceVersion
            self.times_cut += 1

    def look(self) -> Stamps:
        """Reads the lines that came since the last look."""
        for at, line in self.lines[self._read :]:
            event = _LINE.decode(line)
            if event.type == "ERROR":
                raise RuntimeError(f"watch {self.path}: {line!r}")
            self._note(at, event.object)
        self._read = len(self.lines)
        return self

    def _note(self, at: float, seen: Seen) -> None:
        name = seen.metadata.name
        self.added.setdefault(name, at)
        if seen.spec.nodeName:
            self.bound.setdefault(name, at)
        if seen.spec.holderIdentity is not None:
            self.held.append((at, seen.spec.holderIdentity))
        self.last = at


@asynccontextmanager
async def following(wire: Wire, *watches: Stamps) -> AsyncIterator[None]:
    """Watches while something is measured, each from what is there on."""
    since = [(await listed(wire, each.path)).metadata.resourceVersion for each in watches]
    pairs = zip(watches, since, strict=True)
    tasks = [asyncio.ensure_future(each.follow(wire, revision)) for each, revision in pairs]
    try:
        yield
    finally:
        await ended(*tasks)


async def ended(*tasks: asyncio.Future[None]) -> None:
    """Cancels them, and tells what went wrong in one that was not cancelled by us."""
    for task in tasks:
        task.cancel()
    for task in tasks:
        with suppress(asyncio.CancelledError):
            await task


async def listed(wire: Wire, path: str) -> Listed:
    """A collection, small enough for one answer."""
    return _LIST.decode(await wire.get(path))


async def until(is_so: Callable[[], bool], *, seconds: float, every: float = 0.02) -> bool:
    """Whether it came to be so in time."""
    ends_at = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > ends_at:
            return False
        await asyncio.sleep(every)
    return True


class Used:
    """CPU seconds and memory of one process, sampled while it works."""

    def __init__(self, pid: int) -> None:
        self._process = Path("/proc", str(pid))
        self._at: list[float] = []
        self._seconds: list[float] = []
        self.memory_bytes = 0  # the most it held, known after the sampling

    @asynccontextmanager
    async def sampling(self) -> AsyncIterator[None]:
        """Samples while something is measured."""
        task = asyncio.ensure_future(self._sample())
        try:
            yield
        finally:
            with suppress(OSError):
                self._note()
                self.memory_bytes = self._most_memory_bytes()
            await ended(task)

    def since(self, start: float) -> float:
        """CPU seconds used from a time to the last sample."""
        place = bisect_right(self._at, start)
        return self._seconds[-1] - self._seconds[max(0, place - 1)]

    def _most_memory_bytes(self) -> int:
        told = (self._process / "status").read_text(encoding="utf-8")
        kilobytes = re.search(r"^VmHWM:\s+(\d+) kB", told, re.MULTILINE)
        return int(kilobytes[1]) * 1024 if kilobytes else 0

    async def _sample(self) -> None:
        with suppress(OSError):  # it is gone
            while True:
                self._note()
                await asyncio.sleep(_SAMPLE_SECONDS)

    def _note(self) -> None:
        fields = (self._process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        self._at.append(time.time())
        self._seconds.append((int(fields[11]) + int(fields[12])) / _TICKS)


def counted(metrics: str) -> Counter[str]:
    """How many writes of each kind the API server has taken, as it counts them itself; leases are
    left out, since their number is one of seconds and not of pods."""
    found: Counter[str] = Counter()
    for labels, count in _REQUESTS.findall(metrics):
        told = dict(_LABEL.findall(labels))
        resource = f"{told['resource']}/{told['subresource']}".rstrip("/")
        if told["verb"] in _CHANGING and told["code"] < "300" and resource != "leases":
            found[f"{told['verb']} {resource}"] += int(float(count))
    return found


async def writes(wire: Wire) -> Counter[str]:
    """The same, of a server that runs."""
    return counted((await wire.get("/metrics")).decode())
