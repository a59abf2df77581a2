"""A pure package cannot reach the outside, and the check for it sees each way out."""

from __future__ import annotations

import ast

import pytest
from tidy import layers, purity, source

PURE = [m for m in source.read("src") if m.package and layers.LAYERS[m.package].is_pure]


@pytest.mark.parametrize("module", PURE, ids=lambda module: module.place)
def test_a_pure_module_cannot_reach_the_outside(module: source.Module) -> None:
    found = list(purity.sins(module.tree))

    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "datetime.datetime.now()",
        "from datetime import datetime as dt\nclock = dt.now",
        "clock = date.today",
        "moment.astimezone()",
        "np.random.default_rng()",
        "from numpy import random",
        "import numpy.random as chance",
        "os.environ['A']",
        "os.getenv('A')",
        "open('f')",
        "np.load('f')",
        "column.tofile('f')",
        "print('x')",
        "input()",
        "eval('1')",
        "__import__('os')",
        "hash('a')",
        "'a'.__hash__()",
        "id(room)",
        "globals()['a'] = 1",
    ],
)
def test_it_sees_a_reach_outside(code: str) -> None:
    assert list(purity.sins(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    global seen\n    seen = 1",
        "SEEN = {}",
        "SEEN: dict[str, int] = {}",
        "SEEN = defaultdict(list)",
        "SEEN = set()",
        "NUMBERS = itertools.count()",
        "class A:\n    seen: ClassVar[list[int]] = []",
        "class A:\n    seen = []",
        "@functools.cache\ndef f(): ...",
        "from functools import lru_cache",
        "KNOWN = {'a': 1}\ndef f():\n    KNOWN['b'] = 2",
        "KNOWN = ['a']\ndef f():\n    KNOWN.append('b')",
        "KNOWN = ['a']\ndef f():\n    del KNOWN[0]",
        "TURN = make()\ndef f():\n    return next(TURN)",
        "SETTINGS = make()\ndef f():\n    SETTINGS.size = 2",
    ],
)
def test_it_sees_state_that_outlives_the_call(code: str) -> None:
    assert list(purity.sins(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "for name in set(names): use(name)",
        "for name in {'a', 'b'}: use(name)",
        "for name in frozenset(a) - b: use(name)",
        "[name for name in {n for n in names}]",
        "list(set(names))",
        "', '.join(set(names))",
        "dict.fromkeys(set(names))",
        "(*set(names),)",
    ],
)
def test_it_sees_an_order_that_a_set_decides(code: str) -> None:
    assert list(purity.sins(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "snapshot.now",
        "plan(now=snapshot.now)",
        "datetime.fromisoformat(text).timestamp()",
        "KNOWN = {'a': 1}\nfound = KNOWN['a']",
        "WORDS = frozenset({'a'})",
        "TIMES = 'abc'.count('a')",
        "class A(Struct):\n    labels: dict[str, str] = {}",
        "KNOWN = ['a']\ndef f(KNOWN):\n    KNOWN.append('b')",
        "def f():\n    found = []\n    found.append(1)\n    return found",
        "for name in sorted(set(names)): use(name)",
        "{name for name in set(names)}",
        "any(name in a for name in set(names))",
    ],
)
def test_it_lets_pass_what_is_pure(code: str) -> None:
    assert list(purity.sins(ast.parse(code))) == []
