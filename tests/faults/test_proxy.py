"""The proxy does what its faults are called, and nothing else happens to a request."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web
from faults.proxy import Proxy
from faults.schedule import (
    WATCH,
    AnsweredLate,
    CutWatch,
    Fault,
    Gate,
    Gone,
    Late,
    LostAfter,
    LostBefore,
    Meanwhile,
    NeverHappened,
    Refused,
)
from real.certificates import Authority

WATCHED = "/api/v1/pods?watch=1"
BIND = "/api/v1/namespaces/a/pods/p/binding"


class Server:
    """What stands behind the proxy: it notes what it hears and tells what it is given."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.url = ""
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self.heard_more = asyncio.Event()

    def tell(self, *names: str) -> None:
        for name in names:
            self._lines.put_nowait(json.dumps({"type": "ADDED", "name": name}).encode() + b"\n")

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.heard.append(f"{request.method} {request.path_qs} {await request.text()}".strip())
        self.heard_more.set()
        if "watch" not in request.query:
            who = request.headers.get("Authorization", "")
            return web.json_response({"hello": who}, status=201, headers={"X-Revision": "7"})
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(await self._lines.get())


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Server]:
    it = Server()
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", it.handle)
    runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    it.url = "http://{}:{}".format(*runner.addresses[0][:2])
    yield it
    await runner.cleanup()


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    with Proxy(server.url, upstream=None) as it:
        yield it


@pytest_asyncio.fixture
async def client(proxy: Proxy) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(proxy.url) as it:
        yield it


async def test_a_request_passes_with_its_query_token_and_body(
    server: Server, client: aiohttp.ClientSession
) -> None:
    token = {"Authorization": "Bearer abc"}

    async with client.post(f"{BIND}?dryRun=All", data=b"{}", headers=token) as answer:
        told = await answer.json()

    assert (answer.status, answer.headers["X-Revision"]) == (201, "7")
    assert told == {"hello": "Bearer abc"}
    assert server.heard == [f"POST {BIND}?dryRun=All {{}}"]


@pytest.mark.parametrize(("fault", "heard"), [(LostBefore(), 0), (LostAfter(), 1)])
async def test_an_answer_is_lost_before_or_after_the_server_acted(
    server: Server, proxy: Proxy, client: aiohttp.ClientSession, fault: Fault, heard: int
) -> None:
    rule = proxy.on("POST", "/binding$", fault)

    with pytest.raises(aiohttp.ClientError):
        await client.post(BIND)

    assert rule.struck == 1
    assert len(server.heard) == heard


@pytest.mark.parametrize(("acted", "heard"), [(False, 0), (True, 1)])
async def test_a_refusal_is_made_up_with_its_patience(
    server: Server, proxy: Proxy, client: aiohttp.ClientSession, *, acted: bool, heard: int
) -> None:
    refused = Refused(429, "TooManyRequests", retry_after_seconds=1, acted=acted)
    proxy.on("POST", "/binding$", refused)

    async with client.post(BIND) as answer:
        told = await answer.json()

    assert (answer.status, answer.headers["Retry-After"]) == (429, "1")
    assert (told["kind"], told["code"], told["reason"]) == ("Status", 429, "TooManyRequests")
    assert len(server.heard) == heard


async def test_a_rule_is_for_its_own_occurrences_only(
    proxy: Proxy, client: aiohttp.ClientSession
) -> None:
    proxy.on("POST", "/binding$", Refused(500), nth=range(2, 4))

    codes = []
    for path in (BIND, "/other", BIND, BIND, BIND):
        async with client.post(path) as answer:
            codes.append(answer.status)

    assert codes == [201, 201, 500, 500, 201]


async def test_a_late_request_is_done_although_its_client_has_given_up(
    server: Server, proxy: Proxy, client: aiohttp.ClientSession
) -> None:
    gate = Gate()
    rule = proxy.on("POST", "/binding$", Late(gate))
    asking = asyncio.ensure_future(client.post(BIND))
    await asyncio.to_thread(rule.wait)

    asking.cancel()
    heard_before = list(server.heard)
    gate.open()
    await asyncio.wait_for(server.heard_more.wait(), 5)

    assert heard_before == []
    assert server.heard == [f"POST {BIND}"]


async def test_a_late_answer_comes_long_after_the_server_acted(
    server: Server, proxy: Proxy, client: aiohttp.ClientSession
) -> None:
    gate = Gate()
    proxy.on("POST", "/binding$", AnsweredLate(gate))

    asking = asyncio.ensure_future(client.post(BIND))
    await asyncio.wait_for(server.heard_more.wait(), 5)
    was_answered = asking.done()
    gate.open()

    assert not was_answered
    assert (await asking).status == 201


