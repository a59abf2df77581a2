"""The thinnest client there is: aiohttp, one kubeconfig, bytes in and bytes out.

The benchmark fills, watches and reads its clocks with it, and the bare client that stands for the
ceiling is made of nothing else.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
import tempfile
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import aiohttp
import yaml
from yarl import URL

JSON = "application/json"
MERGE = "application/merge-patch+json"
_LONGEST_LINE = 1 << 22
_TOO_MANY = 429


class Write(NamedTuple):
    """One request that changes something."""

    method: str
    path: str
    body: bytes
    content: str = JSON


class Wire:
    """Requests as the user of a kubeconfig, on as many connections as are asked for."""

    def __init__(self, kubeconfig: Path, *, connections: int) -> None:
        told = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
        cluster, user = told["clusters"][0]["cluster"], told["users"][0]["user"]
        self._server = cluster["server"]
        self._tls = _tls(cluster, user)
        self._headers = {"Accept": JSON, "Accept-Encoding": "identity"}
        if "token" in user:
            self._headers["Authorization"] = f"Bearer {user['token']}"
        self._connections = connections
        self.refused_for_now = 0

    async def __aenter__(self) -> Wire:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=self._tls, limit=0),
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            read_bufsize=_LONGEST_LINE,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._session.close()

    async def send(self, write: Write) -> bytes:
        """Sends it until it is taken: patiently at 429, with an error at any other refusal."""
        url = self._url(write.path)
        headers = {"Content-Type": write.content}
        while True:
            async with self._session.request(
                write.method, url, data=write.body, headers=headers
            ) as answer:
                told = await answer.read()
                if answer.status < 300:
                    return told
                if answer.status != _TOO_MANY:
                    raise RuntimeError(f"{write.method} {write.path}: {answer.status} {told!r}")
                wait = float(answer.headers.get("Retry-After", "1"))
            self.refused_for_now += 1
            await asyncio.sleep(wait)

    async def send_all(self, writes: Iterable[Write]) -> None:
        """All of them, in this order, with one request on each connection at any time."""
        rest = iter(writes)

        async def work() -> None:
            for write in rest:
                await self.send(write)

        await asyncio.gather(*(work() for _ in range(self._connections)))

    async def get(self, path: str) -> bytes:
        """The whole answer."""
        async with self._session.get(self._url(path)) as answer:
            told = await answer.read()
            if answer.status != 200:
                raise RuntimeError(f"GET {path}: {answer.status} {told!r}")
            return told

    async def until_served(self, path: str) -> None:
        """A kind that is defined by an object is served a moment after the server is ready."""
        while True:
            async with self._session.get(self._url(path)) as answer:
                await answer.read()
                if answer.status == 200:
                    return
            await asyncio.sleep(0.05)

    async def lines(self, path: str) -> AsyncIterator[bytes]:
        """A watch, line by line, until the server ends it."""
        async with self._session.get(self._url(path)) as answer:
            if answer.status != 200:
                raise RuntimeError(f"GET {path}: {answer.status}")
            async for line in answer.content:
                yield line

    def _url(self, path: str) -> URL:
        return URL(self._server + path, encoded=True)


def _tls(cluster: dict[str, Any], user: dict[str, Any]) -> ssl.SSLContext:
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    tls = ssl.create_default_context(cadata=authority)
    if "client-certificate-data" in user:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in ("client.crt", "client.key")]
            keys = ("client-certificate-data", "client-key-data")
            for file, key in zip(files, keys, strict=True):
                file.write_bytes(base64.b64decode(user[key]))
            tls.load_cert_chain(str(files[0]), str(files[1]))
    return tls
