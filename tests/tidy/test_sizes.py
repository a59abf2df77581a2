"""Nothing is too big to be read at once, but for what `waivers.txt` gives a reason for."""

from __future__ import annotations

import ast

import pytest
from tidy import sizes, source

MODULES = source.read("src", "tests", "tools")
WAIVERS = {
    line.split(" ", 1)[0]: line.partition(" ")[2].strip()
    for line in (source.ROOT / "tests" / "tidy" / "waivers.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
}


def findings_in(code: str) -> list[str]:
    path = source.ROOT / "src" / "fullcrew" / "made_up.py"
    module = source.Module(path, "made_up", code, ast.parse(code))
    return [what for _, what in sizes.too_big(module)]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.place)
def test_nothing_is_too_big_to_be_read_at_once(module: source.Module) -> None:
    found = [finding for finding in sizes.too_big(module) if finding[0] not in WAIVERS]

    assert found == []


def test_every_waiver_has_a_reason_and_is_still_needed() -> None:
    needed = {place for module in MODULES for place, _ in sizes.too_big(module)}

    assert [place for place, reason in WAIVERS.items() if len(reason.split()) < 3] == []
    assert WAIVERS.keys() - needed == set()


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("a = 1\n" * 401, "401 lines"),
        ("def f():\n" + "    a = 1\n" * 40, "41 lines"),
        ('def f():\n    """Why.\n\n    More.\n    """\n' + "    a = 1\n" * 40, "41 lines"),
        ("def test_it():\n" + "    a = 1\n" * 25, "26 lines"),
        ("class A:\n" + "".join(f"    def m{n}(self): ...\n" for n in range(13)), "13 public"),
        (
            "class A:\n"
            + "".join(f"    def a{n}(self): ...\n" for n in range(7))
            + "class B(A):\n"
            + "".join(f"    def b{n}(self): ...\n" for n in range(6)),
            "13 public",
        ),
        ("def f(a, b, /, c, *, d, e, g): ...", "6 parameters"),
        ("def f():\n if a:\n  for b in c:\n   with d:\n    while e:\n     pass", "4 blocks"),
        (
            "class A:\n def f(self):\n  try: pass\n  except E:\n   if a:\n    if b:\n     if c: d",
            "4",
        ),
        (f"a = {'1' * 97}", "101 columns"),
    ],
)
def test_it_sees_what_is_too_big(code: str, what: str) -> None:
    assert [found for found in findings_in(code) if what in found]


@pytest.mark.parametrize(
    "code",
    [
        "a = 1\n" * 400,
        "def f():\n" + "    a = 1\n" * 39,
        'def f():\n    """Why.\n\n    More.\n    """\n' + "    a = 1\n" * 39,
        "class A:\n" + "".join(f"    def _m{n}(self): ...\n" for n in range(13)),
        "def f(self, a, b, c, *d, e, g, **h): ...",
        "def f():\n if a: b\n elif c: d\n elif e: g\n elif h: i\n else: j",
        "def f():\n if a:\n  if b:\n   def g():\n    if c:\n     if d: e",
    ],
)
def test_it_lets_pass_what_is_at_the_limit(code: str) -> None:
    assert findings_in(code) == []
