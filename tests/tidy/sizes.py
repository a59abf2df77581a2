"""What is too big to be read at once, by the limits of CONTRIBUTING.md."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tidy import aliases, source
from tidy.source import Function, Module

__all__ = [
    "LONGEST_FUNCTION",
    "LONGEST_MODULE",
    "LONGEST_TEST",
    "MOST_COLUMNS",
    "MOST_METHODS",
    "MOST_NESTING",
    "MOST_PARAMETERS",
    "Finding",
    "too_big",
]

LONGEST_MODULE, LONGEST_FUNCTION, LONGEST_TEST = 400, 40, 25
MOST_METHODS, MOST_PARAMETERS, MOST_NESTING, MOST_COLUMNS = 12, 5, 3, 100

_BLOCKS = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.Match,
)

Finding = tuple[str, str]


def too_big(module: Module) -> Iterator[Finding]:
    """A place, as `path` or `path:Class.function`, and what is too big there."""
    lines = module.text.splitlines()
    if len(lines) > LONGEST_MODULE:
        yield module.place, f"{len(lines)} lines"
    for number, line in enumerate(lines, start=1):
        if len(line) > MOST_COLUMNS:
            yield module.place, f"line {number} has {len(line)} columns"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef) and (count := len(_methods(node, module))) > MOST_METHODS:
            yield f"{module.place}:{node.name}", f"{count} public methods"
    for name, function in source.functions(module.tree):
        yield from ((f"{module.place}:{name}", what) for what in _too_big_in(function))


def _too_big_in(function: Function) -> Iterator[str]:
    longest = LONGEST_TEST if function.name.startswith("test_") else LONGEST_FUNCTION
    if (lines := _length(function)) > longest:
        yield f"{lines} lines"
    if (parameters := _parameters(function)) > MOST_PARAMETERS:
        yield f"{parameters} parameters"
    if (depth := _nesting(function)) > MOST_NESTING:
        yield f"{depth} blocks one in another"


def _length(function: Function) -> int:
    """Lines without the docstring: to explain must cost nothing."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    told = function.body[0]
    return lines - ((told.end_lineno or 0) - told.lineno + 1)


def _methods(owner: ast.ClassDef, module: Module) -> set[str]:
    """The public ones, with those of the classes of its own package that it is made of: a class
    cut in two by inheritance is as long to read as before."""
    names = {node.name for node in owner.body if isinstance(node, source.FUNCTION)}
    found = {name for name in names if source.is_public(name)}
    for below, where in _bases(owner, module):
        found |= _methods(below, where)
    return found


def _bases(owner: ast.ClassDef, module: Module) -> Iterator[tuple[ast.ClassDef, Module]]:
    known = aliases.imported_as(module.tree)
    for base in owner.bases:
        told = base.value if isinstance(base, ast.Subscript) else base
        *places, name = aliases.full(told, known).split(".")
        where = source.beside(module, places) if places else module
        for node in where.tree.body if where else []:
            if isinstance(node, ast.ClassDef) and node.name == name and node is not owner:
                yield node, where or module


def _parameters(function: Function) -> int:
    asked = function.args
    every = [*asked.posonlyargs, *asked.args, *asked.kwonlyargs]
    return sum(each.arg not in {"self", "cls"} for each in every)


def _nesting(node: ast.AST) -> int:
    """The deepest block in a block; `elif` is no deeper than its `if`, a nested function is new."""
    return max((_depth(child, inside=node) for child in ast.iter_child_nodes(node)), default=0)


def _depth(node: ast.AST, *, inside: ast.AST) -> int:
    if isinstance(node, (*source.FUNCTION, ast.ClassDef)):
        return 0
    is_elif = isinstance(node, ast.If) and isinstance(inside, ast.If) and inside.orelse == [node]
    return _nesting(node) + (isinstance(node, _BLOCKS) and not is_elif)
