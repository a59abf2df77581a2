"""Requests to one API server, asynchronous, behind the few words that the rest of `kube` needs.

aiohttp is named here alone; it serves watches and what goes through a proxy. All else, pages of
lists too, takes `wire`. What makes both fast: paths that are encoded already, no cookies, no
decompression, headers that are built once for each token and not for each request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from fullcrew import client, errors
from fullcrew.kube.wire import Wire

__all__ = ["JSON", "MERGE", "Http", "Reply", "Wish"]

JSON = "application/json"
MERGE = "application/merge-patch+json"

CONNECT_SECONDS = 10.0
CONNECTIONS = 512  # never waited for: what is in flight is limited elsewhere
CHECK_SECONDS = 5.0  # how often a token or certificate is looked at
READ_BYTES = 1 << 20
PLUGIN_REST_SECONDS = 2.0  # a credential plugin that failed is not run for each request


class Reply(NamedTuple):
    """An answer of the server, whatever it says."""

    code: int
    body: bytes
    after_seconds: float = 0.0  # Retry-After


class Wish(NamedTuple):
    """A request as it will be sent. `seconds` is the longest that its whole answer may take.

    `is_repeat`: it failed before, so that another failure tells of itself and not of the server.
    """

    method: str
    path: str
    body: bytes | None = None
    content: str = JSON
    seconds: float = 30.0
    accept: str = JSON
    is_repeat: bool = False


class Http:
    """One user of one API server. Open until `close`."""

    def __init__(self, access: client.Access, *, agent: str = "fullcrew") -> None:
        self.access = access
        self.credentials = client.Credentials(access)
        self._agent = agent
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=CONNECTIONS, ttl_dns_cache=60, keepalive_timeout=90
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            read_bufsize=READ_BYTES,
        )
        self._headers: dict[tuple[str, str], CIMultiDict[str]] = {}
        self._heads: dict[tuple[str, str], str] = {}
        self._wire = Wire(access.server, server_name=access.server_name)
        self._extra: dict[str, Any] = {}  # TLS, proxy: what each request is given besides
        self._looking = asyncio.Lock()
        self._checked_at = float("-inf")
        self._missing = ""  # why there are no credentials
        self._resting_until = float("-inf")
        self._timeouts: dict[float, aiohttp.ClientTimeout] = {}
        self._now = asyncio.get_running_loop().time

    async def close(self) -> None:
        """Ends all connections."""
        await self._wire.close()
        await self._session.close()

    @property
    def is_due(self) -> bool:
        """Whether `look_again` must come before the next `send`."""
        return self._now() - self._checked_at >= CHECK_SECONDS

    async def look_again(self) -> None:
        """Takes up new tokens and certificates; a plugin runs in a thread of its own."""
        async with self._looking:
            if not self.is_due:
                return
            if self._now() < self._resting_until:
                raise errors.Unreachable(self.access.server, problem=self._missing)
            try:
                await self._take_up()
            except errors.BadInput as bad:  # a plugin that failed once may not fail for ever
                self._missing = f"{bad.problem}; {bad.try_this}"
                self._resting_until = self._now() + PLUGIN_REST_SECONDS
                raise errors.Unreachable(self.access.server, problem=self._missing) from bad
            self._checked_at = self._now()

    async def _take_up(self) -> None:
        if self.credentials.is_slow:
            await asyncio.to_thread(self.credentials.headers)
        self._headers.clear()
        self._heads.clear()
        tls = self.credentials.tls()
        self._headers_for(JSON, JSON)
        if tls is not None:
            self._extra["ssl"] = self._wire.tls = tls
        if self.access.server_name:
            self._extra["server_hostname"] = self.access.server_name
        if self.access.proxy:
            self._extra["proxy"] = self.access.proxy

    async def send(self, wish: Wish) -> Reply:
        """One attempt, at once. No answer in time, or no connection: `Unreachable`.

        For who must know when it went out: nothing is repeated, and `look_again` is the caller's.
        """
        headers = self._headers_for(wish.content, wish.accept)
        reply = await (
            self._by_session(wish, headers) if self.access.proxy else self._by_wire(wish)
        )
        if reply.code == 401 and self._headers.get((wish.content, wish.accept)) is headers:
            self.credentials.rejected()  # what the plugin or the file says by now is asked next
            self._checked_at = float("-inf")
        return reply

    async def _by_wire(self, wish: Wish) -> Reply:
        head = self._heads.get((wish.content, wish.accept))
        if head is None:
            head = self._head_for(wish.content, wish.accept)
        body = wish.body or b""
        request = f"{wish.method} {self._wire.prefix}{wish.path}{head}{len(body)}\r\n\r\n"
        try:
            answer = await self._wire.send(request.encode() + body, seconds=wish.seconds)
        except (OSError, TimeoutError) as error:
            raise self._unreachable(error) from error
        return Reply(*answer)

    async def _by_session(self, wish: Wish, headers: CIMultiDict[str]) -> Reply:
        try:
            async with self._session.request(
                wish.method,
                URL(self.access.server + wish.path, encoded=True),
                data=wish.body,
                headers=headers,
                timeout=self._limit(wish.seconds),
                **self._extra,
            ) as answer:
                told = await answer.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise self._unreachable(error) from error
        return Reply(answer.status, told, _retry_after(answer))

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        content: str = JSON,
        seconds: float = 30.0,
    ) -> Reply:
        """One request with its whole answer; once more where our credentials had run out."""
        return await self._ask(Wish(method, path, body, content, seconds))

    async def get(self, path: str, *, accept: str = JSON, seconds: float = 30.0) -> Reply:
        """A GET that asks for another form than plain JSON."""
        return await self._ask(Wish("GET", path, None, JSON, seconds, accept))

    @asynccontextmanager
    async def stream(
        self, path: str, *, quiet_seconds: float
    ) -> AsyncIterator[tuple[Reply, AsyncIterator[bytes]]]:
        """A GET whose answer is read as it comes; no total limit, but one on silence."""
        if self.is_due:
            await self.look_again()
        limits = aiohttp.ClientTimeout(
            total=None, sock_connect=CONNECT_SECONDS, sock_read=quiet_seconds
        )
        url = URL(self.access.server + path, encoded=True)
        headers = self._headers_for(JSON, JSON)
        try:
            async with self._session.get(
                url, headers=headers, timeout=limits, **self._extra
            ) as answer:
                is_good = answer.status == 200
                body = b"" if is_good else await answer.read()
                if answer.status == 401 and self._headers.get((JSON, JSON)) is headers:
                    self.credentials.rejected()
                    self._checked_at = float("-inf")
                told = Reply(answer.status, body, _retry_after(answer))
                yield told, answer.content.iter_any()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise self._unreachable(error) from error

    async def _ask(self, wish: Wish) -> Reply:
        if self.is_due:
            await self.look_again()
        reply = await self.send(wish)
        if reply.code == 401:
            await self.look_again()
            reply = await self.send(wish)
        return reply

    def _limit(self, seconds: float) -> aiohttp.ClientTimeout:
        limit = self._timeouts.get(seconds)
        if limit is None:
            limit = aiohttp.ClientTimeout(total=seconds, sock_connect=min(seconds, CONNECT_SECONDS))
            self._timeouts[seconds] = limit
        return limit

    def _headers_for(self, content: str, accept: str) -> CIMultiDict[str]:
        headers = self._headers.get((content, accept))
        if headers is None:
            headers = self._headers[content, accept] = CIMultiDict(
                {
                    "Accept": accept,
                    "Accept-Encoding": "identity",
                    "User-Agent": self._agent,
                    "Content-Type": content,
                    **self.credentials.headers(),
                }
            )
            for name, written in self.credentials.extra:
                headers.add(name, written)
        return headers

    def _head_for(self, content: str, accept: str) -> str:
        """The head of a request from behind its path up to its length."""
        headers = (("Host", self._wire.host), *self._headers_for(content, accept).items())
        lines = "".join(f"{name}: {written}\r\n" for name, written in headers)
        head = f" HTTP/1.1\r\n{lines}Content-Length: "
        self._heads[content, accept] = head
        return head

    def _unreachable(self, error: BaseException) -> errors.Unreachable:
        words = str(error) or type(error).__name__
        return errors.Unreachable(self.access.server, problem=words)


def _retry_after(answer: aiohttp.ClientResponse) -> float:
    if answer.status not in {429, 500, 503, 504}:
        return 0.0
    told = answer.headers.get("Retry-After", "")
    return float(told) if told.isascii() and told.isdecimal() and len(told) < 6 else 0.0
