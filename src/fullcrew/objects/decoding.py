"""From bytes, or from what YAML made, to structs: one object, a line of a watch, a page of a list.

The ordinary way is one pass of msgspec straight into the struct. Whatever goes wrong there is
looked at again by `salvage`, so that a fault in one object is a value with that object's name and
never the end of a watch or a list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec

from fullcrew.errors import BadManifest
from fullcrew.objects.metadata import KubernetesObject, ObjectMeta
from fullcrew.objects.salvage import Fault, Salvager
from fullcrew.objects.shape import Int64, Shape
from fullcrew.objects.status import Status

__all__ = [
    "BOOKMARK",
    "ERROR",
    "Decoder",
    "Event",
    "Faulty",
    "ListMeta",
    "Page",
    "decode",
    "fault_in",
    "fault_where",
    "readable",
]

BOOKMARK: Final = "BOOKMARK"
ERROR: Final = "ERROR"

Read = TypeVar("Read", bound=KubernetesObject)

_FAILURES = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Faulty(Generic[Read]):
    """An object with a field that is none: what could be read of it, the first fault, and all.

    In `object` a field with a fault has its default, so nothing that depends on it may be decided
    from there; but its name, its labels and its node are what they are wherever they are sound.
    """

    object: Read
    field: str
    fault: str
    faults: tuple[Fault, ...] = ()

    @property
    def metadata(self) -> ObjectMeta:
        """Who it is, as far as that can be read."""
        return self.object.metadata

    @property
    def in_words(self) -> str:
        """The fault with its place, as a reason tells it."""
        return _in_words(self.field, self.fault)


def readable(told: Read | Faulty[Read]) -> Read:
    """The object, or what could be read of it."""
    return told.object if isinstance(told, Faulty) else told


def fault_in(told: KubernetesObject | Faulty[Any]) -> str:
    """The first fault of an object in words, empty where there is none."""
    return told.in_words if isinstance(told, Faulty) else ""


def fault_where(told: KubernetesObject | Faulty[Any], is_meant: Callable[[str], bool]) -> str:
    """The first of an object's faults that lies at such a place, in words. Who reads a part of an
    object asks for that part: what is wrong before it says nothing of it, and hides nothing."""
    faults = told.faults if isinstance(told, Faulty) else ()
    return next((_in_words(place, fault) for place, fault in faults if is_meant(place)), "")


class Event(NamedTuple, Generic[Read]):
    """A line of a watch. With `BOOKMARK` the object has a resource version and nothing else."""

    type: str
    object: Read | Faulty[Read] | Status


class ListMeta(Shape, frozen=True):
    """`go_on` is the token for the next page, empty on the last one."""

    resource_version: str = ""
    go_on: str = msgspec.field(default="", name="continue")
    remaining_item_count: Int64 = 0


class Page(NamedTuple, Generic[Read]):
    """A page of a list, or the whole of it."""

    metadata: ListMeta
    items: tuple[Read | Faulty[Read], ...]


class _Line(Shape, Generic[Read], frozen=True):
    type: str
    object: Read


class _RawLine(Shape, frozen=True):
    type: str
    object: msgspec.Raw


class _Listed(Shape, Generic[Read], frozen=True):
    metadata: ListMeta
    items: tuple[Read, ...]


class _RawListed(Shape, frozen=True):
    metadata: ListMeta
    items: tuple[msgspec.Raw, ...] | None  # null is how Go writes a list of nothing


def decode(kind: type[Read], told: bytes | Mapping[str, object]) -> Read | Faulty[Read]:
    """One object by itself. Who has many of a kind keeps a `Decoder` for them."""
    return Decoder(kind).one(told)


class Decoder(Generic[Read]):
    """The decoder of one kind, made once and used for each object, line and page of it."""

    def __init__(self, kind: type[Read]) -> None:
        line: Any = _Line[kind]  # type: ignore[valid-type]
        listed: Any = _Listed[kind]  # type: ignore[valid-type]
        self.kind = kind
        self._one: msgspec.json.Decoder[Read] = msgspec.json.Decoder(kind)
        self._line: msgspec.json.Decoder[_Line[Read]] = msgspec.json.Decoder(line)
        self._listed: msgspec.json.Decoder[_Listed[Read]] = msgspec.json.Decoder(listed)
        self._salvager: Salvager[Read] | None = None  # made when it is first needed

    def one(self, told: bytes | msgspec.Raw | Mapping[str, object]) -> Read | Faulty[Read]:
        """One object, of JSON or of what a YAML reader made. Never raises for what is in it."""
        try:
            if isinstance(told, Mapping):
                return msgspec.convert(told, type=self.kind)
            return self._one.decode(told)
        except _FAILURES:
            return self._salvaged(told if isinstance(told, Mapping) else msgspec.Raw(told))

    def event(self, line: bytes) -> Event[Read]:
        """A line of a watch. One that is cut, or no JSON, raises `BadManifest`: list again."""
        try:
            found = self._line.decode(line)
        except _FAILURES:
            return self._event_in_parts(line)
        if found.type == ERROR:
            return self._event_in_parts(line)
        return Event(found.type, found.object)

    def page(self, body: bytes) -> Page[Read]:
        """A list, or a page of one. What is no list at all raises `BadManifest`."""
        try:
            found = self._listed.decode(body)
        except _FAILURES:
            return self._page_in_parts(body)
        return Page(found.metadata, found.items)

    def _event_in_parts(self, line: bytes) -> Event[Read]:
        try:
            found = msgspec.json.decode(line, type=_RawLine)
        except _FAILURES as failure:
            raise _broken("a line of a watch", failure) from failure
        if found.type == ERROR:
            return Event(found.type, Salvager(Status).read(found.object)[0])
        return Event(found.type, self.one(found.object))

    def _page_in_parts(self, body: bytes) -> Page[Read]:
        try:
            found = msgspec.json.decode(body, type=_RawListed)
        except _FAILURES as failure:
            raise _broken("a list", failure) from failure
        return Page(found.metadata, tuple(self.one(each) for each in found.items or ()))

    def _salvaged(self, told: object) -> Read | Faulty[Read]:
        if self._salvager is None:
            self._salvager = Salvager(self.kind)
        found, faults = self._salvager.read(told)
        return Faulty(found, *min(faults, key=_is_of_age), faults) if faults else found


def _in_words(place: str, fault: str) -> str:
    return f"{place}: {fault}" if place else fault


def _is_of_age(fault: Fault) -> bool:
    """Whether it is about nothing but when the object was made: told only where it is the sole one,
    since it says the least."""
    return fault[0] == "metadata.creationTimestamp"


def _broken(what: str, failure: Exception) -> BadManifest:
    return BadManifest(
        f"{what} cannot be read: {failure}",
        try_this="ask again: the connection may have been cut, or something stands between",
    )
