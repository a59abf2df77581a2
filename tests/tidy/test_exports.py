"""A package says what it offers, offers nothing else, and explains each thing it offers."""

from __future__ import annotations

import ast

import pytest
from tidy import exports, source

OURS = source.read("src")
BY_NAME = {module.dotted: module for module in OURS}
TOPS = [m for m in OURS if m.path.name == "__init__.py" or m.dotted.count(".") == 1]

USERS = source.read("src", "tests", "tools")
OFFERING = [m for m in OURS if m.path.name == "__init__.py" and m.package]

each_module = pytest.mark.parametrize("module", OURS, ids=lambda module: module.place)
each_package = pytest.mark.parametrize("module", TOPS, ids=lambda module: module.dotted)


def made_up(code: str) -> source.Module:
    path = source.ROOT / "src" / "fullcrew" / "made_up.py"
    return source.Module(path, "made_up", code, ast.parse(code))


def unexplained(module: source.Module) -> list[str]:
    """Names that the module offers and that nobody explains where they are defined."""
    offered = exports.listed(module) or []
    found = {
        name: exports.definition_of(name, among=BY_NAME, module=module) for name in sorted(offered)
    }
    return [
        name for name, place in found.items() if place and not exports.is_explained(name, place)
    ]


def unused(package: source.Module) -> list[str]:
    """Names that nobody outside imports, that no signature speaks of and nobody else answers."""
    inside = [m for m in OURS if m.package == package.package]
    outside = {name for m in USERS if m not in inside for name in exports.used_in(m)}
    spoken_of = {name for module in inside for name in exports.spoken_of_in(module)}
    found = []
    for name in sorted(set(exports.listed(package) or ()) - spoken_of):
        place = exports.definition_of(name, among=BY_NAME, module=package)
        ways = {f"{package.dotted}.{name}", *([f"{place[0].dotted}.{name}"] if place else [])}
        is_port = place is not None and exports.is_port(place[1])
        if not is_port and outside.isdisjoint(ways):
            found.append(name)
    return found


@each_module
def test_a_module_opens_with_a_sentence_of_purpose(module: source.Module) -> None:
    first = (ast.get_docstring(module.tree) or "").split("\n\n")[0]

    assert first.endswith((".", ":", "?", "!")), f"{module.place} opens with {first!r}"


@each_package
def test_a_package_lists_the_names_that_it_offers(module: source.Module) -> None:
    offered = set(exports.listed(module) or ())
    below = {name.rsplit(".", 1)[1] for name in BY_NAME if name.rpartition(".")[0] == module.dotted}
    bound = exports.bound_at_the_top(module) if module.path.name == "__init__.py" else set()

    assert exports.listed(module) is not None, f"{module.place} has no __all__"
    assert bound - offered == set()
    assert offered - exports.bound_at_the_top(module) - below - {"__version__"} == set()


@each_module
def test_a_list_of_exports_names_all_that_is_defined_for_others(module: source.Module) -> None:
    defined = {
        node.name
        for node in module.tree.body
        if isinstance(node, (*source.FUNCTION, ast.ClassDef)) and source.is_public(node.name)
    }
    offered = exports.listed(module)

    assert offered is None or defined - set(offered) == set()


@pytest.mark.slow
@pytest.mark.parametrize("package", OFFERING, ids=lambda module: module.dotted)
def test_what_a_package_offers_is_of_use_to_others(package: source.Module) -> None:
    assert unused(package) == []


@each_module
def test_everything_exported_is_explained(module: source.Module) -> None:
    assert unexplained(module) == []


@each_module
def test_each_question_of_a_port_is_explained(module: source.Module) -> None:
    ports = [
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases)
    ]
    questions = [(port.name, part) for port in ports for part in port.body]

    bare = [
        f"{name}.{part.name}"
        for name, part in questions
        if isinstance(part, source.FUNCTION) and not ast.get_docstring(part)
    ]

    assert bare == []


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ('__all__ = ["f"]\ndef f(): ...', ["f"]),
        ('__all__ = ["A"]\nclass A: ...', ["A"]),
        ('__all__ = ["LIMIT"]\n\nLIMIT = 1', ["LIMIT"]),
        ('__all__ = ["LIMIT"]\n\nLIMIT = 1  # as in Kubernetes', []),
        ('__all__ = ["LIMIT"]\n# as in Kubernetes\nLIMIT = 1', []),
        ('__all__ = ["NAME"]\n\nNAME = "memory"', []),
        ('__all__ = ["LIMIT"]\nLIMIT = 1\n"""As in Kubernetes."""', []),
        ('__all__ = ["f"]\ndef f():\n    "Why."', []),
    ],
)
def test_it_sees_what_is_not_explained(code: str, names: list[str]) -> None:
    assert unexplained(made_up(code)) == names


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ('__all__ = ["f"]\ndef f(): ...', ["f"]),
        ('__all__ = ["Port"]\nclass Port(Protocol[Read]): ...', []),
    ],
)
def test_it_sees_what_is_offered_to_nobody(code: str, names: list[str]) -> None:
    assert unused(made_up(code)) == names
