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
        "__builtins__['open']('f')",
        "np.datetime64('now')",
        "column.astype('datetime64[s]')",
        "np.array(['today'], dtype='M8[D]')",
        "np.ctypeslib.load_library('libc', '/')",
        "import numpy.ctypeslib as c",
        "import datetime as d\nclock = d.datetime.now",
    ],
)
def test_it_sees_a_reach_outside(code: str) -> None:
    assert list(purity.sins(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "import enum\nenum.sys.modules['time'].time()",
        "import dataclasses as dc\ndc.sys.stdout.write('x')",
        "import re\nre.functools.lru_cache()",
        "import collections\ncollections.abc.sys",
        "import numpy as np\nnp.testing.assert_equal(a, b)",
        "from enum import sys as still",
        "from json import decoder",
    ],
)
def test_it_sees_a_module_that_is_reached_through_another(code: str) -> None:
    assert list(purity.sins(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "from operator import attrgetter\nattrgetter('random')(np)",
        "import operator as o\no.attrgetter('ctypeslib.ctypes')(np)",
        "from operator import methodcaller\nmethodcaller('now')(clock)",
        "from operator import attrgetter as take\ntake(word)(np)",
        "getattr(np, 'random')",
        "getattr(clock, 'now')()",
        "import enum\ngetattr(enum, 'sys')",
        "import numpy as np\ngetattr(np, 'ran' + 'dom')",
    ],
)
def test_it_sees_an_attribute_that_is_named_by_a_text(code: str) -> None:
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
        "import functools as ft\n@ft.cache\ndef f(): ...",
        "from functools import lru_cache",
        "KNOWN = {'a': 1}\ndef f():\n    KNOWN['b'] = 2",
        "KNOWN = ['a']\ndef f():\n    KNOWN.append('b')",
        "KNOWN = ['a']\ndef f():\n    del KNOWN[0]",
        "TURN = make()\ndef f():\n    return next(TURN)",
        "SETTINGS = make()\ndef f():\n    SETTINGS.size = 2",
        "SETTINGS = make()\ndef f():\n    SETTINGS.sizes['a'] = 2",
        "SETTINGS = make()\ndef f():\n    SETTINGS.sizes.append(2)",
        "def _turn(): ...\ndef f():\n    _turn.n = 1",
        "class _K:\n    n = 0\ndef f():\n    _K.n += 1",
        "class _K:\n    def f(self):\n        _K.n += 1",
        "class A:\n    def f(self):\n        type(self).n += 1",
        "class A:\n    @classmethod\n    def f(cls):\n        cls.n = 1",
        "def _turn(): ...\ndef f():\n    setattr(_turn, 'n', 1)",
        "from fullcrew import core\ndef f():\n    core.LIMIT = 2",
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
        "set(names).pop()",
        "max({'a', 'b'}, key=len)",
        "sorted(set(names), key=len)",
        "heapq.nsmallest(2, set(names), key=len)",
        "def f(b):\n    seen = set(b)\n    return list(seen)",
        "def f(b):\n    seen = set(b)\n    for name in seen: use(name)",
        "def f(b):\n    seen = set(b)\n    return seen.pop()",
        "def f(b: frozenset[str]):\n    return [name for name in b]",
        "def f(b):\n    seen: set[str] = b.names\n    return min(seen, key=len)",
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
        "max(set(names))",
        "def f(b: set[str]):\n    return sorted(b)",
        "def f(b):\n    seen = set(b)\n    seen = sorted(seen)\n    return list(seen)",
        "def f(b):\n    waiting = list(b)\n    return waiting.pop()",
        "import collections.abc\ncollections.abc.Mapping",
        "import numpy as np\nimport numpy.typing as npt\nnp.add(npt.NDArray, 1)",
        "from operator import attrgetter\nsorted(gangs, key=attrgetter('order'))",
        "from fullcrew import core\ncore.plan(snapshot)",
        "class A:\n    def f(self):\n        self.n = 1",
        "getattr(old, name) != getattr(new, name)",
    ],
)
def test_it_lets_pass_what_is_pure(code: str) -> None:
    assert list(purity.sins(ast.parse(code))) == []
