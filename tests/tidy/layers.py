"""Which of our packages each may use, which of others, and which are pure. This copy is the judge.

From the bottom up, as docs/concepts/architecture.md draws them; a package that is not built yet
costs nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidy.source import these

__all__ = ["LAYERS", "PURE_STANDARD_LIBRARY", "Layer"]


@dataclass(frozen=True, slots=True)
class Layer:
    """A row of the table: our packages by name, others' by the name that is imported."""

    ours: frozenset[str]
    others: frozenset[str] = frozenset()
    is_pure: bool = False


def _pure(ours: str = "", *, others: str = "") -> Layer:
    return Layer(these(ours), these(others), is_pure=True)


def _shell(ours: str, *, others: str = "") -> Layer:
    return Layer(these(ours), these(others))


_BELOW_RUN = (
    "errors model room core policies objects dialects state launch config jobs client kube"
    " apiserver nodes"
)
_BELOW_CLI = f"{_BELOW_RUN} run sim"

LAYERS = {
    "errors": _pure(),
    "model": _pure("errors"),
    "room": _pure("model errors", others="numpy"),
    "core": _pure("room model errors", others="numpy"),
    "policies": _pure("core room model errors", others="numpy"),
    "objects": _pure("model errors", others="msgspec"),
    "dialects": _pure("objects model errors", others="msgspec"),
    "state": _pure("dialects objects room model errors", others="numpy"),
    "launch": _pure("room dialects objects model errors"),
    "config": _shell("policies core room model errors", others="yaml"),
    "jobs": _pure("dialects objects model errors", others="msgspec"),
    "client": _shell("objects errors", others="msgspec yaml"),
    "kube": _shell(
        "client launch objects dialects room model errors",
        others="aiohttp multidict msgspec yaml yarl",  # two of them are aiohttp's own words
    ),
    "apiserver": _shell("objects errors", others="aiohttp cryptography msgspec"),
    "nodes": _shell("kube objects errors", others="aiohttp msgspec"),
    "run": _shell(_BELOW_RUN, others="aiohttp msgspec prometheus_client uvloop"),
    "sim": _shell(f"{_BELOW_RUN} run", others="msgspec numpy yaml"),
    "cli": _shell(_BELOW_CLI, others="click msgspec rich uvloop yaml"),
    "web": _shell(_BELOW_CLI, others="aiohttp jinja2 msgspec"),
}

# What a pure package may take from Python itself. A list of what it may, so that `logging`, `os`,
# `random`, `socket`, `sys`, `time` and `warnings` are out by not being in it.
PURE_STANDARD_LIBRARY = these(
    """
    __future__ abc array base64 binascii bisect collections contextlib dataclasses datetime decimal
    difflib enum fractions functools graphlib hashlib heapq ipaddress itertools json math numbers
    operator re statistics string struct textwrap types typing unicodedata urllib.parse zlib
    """
)
