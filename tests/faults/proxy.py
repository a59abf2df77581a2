"""A proxy of the tests' own between a client and an API server, where answers can be lost.

    with Proxy(cluster.url, upstream=tls) as proxy:
        lost = proxy.on("POST", "/binding", LostAfter())
        ... start the scheduler with `proxy.url` as its server ...
        lost.wait()

It runs on a thread and a loop of its own. The client's bearer token is passed on; a client
certificate cannot be, so the proxy shows its own. Watches that run can be held back, cut or told
410 at the moment a test wants it.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, TypeVar

import aiohttp
from aiohttp import web
from faults.passing import Passing, Watches
from faults.schedule import WATCH, Fault, Rule

T = TypeVar("T")

_FIRST = range(1, 2)
_SECONDS = 30  # for what the proxy does itself; more is a fault of the proxy


class Proxy:
    """Listens on a free port of loopback while the `with` block runs."""

    def __init__(
        self, server: str, *, upstream: ssl.SSLContext | None, own: ssl.SSLContext | None = None
    ) -> None:
        self.url = ""
        self.passed: list[tuple[str, str]] = []  # verb and path of each request, as they came
        self._server = server
        self._upstream = upstream
        self._own = own
        self._rules: list[Rule] = []
        self._watches = Watches()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)

    def on(self, verb: str, path: str, fault: Fault, *, nth: range | None = _FIRST) -> Rule:
        """From now on this fault strikes the nth request of this verb (WATCH is one) whose path,
        query included, this pattern is found in; None: each. The rule made first wins."""
        rule = Rule(verb, path, fault, nth=nth)
        self._rules.append(rule)
        return rule

    @contextmanager
    def stale(self, path: str) -> Iterator[None]:
        """Watches on this path, running ones and new ones, tell nothing until the block ends."""
        held = re.compile(path)
        self._on_loop(self._watches.hold(held))
        try:
            yield
        finally:
            self._on_loop(self._watches.release(held))

    def cut(self, path: str) -> int:
        """Cuts the watches that run on this path; says how many."""
        return self._on_loop(self._watches.cut(re.compile(path)))

    def expire(self, path: str) -> int:
        """Tells the watches that run on this path that their revision is gone; says how many."""
        return self._on_loop(self._watches.expire(re.compile(path)))

    def __enter__(self) -> Proxy:
        self._thread.start()
        self._on_loop(self._start())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._on_loop(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> None:
        self._session = aiohttp.ClientSession(
            self._server,
            connector=aiohttp.TCPConnector(ssl=self._upstream or True, limit=0),
            timeout=aiohttp.ClientTimeout(total=None),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            read_bufsize=1 << 24,
        )
        application = web.Application(client_max_size=1 << 24)
        application.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=self._own)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"{'https' if self._own else 'http'}://{host}:{port}"

    async def _stop(self) -> None:
        await self._runner.cleanup()
        rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        await self._session.close()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        verb = WATCH if request.query.get("watch") in {"1", "true"} else request.method
        self.passed.append((verb, request.path_qs))
        passing = Passing(request, self._session, self._watches)
        rule = next((r for r in list(self._rules) if r.takes(verb, request.path_qs)), None)
        with suppress(ConnectionError):  # the client went first
            if rule is not None:
                rule.note()
                await rule.fault.strike(passing)
            elif verb == WATCH:
                await passing.stream()
            else:
                await passing.reply(await passing.forward())
        return passing.response()

    def _on_loop(self, task: Coroutine[Any, Any, T]) -> T:
        """Runs it where requests and watches live; returns when it is done."""
        return asyncio.run_coroutine_threadsafe(task, self._loop).result(_SECONDS)
