"""`kube.Http` without a socket, for parts of a process in virtual time: watches tell nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from run.playing import Playing

from fullcrew import kube

__all__ = ["CUT_SECONDS", "Quiet"]

CUT_SECONDS = 20.0  # after which the server ends a watch, as it may


@dataclass
class Quiet:
    """`kube.Http` in virtual time: a watch is opened and tells nothing, unless it is refused."""

    api: Playing
    refusals: dict[str, int] = field(default_factory=dict)  # codes by plural

    async def get(self, path: str, *, accept: str = kube.JSON) -> kube.Reply:
        """Discovery."""
        return self.api.reply(kube.Wish("GET", path, accept=accept))

    async def request(self, method: str, path: str, **_: object) -> kube.Reply:
        """A list."""
        await asyncio.sleep(0.01)
        return self.api.reply(kube.Wish(method, path))

    @asynccontextmanager
    async def stream(
        self, path: str, *, quiet_seconds: float
    ) -> AsyncIterator[tuple[kube.Reply, AsyncIterator[bytes]]]:
        """A watch."""
        await asyncio.sleep(min(0.01, quiet_seconds))
        plural = path.partition("?")[0].rpartition("/")[2]
        code = 410 if "sendInitialEvents" in path else self.refusals.get(plural, 200)
        yield kube.Reply(422 if code == 410 else code, b"{}"), self._silence()

    @property
    def is_due(self) -> bool:
        """Credentials never run out here."""
        return False

    async def send(self, wish: kube.Wish) -> kube.Reply:
        """As the flow asks."""
        return await self.api.send(wish)

    async def _silence(self) -> AsyncIterator[bytes]:
        await asyncio.sleep(CUT_SECONDS)
        return
        yield b""
