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

__all__ = ["TOO_DEEP", "NoJson", "documents", "is_likely", "no_json"]

TOO_DEEP: Final = "maps and lists stand too deep in each other"

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_BYTE: Final = re.compile(r"(?:JSON is malformed: )?(.*?)(?: \(byte (\d+)\))?")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


class NoJson(ValueError):
    """Where a text is no JSON: in which document, and at which character of the whole text."""

    def __init__(self, problem: str, *, number: int, place: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.number = number
        self.place = place  # line and column, where one can be told


def is_likely(text: bytes) -> bool:
    """Whether to try JSON first. YAML may begin with a brace too, so it may still be none."""
    return text.lstrip()[:1] in {b"{", b"["}


def documents(text: bytes) -> Iterator[tuple[int, msgspec.Raw]]:
    """Each value with its number, from 1. Raises NoJson where it is none.

    One value is the rule, and is not copied. Several, as `jq` and `kubectl` write them, are found
    with Python's own reader: slow, but it knows where a value ends.
    """
    try:
        yield 1, msgspec.json.decode(text, type=msgspec.Raw)
    except RecursionError:
        raise NoJson(TOO_DEEP, number=1) from None
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
            raise NoJson(TOO_DEEP, number=number) from None
        except json.JSONDecodeError as error:
            place = _place(text, error.pos)
            raise NoJson(error.msg, number=number, place=place) from None
        except ValueError as error:
            raise NoJson(str(error), number=number, place=_place(text, start)) from None
        yield number, _checked(text, start, end, number)
        start = _after_blanks(text, end)


def _checked(text: str, start: int, end: int, number: int) -> msgspec.Raw:
    """Python's reader lets pass what JSON forbids, such as half of a character."""
    inside = text[start:end].encode()
    try:
        return msgspec.json.decode(inside, type=msgspec.Raw)
    except RecursionError:
        raise NoJson(TOO_DEEP, number=number) from None
    except msgspec.MsgspecError as error:
        half = _half_character(text, start, end)
        if half is not None:
            problem = f"{text[half : half + 6]} is half of a character"
            raise NoJson(problem, number=number, place=_place(text, half)) from None
        found = _BYTE.fullmatch(str(error))
        problem, byte = found.groups() if found else (str(error), None)
        at = start + len(inside[: int(byte or 0)].decode(errors="ignore"))
        raise NoJson(problem, number=number, place=_place(text, at)) from None


def _half_character(text: str, start: int, end: int) -> int | None:
    r"""Where a `\ud800` stands without its other half: a character beyond the first 65,536 is two
    escapes, and one of them alone is nothing."""
    waits_at: int | None = None
    for found in _ESCAPE.finditer(text, start, end):
        code = int(found[1] or "0", 16)
        is_second = 0xDC00 <= code <= 0xDFFF
        if waits_at is not None and not (is_second and found.start() == waits_at + 6):
            return waits_at
        if is_second and waits_at is None:
            return found.start()
        waits_at = found.start() if 0xD800 <= code <= 0xDBFF else None
    return waits_at


def _place(text: str, at: int) -> str:
    column = at - text.rfind("\n", 0, at)
    return f"line {text.count(chr(10), 0, at) + 1}, column {column}"


def _after_blanks(text: str, start: int) -> int:
    found = _BLANK.match(text, start)
    return found.end() if found else start


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number in JSON")


def no_json(error: NoJson, *, file: str) -> errors.BadManifest:
    """What to tell about a file that claims to be JSON."""
    where = f"{file}: document {error.number}"
    return errors.BadManifest(
        f"this is no JSON: {error.problem}",
        try_this="look at that place and just before it: a comma, a bracket, a quote",
        where=f"{where}, {error.place}" if error.place else where,
    )
