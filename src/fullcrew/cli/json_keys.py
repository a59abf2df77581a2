"""A value of JSON with all that is in it, unless a key stands twice in one of its objects.

Every reader takes the last of the two and says nothing; YAML forbids it, and so do we: of two
amounts of cpu, nobody knows which was meant.

No fast reader tells of it. But outside of strings each colon of JSON belongs to a key, and inside
of them it is written as it is: what is read and written again has as many colons as the text,
unless a key was dropped. Python's own reader can be asked about each object; it costs twice as
much and is kept for finding the place.
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from fullcrew.cli.json_reading import TOO_DEEP
from fullcrew.errors import BadManifest
from fullcrew.objects.fields import below

__all__ = ["opened", "read"]

_READER: Final = msgspec.json.Decoder()
_WRITER: Final = msgspec.json.Encoder()
_ENOUGH: Final = 256  # bytes of a list, to find it by
_BEGINNING: Final = 1 << 16  # of a file; what writes lists begins with them
_FAILURES: Final = (msgspec.MsgspecError, OverflowError, RecursionError, UnicodeError)


class _Pairs(list[tuple[str, Any]]):
    """An object with all its keys, in the order of the text."""


def read(body: msgspec.Raw, place: str) -> Any:  # noqa: ANN401 - whatever the file holds
    """The value, or `body` itself where it holds a number that no field can have, which is the
    fault of one field and not of the file. Raises BadManifest where a key stands twice."""
    text = bytes(body)
    try:
        value = _READER.decode(text)
        is_whole = _WRITER.encode(value).count(b":") == text.count(b":")
    except _FAILURES:
        value, is_whole = body, False
    if not is_whole or _has_hidden_colons(text):
        _search(text, place)
    return value


def opened(body: msgspec.Raw, place: str) -> dict[str, msgspec.Raw]:
    """A list's fields, and that no key stands twice in what is not its items.

    Those are read one by one, later: to build a million pods at once for this is too much.
    """
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    items = memoryview(fields.get("items", msgspec.Raw(b"")))
    try:
        rest = msgspec.json.decode(_without(items, memoryview(body)), type=msgspec.Raw)
    except msgspec.MsgspecError:  # what looks like the items stands somewhere else, too
        rest = body
    read(rest, place)
    return fields


def _without(part: memoryview, text: memoryview) -> bytes:
    """The text with null in the place of a long part of it, where that is easy to find."""
    start = bytes(text[:_BEGINNING]).find(part[:_ENOUGH])
    if start < 0 or len(part) < _ENOUGH:
        return bytes(text)
    return bytes(text[:start]) + b"null" + bytes(text[start + len(part) :])


def _has_hidden_colons(text: bytes) -> bool:
    r"""A colon may be written `\u003a`, though nobody does."""
    return b"\\u003" in text and b"\\u003a" in text.lower()


def _search(text: bytes, place: str) -> None:
    """Object by object, the outer ones first; not recursive, since the text may be deep."""
    reader = json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=len, parse_float=len)
    try:
        todo: list[tuple[str, Any]] = [("", reader.decode(text.decode()))]
    except RecursionError:
        raise BadManifest(TOO_DEEP, try_this="look for a bracket too many", where=place) from None
    while todo:
        field, value = todo.pop()
        if isinstance(value, _Pairs):
            _check_pairs(value, f"{place}: {field}" if field else place)
            todo += ((below(field, key), each) for key, each in reversed(value))
        elif isinstance(value, list):
            todo += ((f"{field}[{at}]", each) for at, each in reversed([*enumerate(value)]))


def _check_pairs(pairs: _Pairs, where: str) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise BadManifest(
                f"the key {key!r:.60} stands twice", try_this="keep one of the two", where=where
            )
        seen.add(key)
