"""The short way for the many small requests: keep-alive connections, one request on each at a time.

aiohttp serves every server and proxy there is and costs 70 microseconds a request for it; binds,
statuses and the reads round them need none of that and go out by the ten thousand, on the machine
of the API server more often than not. Here a request is one write, and its answer is parsed where
it arrives. What is not plain HTTP/1.1 with a length or in chunks ends its connection.
"""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from typing import Final, NamedTuple, cast
from urllib.parse import urlsplit

__all__ = ["Answered", "Wire"]

CONNECT_SECONDS: Final = 10.0
CLOSE_SECONDS: Final = 1.0
SWEEP_SECONDS: Final = 0.05  # how often overdue requests are looked for; they end as much early
IDLE_SECONDS: Final = 60.0  # what stands between may have forgotten an older connection
HEAD_LIMIT_BYTES: Final = 1 << 16
BODY_LIMIT_BYTES: Final = 1 << 30
_END: Final = b"\r\n\r\n"
_BUSY: Final = frozenset({429, 500, 503, 504})


class Answered(NamedTuple):
    """A whole answer."""

    code: int
    body: bytes
    after_seconds: float


class _Head(NamedTuple):
    code: int
    length: int  # -1: in chunks; -2: until the connection ends
    after_seconds: float
    is_last: bool  # on this connection


class _Line(asyncio.Protocol):
    """One connection."""

    __slots__ = (
        "_buffer",
        "_from",
        "_head",
        "_wire",
        "deadline",
        "since",
        "tls",
        "transport",
        "waiting",
        "was_answered",
    )

    def __init__(self, wire: Wire, tls: ssl.SSLContext | None) -> None:
        self._wire = wire
        self._buffer = bytearray()
        self._from = 0
        self._head: _Head | None = None
        self.tls = tls
        self.transport: asyncio.Transport | None = None
        self.waiting: asyncio.Future[Answered] | None = None
        self.deadline = 0.0
        self.since = 0.0
        self.was_answered = False  # at least with a byte

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is one by its methods alone
        self._wire.made(self)

    def data_received(self, received: bytes) -> None:
        if self.waiting is None:  # nobody asked
            self.close()
            return
        self.was_answered = True
        self._buffer += received
        try:
            while self._head is None and self._read_head():
                pass
            if self._head is not None:
                self._read_body(self._head)
        except ValueError as error:
            self.fail(ConnectionError(f"what was answered is no HTTP: {error}"))

    def connection_lost(self, error: Exception | None) -> None:
        self._wire.lost(self)
        head = self._head
        if self.waiting is not None and head is not None and head.length == -2 and error is None:
            self._finish(head, bytes(self._buffer[self._from :]))
            return
        self.fail(error or ConnectionError("the connection was closed"))

    def fail(self, error: Exception) -> None:
        """Ends the request that waits, and the connection with it."""
        waiting, self.waiting = self.waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)
        self.close()

    def close(self) -> None:
        """At once: nothing that is on its way is of use any more."""
        if self.transport is not None:
            self.transport.abort()

    def _read_head(self) -> bool:
        """Whether another head follows this one at once, as after 100 Continue."""
        end = self._buffer.find(_END)
        if end < 0:
            if len(self._buffer) > HEAD_LIMIT_BYTES:
                raise ValueError("its head does not end")
            return False
        head = _parsed(bytes(self._buffer[:end]).lower())
        if head.code < 200:
            del self._buffer[: end + len(_END)]
            return bool(self._buffer)
        self._head = head
        self._from = end + len(_END)
        return False

    def _read_body(self, head: _Head) -> None:
        if head.length >= 0:
            end = self._from + head.length
            if len(self._buffer) > end:  # whose answer the rest is, nobody knows
                head = head._replace(is_last=True)
            if len(self._buffer) >= end:
                self._finish(head, bytes(self._buffer[self._from : end]))
        elif head.length == -1 and self._buffer.endswith(_END):
            body = _in_one_piece(self._buffer, self._from)
            if body is not None:
                self._finish(head, body)
        elif len(self._buffer) > BODY_LIMIT_BYTES:
            raise ValueError("it does not end")

    def _finish(self, head: _Head, body: bytes) -> None:
        waiting, self.waiting = self.waiting, None
        self._head = None
        self._buffer = bytearray()
        self._wire.done(self, is_last=head.is_last)
        if waiting is not None and not waiting.done():
            waiting.set_result(Answered(head.code, body, head.after_seconds))


