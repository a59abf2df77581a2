"""The bytes of a watch, understood: `Reader` turns them into events, however the network cut them,
and knows no socket, time or retry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from fullcrew.errors import BadManifest
from fullcrew.objects.decoding import BOOKMARK, Decoder, Event
from fullcrew.objects.metadata import KubernetesObject
from fullcrew.objects.status import Status

__all__ = [
    "DELETED",
    "GARBLED",
    "LINE_LIMIT_BYTES",
    "Complete",
    "Ended",
    "Reader",
]

GARBLED: Final = 0  # where the server gives a code, as 410 when it no longer knows our revision
LINE_LIMIT_BYTES: Final = 16 << 20  # ten times what a server accepts as one object
EVERYTHING_TOLD: Final = "k8s.io/initial-events-end"
DELETED: Final = "DELETED"  # the one type of event that is no state

Read = TypeVar("Read", bound=KubernetesObject)


@dataclass(frozen=True, slots=True)
class Complete:
    """All that was there when a watch without a list began has been told."""


@dataclass(frozen=True, slots=True)
class Ended:
    """This stream is of no more use, and why. Only a new list helps."""

    code: int
    message: str


class Reader(Generic[Read]):
    """Understands one watch stream. `revision` is where the next one goes on."""

    def __init__(self, decoder: Decoder[Read], revision: str) -> None:
        self.revision = revision
        self.ended: Ended | None = None
        self._event = decoder.event
        self._rest = b""

    def receive(self, data: bytes) -> list[Event[Read] | Complete | Ended]:
        """The events completed by these bytes, however the network cut them."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        events: list[Event[Read] | Complete | Ended] = []
        for line in lines:
            if line and self.ended is None:
                self._understand(line, events)
        if len(self._rest) > LINE_LIMIT_BYTES and self.ended is None:
            events.append(self.end(GARBLED, f"a line of more than {LINE_LIMIT_BYTES} bytes"))
        return events

    def end(self, code: int, message: str) -> Ended:
        """This stream is of no more use."""
        self.ended = Ended(code, message)
        return self.ended

    def cut(self) -> None:
        """The connection ended. Half a line is forgotten: `revision` moves with whole lines only,
        so the server tells it again."""
        self._rest = b""

    def _understand(self, line: bytes, events: list[Event[Read] | Complete | Ended]) -> None:
        try:
            event = self._event(line)
        except BadManifest as bad:
            events.append(self.end(GARBLED, f"{bad.problem}: {line[:80]!r}"))
            return
        told = event.object
        if isinstance(told, Status):
            events.append(self.end(told.code, told.message or told.reason))
            return
        revision = told.metadata.resource_version
        if not revision:
            events.append(self.end(GARBLED, f"no object with a revision: {line[:80]!r}"))
            return
        self.revision = revision
        if event.type != BOOKMARK:
            events.append(event)
        elif EVERYTHING_TOLD in told.metadata.annotations:
            events.append(Complete())
