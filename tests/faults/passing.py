"""One request on its way through the proxy, and the watches that run through it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import aiohttp
from aiohttp import web
from faults.schedule import Answer, Gate, status
from multidict import CIMultiDict

# What concerns one connection and not the message (RFC 9110), and what aiohttp sets by itself.
_NOT_PASSED = frozenset({"connection", "keep-alive", "transfer-encoding", "host", "content-length"})


class Passing:
    """The `Exchange` of faults/schedule.py, over a request that aiohttp serves."""

    def __init__(
        self, request: web.Request, session: aiohttp.ClientSession, watches: Watches
    ) -> None:
        self._request = request
        self._session = session
        self._watches = watches
        self._response: web.StreamResponse | None = None

    async def forward(self, *, behind: Gate | None = None) -> Answer:
        """A task of its own, so that a client who gives up does not take the request back."""
        body = await self._request.read()
        return await asyncio.shield(asyncio.ensure_future(self._asked(body, behind)))

    async def reply(self, answer: Answer) -> None:
        headers = _passed(answer.headers)
        headers.setdefault("Content-Type", "application/json")
        self._response = web.Response(status=answer.code, body=answer.body, headers=headers)

    async def stream(self, lines: int | None = None, *, half_a_line: bool = False) -> None:
        asked = self._session.get(self._request.rel_url, headers=_passed(self._request.headers))
        async with asked as answer:
            if answer.status != 200:
                await self.reply(Answer(answer.status, await answer.read(), answer.headers))
                return
            self._response = web.StreamResponse(headers=_passed(answer.headers))
            await self._response.prepare(self._request)
            with self._watches.running(self._request, self._response) as watch:
                await watch.follow(answer.content, lines, half_a_line=half_a_line)

    def cut(self) -> None:
        if self._request.transport is not None:
            self._request.transport.abort()

    def response(self) -> web.StreamResponse:
        """What aiohttp wants to have in the end, even where nobody is left to read it."""
        return self._response or web.Response(status=502)

    async def _asked(self, body: bytes, behind: Gate | None) -> Answer:
        if behind is not None:
            await behind.passed()
        async with self._session.request(
            self._request.method,
            self._request.rel_url,
            data=body or None,
            headers=_passed(self._request.headers),
        ) as answer:
            return Answer(answer.status, await answer.read(), answer.headers)


class Running:
    """A watch that is being told. It can be held back, cut, or told that its revision is gone."""

    def __init__(self, request: web.Request, response: web.StreamResponse) -> None:
        self.path = request.path_qs
        self.flows = asyncio.Event()
        self._request = request
        self._response = response
        self._reading: asyncio.Task[None] | None = None

    async def follow(
        self, content: aiohttp.StreamReader, lines: int | None, *, half_a_line: bool
    ) -> None:
        """Tells what the server tells, until one of both ends it or enough has been told."""
        self._reading = asyncio.ensure_future(self._read(content, lines, half_a_line=half_a_line))
        try:
            await asyncio.wait([self._reading])
        finally:
            self._reading.cancel()
        if not self._reading.cancelled():
            self._reading.result()

    def cut(self) -> None:
        """Ends the connection of the client, whatever was on its way."""
        if self._request.transport is not None:
            self._request.transport.abort()

    async def expire(self) -> None:
        """The last event is an ERROR with 410; then the stream ends in good order."""
        told = b'{"type":"ERROR","object":' + status(410, "Expired") + b"}\n"
        await self._response.write(told)
        if self._reading is not None:
            self._reading.cancel()

    async def _read(
        self, content: aiohttp.StreamReader, lines: int | None, *, half_a_line: bool
    ) -> None:
        left = lines
        while left != 0 and (line := await content.readline()):
            await self.flows.wait()
            await self._response.write(line)
            left = None if left is None else left - 1
        if half_a_line:
            line = await content.readline()
            await self._response.write(line[: len(line) // 2])


class Watches:
    """Those that run through the proxy now."""

    def __init__(self) -> None:
        self._running: list[Running] = []
        self._held: list[re.Pattern[str]] = []

    @contextmanager
    def running(self, request: web.Request, response: web.StreamResponse) -> Iterator[Running]:
        """Known here, and so held back, cut or expired, until the block ends."""
        watch = Running(request, response)
        self._running.append(watch)
        self._set_flow()
        try:
            yield watch
        finally:
            self._running.remove(watch)

    async def hold(self, path: re.Pattern[str]) -> None:
        """Those on this path tell nothing, new ones neither."""
        self._held.append(path)
        self._set_flow()

    async def release(self, path: re.Pattern[str]) -> None:
        """What was held back is told now."""
        self._held.remove(path)
        self._set_flow()

    async def cut(self, path: re.Pattern[str]) -> int:
        """Ends the connections of those on this path."""
        found = self._on(path)
        for watch in found:
            watch.cut()
        return len(found)

    async def expire(self, path: re.Pattern[str]) -> int:
        """Tells those on this path 410."""
        found = self._on(path)
        for watch in found:
            await watch.expire()
        return len(found)

    def _on(self, path: re.Pattern[str]) -> list[Running]:
        return [watch for watch in self._running if path.search(watch.path)]

    def _set_flow(self) -> None:
        for watch in self._running:
            if any(path.search(watch.path) for path in self._held):
                watch.flows.clear()
            else:
                watch.flows.set()


def _passed(headers: Mapping[str, str]) -> CIMultiDict[str]:
    kept = [(name, told) for name, told in headers.items() if name.lower() not in _NOT_PASSED]
    return CIMultiDict(kept)
