"""What the names of a module stand for, once its imports are read: renaming hides nothing."""

from __future__ import annotations

import ast
from collections.abc import Mapping

__all__ = ["full", "imported_as", "root"]


def imported_as(tree: ast.AST) -> dict[str, str]:
    """Each name that an import binds, and the full name of what it stands for."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for name in names:
                    top = name.name.partition(".")[0]
                    known |= {name.asname: name.name} if name.asname else {top: top}
            case ast.ImportFrom(module=str(module), names=names):
                known |= {name.asname or name.name: f"{module}.{name.name}" for name in names}
    return known


def full(node: ast.AST, known: Mapping[str, str]) -> str:
    """`np.random` is `numpy.random` where numpy is np; "" for what is no chain of names."""
    match node:
        case ast.Name(id=name):
            return known.get(name, name)
        case ast.Attribute(value=owner, attr=name):
            before = full(owner, known)
            return f"{before}.{name}" if before else ""
    return ""


def root(node: ast.AST) -> str:
    """The name that a chain of attributes and indices begins with; "" for a call's result."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
