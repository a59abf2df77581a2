"""What a package offers, and whether each thing it offers is explained where it is defined."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from tidy import aliases, source
from tidy.source import Module

__all__ = [
    "bound_at_the_top",
    "definition_of",
    "is_explained",
    "is_port",
    "listed",
    "spoken_of_in",
    "used_in",
]

Definition = tuple[Module, ast.stmt]


def listed(module: Module) -> list[str] | None:
    """The names in `__all__`; None where there is none."""
    for node in module.tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                | ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value)
            ):
                return [str(name) for name in ast.literal_eval(value)]
    return None


def bound_at_the_top(module: Module) -> set[str]:
    """Public names that the module itself gives a value, imports included."""
    names = {name for node in module.tree.body for name in _names_of(node)}
    return {name for name in names if source.is_public(name) and name != "annotations"}


def definition_of(name: str, *, among: dict[str, Module], module: Module) -> Definition | None:
    """Where a name that this module offers is defined, through any imports; None if outside."""
    for node in module.tree.body:
        if name not in _names_of(node):
            continue
        if not isinstance(node, ast.ImportFrom):
            return module, node
        told = next(each.name for each in node.names if name in (each.asname, each.name))
        parent = node.module or ""
        if f"{parent}.{told}" in among:  # a module: its own docstring is looked at elsewhere
            return None
        found = among.get(parent)
        return definition_of(told, among=among, module=found) if found else None
    return None


def is_explained(name: str, definition: Definition) -> bool:
    """A docstring for classes and functions; a comment in its paragraph for a number or a type.

    A constant that is a plain text says itself what it is.
    """
    module, node = definition
    if isinstance(node, (*source.FUNCTION, ast.ClassDef)):
        return bool(ast.get_docstring(node)) or _is_overload(node)
    return (
        name.startswith("__")
        or _is_text(getattr(node, "value", None))
        or any("#" in line for line in _paragraph(module.text.splitlines(), node))
        or _is_followed_by_a_string(module.tree, node)
    )


@cache
def used_in(module: Module) -> frozenset[str]:
    """Full names of all that a module imports or reaches through what it imports, and of where
    each lies."""
    known = aliases.imported_as(module.tree)
    names = {aliases.full(n, known) for n in ast.walk(module.tree) if isinstance(n, ast.Attribute)}
    words = [name.split(".") for name in names.union(known.values())]
    return frozenset(".".join(each[:end]) for each in words for end in range(1, len(each) + 1))


@cache
def spoken_of_in(module: Module) -> frozenset[str]:
    """Names in its annotations: what a caller gets or gives, though nobody has to import it."""
    told: list[ast.expr | None] = []
    for node in ast.walk(module.tree):
        match node:
            case ast.arg(annotation=kind) | ast.AnnAssign(annotation=kind):
                told.append(kind)
            case ast.FunctionDef(returns=kind) | ast.AsyncFunctionDef(returns=kind):
                told.append(kind)
    parts = (part for kind in told if kind is not None for part in ast.walk(kind))
    return frozenset(part.id for part in parts if isinstance(part, ast.Name))


def is_port(node: ast.stmt) -> bool:
    """Whether others may answer it, whom we have never seen."""
    return isinstance(node, ast.ClassDef) and any("Protocol" in ast.unparse(b) for b in node.bases)


def _is_text(value: object) -> bool:
    match value:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
    return False


def _paragraph(lines: list[str], node: ast.stmt) -> list[str]:
    """The lines round a statement up to the next blank ones."""
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last < len(lines) and lines[last].strip():
        last += 1
    return lines[first:last]


def _is_overload(node: ast.stmt) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any(ast.unparse(each).endswith("overload") for each in decorators)


def _is_followed_by_a_string(tree: ast.Module, node: ast.stmt) -> bool:
    following = tree.body[tree.body.index(node) + 1 :]
    match following:
        case [ast.Expr(value=ast.Constant(value=str())), *_]:
            return True
    return False


def _names_of(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((name.asname or name.name).split(".")[0] for name in names)
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (part.id for part in targets if isinstance(part, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
