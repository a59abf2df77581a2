"""The short way understands what an API server and what stands before it may answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from fullcrew.kube.wire import Answered, Wire

GET = b"GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"
POST = GET.replace(b"GET", b"POST")
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
CUT = b""


class Server:
    """Plays one entry for each request, in pieces; `CUT` closes the connection instead."""

    def __init__(self, *played: bytes, piece: int = 1 << 20) -> None:
        self.played = list(played)
        self.piece = piece
        self.connections = 0
        self.closes = False
        self.open: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open[asyncio.current_task()] = writer
        with suppress(ConnectionError):
            await self._play(reader, writer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    async def _play(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await self._heard(reader):
            told = self.played.pop(0) if self.played else OK
            for start in range(0, len(told), self.piece):
                writer.write(told[start : start + self.piece])
                await writer.drain()
                await asyncio.sleep(0)
            if told == CUT or self.closes:
                break

    async def _heard(self, reader: asyncio.StreamReader) -> bytes:
        try:
            return await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""


@asynccontextmanager
async def connected(server: Server) -> AsyncIterator[Wire]:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    wire = Wire(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}")
    try:
        yield wire
    finally:
        await wire.close()
        listening.close()
        await asyncio.gather(*(task for task in server.open if task))


CHUNKED = (
    b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'5;x=y\r\n{"a":\r\nA\r\n"\r\n\r\n1234"\r\n1\r\n}\r\n0\r\n\r\n'
)


@pytest.mark.parametrize("piece", [1, 3, 1 << 20])
@pytest.mark.parametrize(
    ("played", "answer"),
    [
        (OK, Answered(200, b"{}", 0)),
        (CHUNKED, Answered(201, b'{"a":"\r\n\r\n1234"}', 0)),
        (CHUNKED[:-2] + b"Trailer: x\r\n\r\n", Answered(201, b'{"a":"\r\n\r\n1234"}', 0)),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, Answered(200, b"{}", 0)),
        (b"HTTP/1.1 204 No Content\r\n\r\n", Answered(204, b"", 0)),
        (
            b"HTTP/1.1 429 Too Many\r\nretry-AFTER: 7\r\nContent-Length: 0\r\n\r\n",
            Answered(429, b"", 7),
        ),
        (
            b"HTTP/1.1 503 No\r\nRetry-After: Fri, 31 Dec\r\nContent-Length: 1\r\n\r\nx",
            Answered(503, b"x", 0),
        ),
    ],
)
async def test_an_answer_is_understood_however_it_is_cut(
    played: bytes, answer: Answered, piece: int
) -> None:
    async with connected(server := Server(played, piece=piece)) as wire:
        assert await wire.send(GET, seconds=5) == answer
        assert await wire.send(GET, seconds=5) == Answered(200, b"{}", 0)

    assert server.connections == 1


async def test_an_answer_without_length_ends_with_its_connection() -> None:
    server = Server(b"HTTP/1.1 200 OK\r\n\r\nall of it")
    server.closes = True

    async with connected(server) as wire:
        assert (await wire.send(GET, seconds=5)).body == b"all of it"


async def test_a_connection_that_the_server_means_to_close_is_not_used_again() -> None:
    last = OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")

    async with connected(server := Server(last)) as wire:
        await wire.send(GET, seconds=5)
        await wire.send(GET, seconds=5)

    assert server.connections == 2


async def test_a_connection_that_said_more_than_it_was_asked_is_not_used_again() -> None:
    created = OK.replace(b"200 OK", b"201 Created")

    async with connected(server := Server(OK + created)) as wire:
        await wire.send(GET, seconds=5)
        assert (await wire.send(POST, seconds=5)).code == 200

    assert server.connections == 2


async def test_a_read_on_a_connection_that_had_been_closed_is_repeated() -> None:
    async with connected(server := Server(OK, CUT)) as wire:
        await wire.send(GET, seconds=5)
        assert (await wire.send(GET, seconds=5)).code == 200

    assert server.connections == 2


@pytest.mark.parametrize("played", [[OK, CUT], [OK, OK[:-1] + CUT, CUT]])
async def test_a_write_without_answer_is_never_repeated(played: list[bytes]) -> None:
    async with connected(Server(*played)) as wire:
        await wire.send(GET, seconds=5)
        with pytest.raises((ConnectionError, TimeoutError)):
            await wire.send(POST, seconds=0.2)


async def test_no_answer_in_time_ends_the_connection() -> None:
    async with connected(server := Server(OK[:9])) as wire:
        with pytest.raises(TimeoutError):
            await wire.send(GET, seconds=0.1)
        assert (await wire.send(GET, seconds=5)).code == 200

    assert server.connections == 2


@pytest.mark.parametrize(
    "junk",
    [
        b"SSH-2.0\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        b"x" * 70_000,
    ],
)
async def test_what_is_no_http_is_a_broken_connection(junk: bytes) -> None:
    async with connected(Server(junk)) as wire:
        with pytest.raises(ConnectionError, match="no HTTP"):
            await wire.send(GET, seconds=5)


async def test_nobody_there_is_told_at_once() -> None:
    with pytest.raises(OSError, match="9"):
        await Wire("http://127.0.0.1:9").send(GET, seconds=5)


async def test_who_stops_waiting_leaves_no_answer_for_the_next() -> None:
    async with connected(server := Server(OK[:9])) as wire:
        waiting = asyncio.ensure_future(wire.send(GET, seconds=5))
        while not server.connections:
            await asyncio.sleep(0)
        waiting.cancel()
        assert (await wire.send(GET, seconds=5)).code == 200
