"""Puts answers on standard output: colours for a terminal that wants them, plain text elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import click
import msgspec

from fullcrew import errors
from fullcrew.cli import layout
from fullcrew.cli.layout import Line

__all__ = ["FORMATS", "draw", "put", "width", "write"]

# What `-o` takes wherever a command has it.
FORMATS: Final = ("table", "json", "yaml")

_WIDTH: Final = 100  # where there is no terminal to ask


def width() -> int:
    """How wide to lay out: COLUMNS, else the terminal's, else a usual one."""
    return shutil.get_terminal_size((_WIDTH, 24)).columns


def draw(lines: Sequence[Line]) -> None:
    """Lines for people. rich is imported only where there are colours to draw."""
    if not _has_colours():
        put(layout.as_text(lines).encode(_encoding(), "backslashreplace"))
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import, and most output is plain
    from rich.text import Text  # noqa: PLC0415

    console = Console(soft_wrap=True, markup=False, highlight=False, emoji=False)
    with _told_if_lost():
        for line in lines:
            console.print(Text.assemble(*line))


def write(answer: Mapping[str, Any], form: str) -> None:
    """An answer for scripts, as JSON or YAML, always in UTF-8."""
    if form == "json":
        put(msgspec.json.format(msgspec.json.encode(answer), indent=2) + b"\n")
        return
    import yaml  # noqa: PLC0415 - for those who ask for it

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    told: bytes = yaml.dump(
        answer, Dumper=dumper, sort_keys=False, allow_unicode=True, encoding="utf-8", width=4096
    )
    put(told)


def put(text: bytes) -> None:
    """The whole text, as it is."""
    with _told_if_lost():
        if sys.stdout is None:  # a shell closed it, and click would write nowhere and be content
            raise OSError("standard output is closed")
        click.echo(text, nl=False)


@contextmanager
def _told_if_lost() -> Iterator[None]:
    """A disk that is full is an error for users; a reader that went away is none, and click's."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise errors.FullcrewError(
            f"the answer cannot be written: {error.strerror or error}",
            try_this="look at where standard output leads: a full disk, a file that is closed",
        ) from None


def _has_colours() -> bool:
    is_wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return is_wanted and sys.stdout is not None and sys.stdout.isatty()


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"
