"""How a place inside an object is written, the same in every message: `spec.containers[0].name`."""

from __future__ import annotations

import re

__all__ = ["below"]

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
_LONGEST_KEY = 63  # of a label's name; a longer key is somebody's mistake and is not repeated whole


def below(place: str, key: str) -> str:
    """The place of a field or of a map's entry; keys with dots or slashes stand in brackets."""
    shown = key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}..."
    if not _PLAIN.fullmatch(shown):
        return f"{place}[{shown if shown.isprintable() else ascii(shown)[1:-1]}]"
    return f"{place}.{shown}" if place else shown
