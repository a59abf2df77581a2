"""Following one kind of object: every state, then every change, whatever the network does.

Nested loops, each with one reason to start again: the server forgot us (all is told anew), or a
connection ended (it goes on at the revision that was told last).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from fullcrew.errors import BadManifest, ClusterError, Refused
from fullcrew.kube.watching import DELETED, GARBLED, Complete, Ended, Reader
from fullcrew.objects.decoding import Decoder, Event, Faulty
from fullcrew.objects.metadata import KubernetesObject
from fullcrew.objects.status import Status

__all__ = ["CUT_SHORT", "Listed", "Source", "follow"]

CUT_SHORT: Final = -1  # as the code of an end: before all that is there had been told
REFUSALS: Final = 5  # so many in a row, and the revision itself is doubted

# 401: a new token helps. 403: so may a new right. 408, 429: it did not get to it.
_PASSING: Final = frozenset({401, 403, 408, 429})

Read = TypeVar("Read", bound=KubernetesObject)
Seen: TypeAlias = Read | Faulty[Read]


@dataclass(frozen=True, slots=True)
class Listed(Generic[Read]):
    """Part of the whole collection anew. With the first part, what was known before is void.

    Between first and last part lists of events may come, where the server tells of deletions
    while it still tells what is there. A first part may come before the last one: begin again.
    """

    objects: tuple[Seen[Read], ...]
    is_first: bool
    is_last: bool


class Source(Protocol[Read]):
    """What the network offers. Waiting is part of it, so that tests do not wait."""

    decoder: Decoder[Read]

    @property
    def tells_all(self) -> bool:
        """Whether a watch from the start is served, so that there is no need to list. Asked each
        time before all is told anew."""

    def list(self) -> AsyncGenerator[tuple[tuple[Seen[Read], ...], str], None]:
        """Pages, each with the revision, which the last one gives. Raises as `watch` does, and
        `BadManifest` for what is no list."""

    def watch(self, since: str) -> AsyncGenerator[bytes, None]:
        """What happened after a revision; everything from the start where it is empty. Raises
        `ClusterError` for a refusal or a cut."""

    async def pause(self, after: Ended | None) -> None:
        """Before the next attempt; `after` tells what ended the last one, if it was the server."""


async def follow(source: Source[Read]) -> AsyncGenerator[Listed[Read] | list[Event[Read]], None]:
    """Every state, then every change, until the caller stops asking. One list for each read."""
    while True:  # once for each time the server forgot us
        async with aclosing(_Following(source).told()) as told:
            async for part in told:
                yield part


class _Following(Generic[Read]):
    """From one telling of everything to the next."""

    def __init__(self, source: Source[Read]) -> None:
        self._source = source
        self._reader = Reader(source.decoder, "")
        self._is_whole = False  # all that is there has been told
        self._is_first = True
        self._refusals = 0

    async def told(self) -> AsyncGenerator[Listed[Read] | list[Event[Read]], None]:
        """All, then the changes, until only a new list helps."""
        if not self._source.tells_all:
            async with aclosing(self._pages()) as pages:
                async for page in pages:
                    yield page
        while self._reader.ended is None:  # once for each connection
            async with aclosing(self._connection()) as told:
                async for part in told:
                    yield part
            self._reader.cut()
            if not self._is_whole and self._reader.ended is None:
                self._reader.end(CUT_SHORT, "the connection ended before all had been told")
            await self._source.pause(self._reader.ended)

    async def _pages(self) -> AsyncGenerator[Listed[Read], None]:
        """The whole as pages; a failure ends the reader, for there is nothing to watch from."""
        try:
            async with aclosing(self._source.list()) as pages:
                async for objects, revision in pages:
                    self._reader.revision = revision
                    yield self._part(objects)
        except (ClusterError, BadManifest) as error:
            code = error.code if isinstance(error, Refused) else GARBLED
            await self._source.pause(self._reader.end(code, error.problem))
            return
        yield self._part((), is_last=True)

    async def _connection(self) -> AsyncGenerator[Listed[Read] | list[Event[Read]], None]:
        """What one connection brings. That it is cut is an end like any other."""
        try:
            async with aclosing(self._received()) as received:
                async for part in received:
                    yield part
        except Refused as refused:
            self._judge(refused)
        except ClusterError:
            return

    async def _received(self) -> AsyncGenerator[Listed[Read] | list[Event[Read]], None]:
        reader = self._reader
        async with aclosing(self._source.watch(reader.revision)) as stream:
            async for received in stream:
                self._refusals = 0
                for part in self._sorted(reader.receive(received)):
                    yield part
                if reader.ended is not None:
                    return

    def _judge(self, refused: Refused) -> None:
        """A refusal that will not pass by itself leaves nothing to go on from."""
        self._refusals += 1
        is_passing = refused.code >= 500 or refused.code in _PASSING
        if not is_passing or self._refusals >= REFUSALS:
            self._reader.end(refused.code, refused.problem)

    def _sorted(
        self, events: Sequence[Event[Read] | Complete | Ended]
    ) -> Iterator[Listed[Read] | list[Event[Read]]]:
        """Until all that is there has been told, it is parts of a list; then changes."""
        rest = iter(events)
        if not self._is_whole:
            yield from self._opening(rest)
        changes = [event for event in rest if isinstance(event, Event)]
        if changes:
            yield changes

    def _opening(
        self, events: Iterator[Event[Read] | Complete | Ended]
    ) -> Iterator[Listed[Read] | list[Event[Read]]]:
        objects: list[Seen[Read]] = []
        for event in events:
            if isinstance(event, Complete):
                yield self._part(objects, is_last=True)
                return
            if isinstance(event, Ended) or isinstance(event.object, Status):
                continue
            if event.type != DELETED:
                objects.append(event.object)
                continue
            yield self._part(objects)  # what is deleted may be among them
            yield [event]
            objects = []
        if objects:
            yield self._part(objects)

    def _part(self, objects: Sequence[Seen[Read]], *, is_last: bool = False) -> Listed[Read]:
        part = Listed(tuple(objects), is_first=self._is_first, is_last=is_last)
        self._is_first = False
        self._is_whole = is_last
        return part
