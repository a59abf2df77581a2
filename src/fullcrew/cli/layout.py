"""Text for a terminal as values: lines of spans, columns, wrapped sentences. Nothing is printed.

A line is laid out for a width before anybody knows whether it will have colours, so that a
terminal, a pipe and a golden file show the same text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from textwrap import TextWrapper
from typing import Final, NamedTuple

__all__ = ["Line", "Span", "as_text", "cells", "columns", "counted", "flat", "printable", "wrapped"]

NARROWEST: Final = 40  # below it, lines are rather too long than unreadable
GAP: Final = "  "


class Span(NamedTuple):
    """A piece of a line. `style` is a word or two that rich knows, as `bold green`."""

    text: str
    style: str = ""


Line = tuple[Span, ...]  # a line of output, without its end


def printable(text: str) -> str:
    """The text with whatever could move a cursor or end a line shown as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def as_text(lines: Iterable[Line]) -> str:
    """Without colours; no line ends in blanks."""
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def columns(head: Line, rows: Iterable[Line], *, right: frozenset[int] = frozenset()) -> list[Line]:
    """A table without rules, each column as wide as its widest cell; `right` are set flush right.

    The last column is not padded. Cells keep their style.
    """
    table = [_printable(head), *(_printable(row) for row in rows)]
    widths = [max(cells(row[at].text) for row in table) for at in range(len(head))]
    last = len(head) - 1
    return [
        tuple(
            _set(span, widths[at], is_right=at in right, is_last=at == last)
            for at, span in enumerate(row)
        )
        for row in table
    ]


def wrapped(text: str, *, width: int, indent: int = 2) -> Iterator[Line]:
    """A sentence over as many lines as it needs. Names are never cut at their dashes."""
    blanks = " " * indent
    wrapper = TextWrapper(
        width=max(width, NARROWEST),
        initial_indent=blanks,
        subsequent_indent=blanks,
        break_on_hyphens=False,
        break_long_words=False,
    )
    for line in wrapper.wrap(printable(text)):
        yield (Span(line),)


def cells(text: str) -> int:
    """How many places of a terminal the text takes: two for each wide character."""
    if text.isascii():
        return len(text)
    return sum(_cells_of(character) for character in text)


def counted(number: int, word: str) -> str:
    """`1 pod`, `2 pods`."""
    return f"{number} {word if number == 1 else f'{word}s'}"


def _cells_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"F", "W"} else 1


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _printable(row: Line) -> Line:
    return tuple(Span(printable(span.text), span.style) for span in row)


def _set(span: Span, width: int, *, is_right: bool, is_last: bool) -> Span:
    blanks = " " * (width - cells(span.text))
    before, after = (blanks, "") if is_right else ("", blanks)
    return Span(before + span.text if is_last else before + span.text + after + GAP, span.style)


def flat(blocks: Iterable[Sequence[Line]]) -> list[Line]:
    """Blocks of lines with an empty line between each two of them."""
    found: list[Line] = []
    for block in blocks:
        if not block:
            continue
        if found:
            found.append(())
        found.extend(block)
    return found