class Wire:
    """All connections to one server. `tls` may be replaced: new connections use the new one."""

    def __init__(self, server: str, *, server_name: str = "") -> None:
        split = urlsplit(server)
        self._is_tls = split.scheme == "https"
        self._host = split.hostname or ""
        self._port = split.port or (443 if self._is_tls else 80)
        self._server_name = server_name or self._host
        self.prefix = split.path.rstrip("/")
        self.host = split.netloc.rpartition("@")[2]
        self.tls: ssl.SSLContext | None = None
        self._idle: list[_Line] = []
        self._busy: dict[_Line, None] = {}
        self._lines: dict[_Line, None] = {}  # all that are open
        self._loop = asyncio.get_running_loop()
        self._sweeping: asyncio.TimerHandle | None = None

    async def close(self) -> None:
        """Ends all connections, and returns when they are gone."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for line in tuple(self._lines):
            line.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                while self._lines:
                    await asyncio.sleep(0)

    async def send(self, request: bytes, *, seconds: float) -> Answered:
        """The answer to a whole request, head and body. `OSError` or `TimeoutError` without one:
        then nobody knows whether the server heard it."""
        deadline = self._loop.time() + seconds
        if (line := self._idle_line()) is not None:
            try:
                return await self._exchange(line, request, deadline)
            except ConnectionError:  # the server had closed it, and reads may be repeated
                if line.was_answered or not request.startswith(b"GET "):
                    raise
        line = await self._connected(deadline - self._loop.time())
        return await self._exchange(line, request, deadline)

    async def _exchange(self, line: _Line, request: bytes, deadline: float) -> Answered:
        waiting: asyncio.Future[Answered] = self._loop.create_future()
        line.waiting = waiting
        line.was_answered = False
        line.deadline = deadline
        self._busy[line] = None
        if self._sweeping is None:
            self._sweeping = self._loop.call_later(SWEEP_SECONDS, self._sweep)
        if line.transport is not None:
            line.transport.write(request)
        try:
            return await waiting
        except asyncio.CancelledError:
            line.fail(TimeoutError())
            raise

    def done(self, line: _Line, *, is_last: bool) -> None:
        """A line is free again."""
        self._busy.pop(line, None)
        if is_last:
            line.close()
        else:
            line.since = self._loop.time()
            self._idle.append(line)

    def made(self, line: _Line) -> None:
        """A line is open."""
        self._lines[line] = None

    def lost(self, line: _Line) -> None:
        """A line is of no more use."""
        self._lines.pop(line, None)
        self._busy.pop(line, None)
        with suppress(ValueError):
            self._idle.remove(line)

    def _idle_line(self) -> _Line | None:
        while self._idle:
            line = self._idle.pop()
            is_old = self._loop.time() - line.since > IDLE_SECONDS or line.tls is not self.tls
            if not is_old and line.transport is not None and not line.transport.is_closing():
                return line
            line.close()
        return None

    async def _connected(self, seconds: float) -> _Line:
        tls = self.tls if self._is_tls else None
        async with asyncio.timeout(min(seconds, CONNECT_SECONDS)):
            _, line = await self._loop.create_connection(
                lambda: _Line(self, self.tls),
                self._host,
                self._port,
                ssl=tls,
                server_hostname=self._server_name if tls is not None else None,
            )
        return line

    def _sweep(self) -> None:
        """Ends what is overdue; a timer for each request would cost more than its parsing."""
        self._sweeping = None
        soon = self._loop.time() + SWEEP_SECONDS
        for line in [line for line in self._busy if line.deadline <= soon]:
            line.fail(TimeoutError("no answer in time"))
        if self._busy:
            self._sweeping = self._loop.call_later(SWEEP_SECONDS, self._sweep)


def _parsed(head: bytes) -> _Head:
    """A head in small letters, up to its empty line."""
    if not head.startswith(b"http/1."):
        raise ValueError(f"it begins with {head[:20]!r}")
    code = int(head[9:12])
    is_last = b"\r\nconnection: close" in head or head.startswith(b"http/1.0")
    after = _number(head, b"\r\nretry-after:") if code in _BUSY else -1
    after_seconds = float(after) if 0 <= after < 100_000 else 0.0
    if code in {204, 304} or code < 200:
        return _Head(code, 0, after_seconds, is_last)
    if b"\r\ntransfer-encoding:" in head:
        return _Head(code, -1, after_seconds, is_last)
    length = _number(head, b"\r\ncontent-length:")
    if length < 0:
        return _Head(code, -2, after_seconds, is_last=True)
    return _Head(code, length, after_seconds, is_last)


def _number(head: bytes, name: bytes) -> int:
    """A header that is a whole number; -1 where there is none."""
    found = head.find(name)
    if found < 0:
        return -1
    start = found + len(name)
    end = head.find(b"\r\n", start)
    told = head[start : end if end >= 0 else None].strip()
    return int(told) if told.isdigit() and len(told) < 12 else -1


def _in_one_piece(buffer: bytearray, start: int) -> bytes | None:
    """A body that came in chunks; None while its end has not come."""
    parts: list[bytes] = []
    while True:
        line_end = buffer.find(b"\r\n", start)
        if line_end < 0:
            return None
        size = int(bytes(buffer[start:line_end]).partition(b";")[0], 16)
        start = line_end + 2
        if size == 0:
            is_whole = buffer[start : start + 2] == b"\r\n" or buffer.find(_END, start) >= 0
            return b"".join(parts) if is_whole else None
        if len(buffer) < start + size + 2:
            return None
        parts.append(bytes(buffer[start : start + size]))
        start += size + 2