async def test_somebody_else_is_first(
    server: Server, proxy: Proxy, client: aiohttp.ClientSession
) -> None:
    proxy.on("POST", "/binding$", Meanwhile(lambda: server.heard.append("somebody else")))

    await client.post(BIND)

    assert server.heard == ["somebody else", f"POST {BIND}"]


async def test_a_watch_is_told_line_by_line(server: Server, client: aiohttp.ClientSession) -> None:
    async with client.get(WATCHED) as watch:
        server.tell("a")
        first = await watch.content.readline()
        server.tell("b")
        second = await watch.content.readline()

    assert [json.loads(line)["name"] for line in (first, second)] == ["a", "b"]


@pytest.mark.parametrize("half_a_line", [False, True])
async def test_a_watch_is_cut_after_some_events(
    server: Server, proxy: Proxy, client: aiohttp.ClientSession, *, half_a_line: bool
) -> None:
    proxy.on(WATCH, "/pods", CutWatch(after=1, half_a_line=half_a_line))
    server.tell("aaaa", "bbbb")

    async with client.get(WATCHED) as watch:
        told = [byte async for byte in bytes_until_cut(watch.content)]

    line, _, rest = b"".join(told).partition(b"\n")
    assert json.loads(line)["name"] == "aaaa"
    assert len(rest) == (len(line) + 1) // 2 * half_a_line


async def test_a_stale_watch_tells_all_of_it_later(
    server: Server, proxy: Proxy, client: aiohttp.ClientSession
) -> None:
    async with client.get(WATCHED) as watch:
        hold = proxy.stale("/pods")
        await asyncio.to_thread(hold.__enter__)
        server.tell("a", "b")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(watch.content.readline(), 0.05)
        await asyncio.to_thread(hold.__exit__, None, None, None)
        lines = [await watch.content.readline() for _ in "ab"]

    assert [json.loads(line)["name"] for line in lines] == ["a", "b"]


async def test_a_running_watch_is_told_that_its_revision_is_gone(
    server: Server, proxy: Proxy, client: aiohttp.ClientSession
) -> None:
    async with client.get(WATCHED) as watch:
        server.tell("a")
        await watch.content.readline()

        expired = await asyncio.to_thread(proxy.expire, "/pods")
        told = json.loads(await watch.content.readline())

        assert expired == 1
        assert (told["type"], told["object"]["code"]) == ("ERROR", 410)
        assert await watch.content.readline() == b""


async def test_a_running_watch_is_cut(
    server: Server, proxy: Proxy, client: aiohttp.ClientSession
) -> None:
    async with client.get(WATCHED) as watch:
        server.tell("a")
        await watch.content.readline()

        cut = await asyncio.to_thread(proxy.cut, "/pods")

        assert cut == 1
        with pytest.raises(aiohttp.ClientError):
            await watch.content.readline()


async def test_a_watch_that_begins_too_late_is_refused(
    proxy: Proxy, client: aiohttp.ClientSession
) -> None:
    proxy.on(WATCH, "/pods", Gone())

    async with client.get(WATCHED) as answer:
        told = await answer.json()

    assert (answer.status, told["reason"]) == (410, "Expired")


def test_a_fault_that_never_struck_is_an_error_of_the_test(proxy: Proxy) -> None:
    rule = proxy.on("POST", "/binding$", Refused(500))

    with pytest.raises(NeverHappened, match="struck 0 of 1 times within 0 s, 0 requests seen"):
        rule.wait(seconds=0)


async def test_it_speaks_tls_on_both_sides(server: Server, tmp_path: Path) -> None:
    own, trusting = tls_of(Authority(), tmp_path)

    with (
        Proxy(server.url, upstream=None, own=own) as inner,
        Proxy(inner.url, upstream=trusting) as outer,
    ):
        async with aiohttp.ClientSession(outer.url) as client, client.get("/x") as answer:
            told = answer.status

    assert inner.url.startswith("https:")
    assert (told, server.heard) == (201, ["GET /x"])


async def bytes_until_cut(content: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    with suppress(aiohttp.ClientError):
        while True:
            yield await content.readexactly(1)


def tls_of(authority: Authority, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    own.load_cert_chain(*authority.for_server(["localhost"]).write(folder, "server"))
    return own, ssl.create_default_context(cadata=authority.certificate.decode())
