"""Logs are events with fields: one line each, for people or as JSON, on standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import TextIO

import msgspec

__all__ = ["Field", "Log"]

MOST_REMEMBERED = 1000
REPEATED_SECONDS = 3600.0
"""A warning that stays true is told again, so that a log of the last hours has it."""

# What stands beside an event.
Field = str | int | float | bool | None
_Fields = frozenset[tuple[str, Field]]

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@+,=%")


class Log:
    """Writes what happens. `verbosity` 0 tells decisions, 1 each gang, 2 each request's fate."""

    def __init__(
        self,
        stream: TextIO,
        *,
        form: str = "human",
        verbosity: int = 0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._stream = stream
        self._is_json = form == "json"
        self._verbosity = verbosity
        self._clock = clock
        self._told: dict[tuple[str, _Fields], float] = {}  # when last

    def say(self, event: str, **fields: Field) -> None:
        """Always written."""
        self._write("info", event, fields)

    def warn(self, event: str, **fields: Field) -> None:
        """Something that a person should look at."""
        self._write("warning", event, fields)

    def once(self, event: str, /, same: Collection[str] = (), **fields: Field) -> None:
        """A warning that is told once an hour while its fields stay the same: all of them, or only
        those that are named."""
        told = [(name, value) for name, value in fields.items() if not same or name in same]
        key, now = (event, frozenset(told)), self._clock()
        if now < self._told.get(key, float("-inf")) + REPEATED_SECONDS:
            return
        if len(self._told) >= MOST_REMEMBERED:  # rather twice than never
            self._told.clear()
        self._told[key] = now
        self.warn(event, **fields)

    def ended(self, event: str, /, **fields: Field) -> None:
        """What `once` told is over, where it had these fields: should it come again, it is news."""
        over = frozenset(fields.items())
        found = [key for key in self._told if key[0] == event and over <= key[1]]
        for key in found:
            del self._told[key]

    def detail(self, level: int, event: str, **fields: Field) -> None:
        """Written where somebody asked for so much."""
        if level <= self._verbosity:
            self._write("debug", event, fields)

    def _write(self, level: str, event: str, fields: dict[str, Field]) -> None:
        moment = datetime.fromtimestamp(self._clock(), UTC)
        told = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        if self._is_json:
            line = msgspec.json.encode({"time": told, "level": level, "event": event, **fields})
            text = line.decode()
        else:
            mark = "" if level == "info" else f"{level}: "
            text = " ".join([told, f"{mark}{event}", *_pairs(fields)])
        self._stream.write(f"{text}\n")
        self._stream.flush()


def _pairs(fields: dict[str, Field]) -> list[str]:
    return [f"{name}={_quoted(value)}" for name, value in fields.items()]


def _quoted(value: Field) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    text = str(value)
    return text if text and _PLAIN.issuperset(text) else msgspec.json.encode(text).decode()
