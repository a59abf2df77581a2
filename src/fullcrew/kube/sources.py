"""One kind of object as the API server tells it: lists in pages, watches, and the pauses between.

What the server may do to us is settled here, so that `follow` sees pages, bytes and cuts only:
servers that tell everything through a watch and those that do not, continue tokens that expire
between two pages, 429 with its Retry-After, silence that is no peace but a dead connection.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Generic, TypeVar
from urllib.parse import urlencode

from fullcrew import client, errors
from fullcrew.kube.backing_off import Backoff
from fullcrew.kube.following import CUT_SHORT, Seen
from fullcrew.kube.http import Http, Reply
from fullcrew.kube.resources import Resource
from fullcrew.kube.watching import Ended
from fullcrew.objects.decoding import Decoder
from fullcrew.objects.metadata import KubernetesObject

__all__ = ["ServerSource"]

PAGE = 500
LIST_SECONDS = 120.0
WATCH_SECONDS = (300, 600)  # the server ends a watch then; spread, so that not all come at once
QUIET_SECONDS = 90.0  # a bookmark comes every minute
LONG_SECONDS = 5.0  # a connection that lived so long was a good one
SOON_SECONDS = 0.05
WITHOUT_LIST = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
CUTS_ENDURED = 2  # of a watch from the start, before pages are tried
EXPIRED = 410

Read = TypeVar("Read", bound=KubernetesObject)


class ServerSource(Generic[Read]):
    """What `follow` asks for, from one API server. One follower at a time.

    `trouble` is what went wrong last, as long as nothing went well since; a watch that stays open
    goes well, though nothing happens.
    """

    def __init__(
        self,
        http: Http,
        resource: Resource,
        decoder: Decoder[Read],
        *,
        streams: bool = True,
        query: Mapping[str, str] | None = None,
    ) -> None:
        """`query` narrows lists and watches alike, as by `fieldSelector`."""
        self.decoder = decoder
        self.resource = resource
        self.trouble: errors.FullcrewError | None = None
        self._troubled_at = 0.0
        self._http = http
        self._query = dict(query or {})
        self._streams = streams
        self._chance = random.Random()
        self._backoff = Backoff(chance=self._chance)
        self._now = asyncio.get_running_loop().time
        self._pages_expired = False
        self._cuts = 0
        self._opened_at = 0.0
        self._was_fruitful = False
        self._asked_to_wait = 0.0
        self._may_try_at_once = False

    @property
    def tells_all(self) -> bool:
        """Whether a watch from the start is worth asking for, by what the server said so far."""
        return self._streams

    async def list(self) -> AsyncGenerator[tuple[tuple[Seen[Read], ...], str], None]:
        """All pages at one revision. The next page is on its way while one is read."""
        self._begin()
        limit = 0 if self._pages_expired else PAGE
        following = self._asked("", limit)
        token = "first"
        try:
            while token:
                async with self._noted():
                    page = self.decoder.page(await following)
                token = page.metadata.go_on
                if token:
                    following = self._asked(token, limit)
                    await asyncio.sleep(0)  # so that it is sent before this page keeps us busy
                yield page.items, page.metadata.resource_version
        finally:
            following.cancel()
        self._pages_expired = False
        self._went_well()

    async def watch(self, since: str) -> AsyncGenerator[bytes, None]:
        """Bytes as they come; ends when the server does, raises when the connection does."""
        self._begin()
        query = {
            **self._query,
            "watch": "true",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(self._chance.randint(*WATCH_SECONDS)),
            **({"resourceVersion": since} if since else WITHOUT_LIST),
        }
        path = f"{self.resource.collection}?{urlencode(query)}"
        async with self._noted(), self._opened(path, is_opening=not since) as stream:
            async for received in stream:
                if not self._was_fruitful:
                    self._went_well()
                yield received

    @asynccontextmanager
    async def _opened(self, path: str, *, is_opening: bool) -> AsyncIterator[AsyncIterator[bytes]]:
        """A connection that stays open goes well, though nothing comes for a minute."""
        async with self._http.stream(path, quiet_seconds=QUIET_SECONDS) as (told, stream):
            if told.code != 200:
                self._refuse(told, "watch", is_opening=is_opening)
            lasting = asyncio.get_running_loop().call_later(LONG_SECONDS, self._lasts)
            try:
                yield stream
            finally:
                lasting.cancel()

    @asynccontextmanager
    async def _noted(self) -> AsyncIterator[None]:
        try:
            yield
        except errors.FullcrewError as error:
            if not self._may_try_at_once:
                self._troubled_at = self._now() if self.trouble is None else self._troubled_at
                self.trouble = error
            raise

    async def pause(self, after: Ended | None) -> None:
        """Not at all where we only learned how to ask; else as long as it takes to be no burden."""
        if after is not None and after.code == CUT_SHORT:
            self._cuts += 1
            self._streams = self._streams and self._cuts < CUTS_ENDURED
        if self._may_try_at_once:
            return
        lived = self._now() - self._opened_at
        if lived > LONG_SECONDS and self._was_fruitful:
            self._backoff.reset()
        if after is None and self._was_fruitful:
            wait = 0.0 if lived > LONG_SECONDS else SOON_SECONDS * (1 + self._chance.random())
        else:
            wait = self._backoff.next()
        await asyncio.sleep(max(wait, self._asked_to_wait))

    @property
    def troubled_seconds(self) -> float:
        """For how long nothing went well; 0 where nothing is wrong."""
        return 0.0 if self.trouble is None else self._now() - self._troubled_at

    def _begin(self) -> None:
        self._opened_at = self._now()
        self._was_fruitful = False
        self._may_try_at_once = False
        self._asked_to_wait = 0.0

    def _lasts(self) -> None:
        self.trouble = None

    def _went_well(self) -> None:
        self._was_fruitful = True
        self.trouble = None

    def _asked(self, token: str, limit: int) -> asyncio.Task[bytes]:
        task = asyncio.ensure_future(self._ask(token, limit))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def _ask(self, token: str, limit: int) -> bytes:
        asked = {**self._query, **({"limit": str(limit)} if limit else {})}
        if token:
            asked["continue"] = token
        path = self.resource.collection + (f"?{urlencode(asked)}" if asked else "")
        reply = await self._http.request("GET", path, seconds=LIST_SECONDS)
        if reply.code != 200:
            self._pages_expired = reply.code == EXPIRED
            self._refuse(reply, "list")
        return reply.body

    def _refuse(self, reply: Reply, verb: str, *, is_opening: bool = False) -> None:
        said = client.refusal(reply.body)
        self._asked_to_wait = max(reply.after_seconds, min(said.after_seconds, 60.0))
        if is_opening and reply.code in {400, 404, 405, 406, 422, 501}:
            self._streams = False  # it does not know this way of asking: pages it is
            self._may_try_at_once = True
        if reply.code == 403:
            raise errors.Forbidden(verb, self.resource.plural)
        raise errors.Refused(reply.code, said.message, where=f"{verb} {self.resource.plural}")
