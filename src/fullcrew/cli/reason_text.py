"""A reason in lines of a terminal: its sentence, and below it what that has not said yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fullcrew.cli import layout
from fullcrew.cli.layout import Line
from fullcrew.model.reason import Reason

__all__ = ["chain", "sentence"]

_MOST_IN_THE_WAY: Final = 5
_MOST_DEPTH: Final = 4
_STEP: Final = 2  # cells that a cause is indented below the one it explains


def sentence(cause: Reason) -> str:
    """One reason without those below it: its stage, what it says, and who is in the way."""
    return f"{cause.stage}: {cause.message}{_behind(cause.in_the_way)}"


def chain(cause: Reason, *, width: int, indent: int, depth: int = 1) -> Iterator[Line]:
    """The causes below a reason. Where its own sentence took one in, it is not said again."""
    if depth > _MOST_DEPTH:
        return
    for child in cause.children:
        if child.message not in cause.message:
            yield from layout.wrapped(sentence(child), width=width, indent=indent)
        yield from chain(child, width=width, indent=indent + _STEP, depth=depth + 1)


def _behind(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    rest = len(names) - _MOST_IN_THE_WAY
    more = f" and {rest} more" if rest > 0 else ""
    return f" (behind {', '.join(names[:_MOST_IN_THE_WAY])}{more})"
