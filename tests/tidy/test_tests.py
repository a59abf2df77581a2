"""Tests wait for no clock, judge by none, patch nothing and hide nothing.

On a loop of virtual time a sleep costs nothing and is how a story goes on; there it is let pass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache

import pytest
from tidy import aliases, source

MODULES = source.read("tests")
BUT_FOR_TIDY = [module for module in MODULES if "tests/tidy/" not in module.place]


CLOCKS = source.these("time monotonic perf_counter process_time")
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
    known = aliases.imported_as(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="sleep"), args=[ast.Constant(value=0)]):
                continue
            case ast.Call(func=func) if aliases.full(func, known).split(".")[-1] == "sleep":
                yield node.lineno
            case ast.Call(func=ast.Attribute(value=ast.Call(func=made), attr="wait")) if (
                aliases.full(made, known).endswith(("Event", "Condition"))
            ):  # nobody else has it, so it only ends by the clock
                yield node.lineno


def patches(tree: ast.AST) -> Iterator[int]:
    """Lines that put something else in the place of what is tested."""
    known = aliases.imported_as(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr="setattr" | "setitem" | "delattr" | "delitem"):
                yield node.lineno
            case ast.Call(func=func) if aliases.full(func, known).endswith("MonkeyPatch"):
                yield node.lineno
            case ast.ImportFrom(module="unittest.mock") | ast.alias(name="unittest.mock"):
                yield node.lineno
            case ast.ImportFrom(module="unittest", names=names) if "mock" in {
                n.name for n in names
            }:
                yield node.lineno
            case ast.Attribute(attr="mock", value=ast.Name(id="unittest")):
                yield node.lineno
            case ast.Name(id="mocker") | ast.arg(arg="mocker"):
                yield node.lineno


def asserts_of_wall_time(tree: ast.AST) -> Iterator[int]:
    """Lines that say how long something may take: true on one machine, and not on the next."""
    known = aliases.imported_as(tree)
    for function in (node for node in ast.walk(tree) if isinstance(node, source.FUNCTION)):
        read: set[str] = set()
        for node in sorted(ast.walk(function), key=lambda each: getattr(each, "lineno", 0)):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_timed(
                    value, known, read
                ):
                    read.add(name)
                case ast.Assert(test=ast.expr() as test) if _is_timed(test, known, read):
                    yield node.lineno


def _is_timed(node: ast.AST, known: Mapping[str, str], read: set[str]) -> bool:
    """Whether a reading of the clock is in it, or what was made of one."""
    parts = list(ast.walk(node))
    calls = (aliases.full(part.func, known) for part in parts if isinstance(part, ast.Call))
    return any(isinstance(part, ast.Name) and part.id in read for part in parts) or any(
        name.removesuffix("_ns").removeprefix("time.") in CLOCKS and name.startswith("time.")
        for name in calls
    )


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.place)
def test_no_test_waits_by_the_clock(module: source.Module) -> None:
    waits = list(sleeps(module.tree))

    assert waits == [] or is_in_virtual_time(dotted(module))


@pytest.mark.parametrize("module", BUT_FOR_TIDY, ids=lambda module: module.place)
def test_no_test_patches_what_it_tests(module: source.Module) -> None:
    assert list(patches(module.tree)) == []


@pytest.mark.parametrize("module", BUT_FOR_TIDY, ids=lambda module: module.place)
def test_no_test_asserts_wall_time(module: source.Module) -> None:
    assert list(asserts_of_wall_time(module.tree)) == []


@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(1)",
        "sleep(0.1)",
        "asyncio.sleep(delay)",
        "from time import sleep as nap\nnap(1)",
        "import time as t\nt.sleep(1)",
        "from threading import Event\nEvent().wait(2)",
        "threading.Event().wait(timeout=2)",
    ],
)
def test_a_sleep_is_seen(code: str) -> None:
    assert list(sleeps(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "monkeypatch.setattr(a, 'b', c)",
        "patch = monkeypatch\npatch.setattr(a, 'b', c)",
        "monkeypatch.delitem(a, 'b')",
        "pytest.MonkeyPatch().setenv('A', 'b')",
        "from pytest import MonkeyPatch as Patch\nwith Patch() as it: it.undo()",
        "from unittest.mock import patch",
        "from unittest import mock",
        "from unittest import mock as m",
        "import unittest.mock as m",
        "import unittest\nunittest.mock.patch('a')",
        "def test_it(mocker): mocker.patch('a')",
    ],
)
def test_a_patch_is_seen(code: str) -> None:
    assert list(patches(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    at = time.monotonic()\n    act()\n    assert time.monotonic() - at < 1",
        "def f():\n    at = perf_counter()\n    took = perf_counter() - at\n    assert took < 1",
        "from time import monotonic_ns as now\ndef f():\n    assert now() - at < 1",
        "import time as t\ndef f():\n    a = t.time()\n    b = a + 1\n    assert done <= b",
    ],
)
def test_an_assert_of_wall_time_is_seen(code: str) -> None:
    assert list(asserts_of_wall_time(ast.parse(f"from time import perf_counter\n{code}")))


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    ends = time.monotonic() + 1\n    while time.monotonic() < ends: act()",
        "def f():\n    now = loop.time()\n    assert now == 3",
        "def f(clock):\n    assert clock.time() == 3",
        "def f(time):\n    plan(now=time.time())\n    assert plan",
    ],
)
def test_a_wait_with_an_end_and_a_clock_of_ones_own_are_let_pass(code: str) -> None:
    assert list(asserts_of_wall_time(ast.parse(code))) == []


def test_who_uses_a_loop_of_virtual_time_is_known() -> None:
    names = {dotted(module) for module in MODULES}

    assert names >= set(VIRTUAL)
    assert is_in_virtual_time("kube.test_lease")
    assert not is_in_virtual_time("tidy.test_tests")


def test_giving_way_is_no_sleep() -> None:
    assert list(sleeps(ast.parse("asyncio.sleep(0)"))) == []
