"""Each package uses only what is below it, and of other people's packages only its own few."""

from __future__ import annotations

import ast
import sys

import pytest
from tidy import layers, source

OURS = source.read("src")

each_module = pytest.mark.parametrize("module", OURS, ids=lambda module: module.place)


def beyond(module: source.Module) -> list[str]:
    """The imports of a module that its row in the table does not grant."""
    return [
        f"line {line}: {name}"
        for line, name in source.imported(module)
        if not is_granted(name, to=module)
    ]


def is_granted(name: str, *, to: source.Module) -> bool:
    top, _, rest = name.partition(".")
    if not to.package:  # the top of `fullcrew`: its version, and the way to the command line
        return top == "__future__" or name.startswith("fullcrew.cli.main")
    layer = layers.LAYERS[to.package]
    if top == "fullcrew":
        return rest.split(".")[0] in {*layer.ours, to.package, "__version__"}
    if top in sys.stdlib_module_names:
        listed = {top, ".".join(name.split(".")[:2])} & layers.PURE_STANDARD_LIBRARY
        return bool(listed) or not layer.is_pure
    return top in layer.others


def written(code: str, *, package: str) -> source.Module:
    path = source.ROOT / "src" / "fullcrew" / package / "made_up.py"
    return source.Module(path, package, code, ast.parse(code))


def test_every_package_has_its_place_among_the_layers() -> None:
    assert set(source.packages()) <= layers.LAYERS.keys()


def test_a_layer_uses_only_layers_below_it() -> None:
    order = list(layers.LAYERS)

    upward = {
        name: layer.ours - set(order[: order.index(name)]) for name, layer in layers.LAYERS.items()
    }

    assert {name for name, above in upward.items() if above} == set()


@each_module
def test_a_module_imports_only_what_is_below_it(module: source.Module) -> None:
    assert beyond(module) == []


@pytest.mark.parametrize(
    ("package", "code"),
    [
        ("model", "from fullcrew import room"),
        ("model", "import fullcrew.room.ledger"),
        ("model", "from fullcrew.room import Room"),
        ("model", "from ..room import Room"),
        ("model", "if TYPE_CHECKING:\n    from fullcrew.room import Room"),
        ("model", "def late():\n    from fullcrew.room import Room"),
        ("model", "import numpy as np"),
        ("objects", "import numpy as np"),
        ("core", "import msgspec"),
        ("core", "import logging"),
        ("core", "import time"),
        ("core", "import urllib.request"),
        ("launch", "import asyncio"),
        ("kube", "from fullcrew import core"),
        ("kube", "import click"),
        ("run", "import rich"),
        ("run", "import numpy"),
        ("cli", "import aiohttp"),
        ("config", "importlib.import_module('fullcrew.kube')"),
    ],
)
def test_it_sees_an_import_that_the_table_does_not_grant(package: str, code: str) -> None:
    assert beyond(written(code, package=package))


@pytest.mark.parametrize(
    ("package", "code"),
    [
        ("core", "import numpy as np\nfrom fullcrew.room.ledger import Room"),
        ("core", "from . import order\nfrom ..model import reason"),
        ("objects", "from urllib.parse import unquote"),
        ("kube", "import asyncio, aiohttp"),
        ("cli", "from fullcrew import __version__, core"),
    ],
)
def test_it_lets_pass_what_the_table_grants(package: str, code: str) -> None:
    assert beyond(written(code, package=package)) == []


@each_module
def test_nobody_takes_what_another_package_keeps_private(module: source.Module) -> None:
    taken = [
        f"line {line}: {name}"
        for line, name in source.imported(module)
        if name.startswith("fullcrew.")
        and name.split(".")[1] not in {module.package, "__version__"}
        and any(part.startswith("_") for part in name.split("."))
    ]

    assert taken == []


@each_module
def test_rich_is_imported_only_when_it_draws(module: source.Module) -> None:
    at_start = [
        node.lineno
        for node in module.tree.body
        if isinstance(node, ast.Import | ast.ImportFrom) and "rich" in ast.unparse(node).split()
    ]

    assert at_start == []


@pytest.mark.parametrize(
    ("word", "allowed"), [("print", set()), ("logging", {"run"}), ("sys.exit", {"", "cli"})]
)
def test_only_the_command_line_speaks_and_only_run_logs(word: str, allowed: set[str]) -> None:
    speaking = {
        module.place
        for module in OURS
        if module.package not in allowed and word in _reached(module.tree)
    }

    assert speaking == set()


def _reached(tree: ast.Module) -> set[str]:
    """Functions called and modules imported, as they are written."""
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    modules = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    return called | {name.name for node in modules for name in node.names}
