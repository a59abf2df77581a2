"""Names say one thing, and one thing has one name: the words of docs/glossary.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest
from tidy import source

MODULES = source.read("src", "tests", "tools")
OURS = [module for module in source.read("src") if module.package]

BANNED = source.these("base common data helper helpers impl info manager misc util utils")
ABBREVIATIONS = source.these(
    "arg args cb cfg cnt conf ctx err fn idx mgr msg num obj req resp svc tmp val"
)
BRANCHES = {"FullcrewError", "ClusterError"}  # of the tree; all else is named for what is wrong
# These read and write what other projects named, in the words of those projects.
FOREIGN = {"objects", "dialects", "jobs", "client", "apiserver"}


@cache
def glossary() -> dict[str, list[str]]:
    """Each word of the house, and the words that may not stand for it in a public name."""
    text = (source.ROOT / "docs" / "glossary.md").read_text("utf-8")
    rows = re.findall(r"^\| \*\*(\w+)\*\* \|.*\|([^|]*)\|$", text, re.MULTILINE)
    return {word: re.findall(r"`([^`]+)`", instead) for word, instead in rows}


def public_names(module: source.Module) -> Iterator[str]:
    """The module, its classes, functions, methods and parameters, its fields and constants."""
    yield module.path.stem
    for node in ast.walk(module.tree):
        match node:
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name
    for statement in module.tree.body:
        if isinstance(statement, ast.Assign):
            yield from (t.id for t in statement.targets if isinstance(t, ast.Name))


def synonyms_in(name: str) -> list[str]:
    """Words of a name that mean what the glossary has another word for."""
    told = f"_{'_'.join(source.words(name))}_"
    return [
        f"{name}: say {word}, not {synonym}"
        for word, instead in glossary().items()
        for synonym in instead
        if any(f"_{'_'.join(source.words(synonym))}{end}_" in told for end in ("", "s"))
    ]


each_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.place)


@each_module
def test_no_module_or_class_has_a_name_that_says_nothing(module: source.Module) -> None:
    classes = [node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]
    parts = module.path.relative_to(source.ROOT).with_suffix("").parts

    empty = [name for name in (*parts, *classes) if BANNED & set(source.words(name))]

    assert empty == []


@pytest.mark.parametrize(
    "module", [m for m in OURS if m.package not in FOREIGN], ids=lambda module: module.place
)
def test_public_names_use_the_words_of_the_glossary(module: source.Module) -> None:
    names = {name for name in public_names(module) if source.is_public(name)}

    assert [found for name in sorted(names) for found in synonyms_in(name)] == []


@pytest.mark.parametrize("module", OURS, ids=lambda module: module.place)
def test_public_names_are_not_abbreviated(module: source.Module) -> None:
    names = {name for name in public_names(module) if source.is_public(name)}

    assert [name for name in sorted(names) if ABBREVIATIONS & set(source.words(name))] == []


@pytest.mark.parametrize("module", OURS, ids=lambda module: module.place)
def test_an_error_is_named_for_what_is_wrong(module: source.Module) -> None:
    classes = {node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)}

    assert {name for name in classes if name.endswith(("Error", "Exception"))} <= BRANCHES


def test_the_glossary_has_a_word_for_each_thing() -> None:
    things = {"ask", "dialect", "gang", "job", "kind", "plan", "queue"}
    things |= {"reason", "role", "room", "share", "snapshot", "where"}

    assert things - glossary().keys() == set()


def test_no_word_is_a_synonym_of_another() -> None:
    words = glossary()

    assert [s for instead in words.values() for s in instead if s in words] == []


@pytest.mark.parametrize("name", ["PodCrew", "crew_size", "crews", "replica_types"])
def test_a_synonym_inside_a_name_is_seen(name: str) -> None:
    assert synonyms_in(name)


@pytest.mark.parametrize("name", ["screw", "RuleBook", "replicas", "queue_of"])
def test_other_words_are_let_pass(name: str) -> None:
    assert synonyms_in(name) == []


def test_a_field_that_only_a_method_names_is_read() -> None:
    path = source.ROOT / "src" / "fullcrew" / "made_up.py"
    code = "class A:\n    def __init__(self):\n        self.quorum, self.plain = 1, 2"

    names = set(public_names(source.Module(path, "made_up", code, ast.parse(code))))

    assert names == {"made_up", "A", "__init__", "self", "quorum", "plain"}
