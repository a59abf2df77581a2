"""JSON as it lies in files: one object, or several one after the other, each left as its bytes.

What is in them is read later, straight into structs; here they are only told apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NoReturn

import msgspec

from fullcrew import errors

__all__ = ["documents", "is_likely", "no_json"]

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_TOO_DEEP: Final = "maps and lists stand too deep in each other"


def is_likely(text: bytes) -> bool:
    """Whether to try JSON first. YAML may begin with a brace too, so it may still be none."""
    return text.lstrip()[:1] in {b"{", b"["}


def documents(text: bytes) -> Iterator[tuple[int, msgspec.Raw]]:
    """Each value with its number, from 1. Raises ValueError, with the place, where it is no JSON.

    One value is the rule, and is not copied. Several, as `jq` and `kubectl` write them, are found
    with Python's own reader: slow, but it knows where a value ends.
    """
    try:
        yield 1, msgspec.json.decode(text, type=msgspec.Raw)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except msgspec.MsgspecError:
        yield from _several(text.decode())


def _several(text: str) -> Iterator[tuple[int, msgspec.Raw]]:
    reader = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_no_number)
    number, start = 0, _after_blanks(text, 0)
    while start < len(text):
        number += 1
        try:
            _, end = reader.raw_decode(text, start)
        except RecursionError:
            raise ValueError(_TOO_DEEP) from None
        yield number, _checked(text[start:end].encode())
        start = _after_blanks(text, end)


def _checked(text: bytes) -> msgspec.Raw:
    """Python's reader lets pass what JSON forbids, such as line ends inside of strings."""
    try:
        return msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None


def _after_blanks(text: str, start: int) -> int:
    found = _BLANK.match(text, start)
    return found.end() if found else start


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number in JSON")


def no_json(error: ValueError, *, file: str) -> errors.BadManifest:
    """What to tell about a file that claims to be JSON."""
    where, problem = file, str(error)
    if isinstance(error, json.JSONDecodeError):
        where = f"{file}: line {error.lineno}, column {error.colno}"
        problem = error.msg
    return errors.BadManifest(
        f"this is no JSON: {problem}",
        try_this="look at that place and just before it: a comma, a bracket, a quote",
        where=where,
    )
