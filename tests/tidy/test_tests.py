"""Tests wait for no clock, patch nothing and hide nothing.

On a loop of virtual time a sleep costs nothing and is how a story goes on; there it is let pass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest
from tidy import source

MODULES = source.read("tests")
BUT_FOR_TIDY = [module for module in MODULES if "tests/tidy/" not in module.place]


VIRTUAL = ("virtual_time", "run.virtual")  # whose `run` plays a coroutine in virtual time


def dotted(module: source.Module) -> str:
    """The name by which tests import a module of tests."""
    parts = module.path.relative_to(source.ROOT / "tests").with_suffix("").parts
    return ".".join(parts)


@cache
def imports() -> dict[str, frozenset[str]]:
    """Of each module of tests, which others it imports."""
    names = frozenset(map(dotted, MODULES))
    return {
        dotted(module): frozenset(
            part for _, told in source.imported(module) for part in _ways_down(told)
        )
        & names
        for module in MODULES
    }


def _ways_down(name: str) -> Iterator[str]:
    """Of `a.b.c` all that it may be in: `a`, `a.b`, `a.b.c`."""
    parts = name.split(".")
    yield from (".".join(parts[:at]) for at in range(1, len(parts) + 1))


def is_in_virtual_time(name: str) -> bool:
    """Whether it imports such a loop, by whatever way, or plays a part for what does."""
    users = (user for user, imported in imports().items() if name in imported)
    return _reaches(name) or any(_reaches(user) for user in users)


def _reaches(name: str) -> bool:
    seen: set[str] = set()
    ahead = [name]
    while ahead:
        at = ahead.pop()
        ahead += imports().get(at, frozenset()) - seen
        seen.add(at)
    return not seen.isdisjoint(VIRTUAL)


def sleeps(tree: ast.AST) -> Iterator[int]:
    """Lines that wait by the clock; `asyncio.sleep(0)` only lets others go first."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="sleep"), args=[ast.Constant(value=0)]):
                continue
            case ast.Call(func=ast.Attribute(attr="sleep") | ast.Name(id="sleep")):
                yield node.lineno


def patches(tree: ast.AST) -> Iterator[int]:
    """Lines that put something else in the place of what is tested."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr="setattr" | "setitem", value=ast.Name(id="monkeypatch")):
                yield node.lineno
            case ast.ImportFrom(module="unittest.mock") | ast.alias(name="unittest.mock"):
                yield node.lineno
            case ast.Attribute(attr="mock", value=ast.Name(id="unittest")):
                yield node.lineno


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.place)
def test_no_test_waits_by_the_clock(module: source.Module) -> None:
    waits = list(sleeps(module.tree))

    assert waits == [] or is_in_virtual_time(dotted(module))


@pytest.mark.parametrize("module", BUT_FOR_TIDY, ids=lambda module: module.place)
def test_no_test_patches_what_it_tests(module: source.Module) -> None:
    assert list(patches(module.tree)) == []


@pytest.mark.parametrize("code", ["time.sleep(1)", "sleep(0.1)", "asyncio.sleep(delay)"])
def test_a_sleep_is_seen(code: str) -> None:
    assert list(sleeps(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["monkeypatch.setattr(a, 'b', c)", "from unittest.mock import patch"]
)
def test_a_patch_is_seen(code: str) -> None:
    assert list(patches(ast.parse(code)))


def test_who_uses_a_loop_of_virtual_time_is_known() -> None:
    names = {dotted(module) for module in MODULES}

    assert names >= set(VIRTUAL)
    assert is_in_virtual_time("kube.test_lease")
    assert not is_in_virtual_time("tidy.test_tests")


def test_giving_way_is_no_sleep() -> None:
    assert list(sleeps(ast.parse("asyncio.sleep(0)"))) == []
