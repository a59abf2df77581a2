"""docs/errors.md, rendered from the tree of errors itself, so that it cannot fall behind."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from fullcrew import errors
from fullcrew.errors import FullcrewError

__all__ = ["page", "tree"]

_HEAD = """# Errors

Every error says where it is, what is wrong and what to try; a script reads the exit code. This
page is rendered from `fullcrew.errors` (`make accept`).

| exit code | when |
|---|---|
| 0 | It is done; a gang that waits is no error. |
| 1 | Anything else that Fullcrew itself refuses. |
"""
_GIVEN_BY_THE_RAISER = {"problem", "try_this"}


def page() -> str:
    """The whole page."""
    return "\n".join([_HEAD.rstrip("\n"), *_codes(), "", *_sections()])


def tree() -> list[str]:
    """The classes as they are drawn at the top of `fullcrew.errors`: indentation and name."""
    return ["  " * depth + kind.__name__ for depth, kind in _walk(FullcrewError, depth=0)]


def _walk(kind: type[FullcrewError], *, depth: int) -> Iterator[tuple[int, type[FullcrewError]]]:
    yield depth, kind
    ours = [below for below in kind.__subclasses__() if below.__module__ == errors.__name__]
    for below in ours:
        yield from _walk(below, depth=depth + 1)


def _codes() -> Iterator[str]:
    """The branches, which have the codes, and the one code that is no error of ours."""
    branches = [kind for depth, kind in _walk(FullcrewError, depth=0) if depth == 1]
    for kind in branches:
        yield f"| {kind.exit_code} | {_told(kind)} (`{kind.__name__}`) |"
    yield f"| {errors.INTERRUPTED} | You interrupted it. |"


def _sections() -> Iterator[str]:
    for depth, kind in _walk(FullcrewError, depth=0):
        if depth == 0:
            continue
        yield f"{'#' * (depth + 1)} {kind.__name__}"
        yield ""
        yield f"{_told(kind)} Exit code {kind.exit_code}."
        yield ""
        yield from _message(kind)


def _told(kind: type[FullcrewError]) -> str:
    return " ".join((inspect.getdoc(kind) or "").split())


def _message(kind: type[FullcrewError]) -> Iterator[str]:
    """How it reads, made with its parameters' names in capitals; nothing where it is free text."""
    wanted = inspect.signature(kind).parameters
    if wanted.keys() >= _GIVEN_BY_THE_RAISER:
        return
    required = [one for one in wanted.values() if one.default is inspect.Parameter.empty]
    positional: list[Any] = [_word(one) for one in required if one.kind is not one.KEYWORD_ONLY]
    last = [one for one in required if one.kind is one.KEYWORD_ONLY]
    named: dict[str, Any] = {one.name: _word(one) for one in last}
    yield "```text"
    yield str(kind(*positional, **named))
    yield "```"
    yield ""


def _word(parameter: inspect.Parameter) -> str | list[str]:
    word = parameter.name.upper()
    return [word] if "Iterable" in str(parameter.annotation) else word
