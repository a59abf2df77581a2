"""Order by accident: a set that is walked where the order of the walk can be seen."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tidy.source import FUNCTION, Function, these

__all__ = ["accidents"]

_WALKING = these("array dict enumerate fromiter fromkeys iter join list tuple zip")
_CHOOSING = these("max min nlargest nsmallest sorted")  # by a key: of equals the first met wins
_NO_SETS = frozenset[str]()


def accidents(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of each, in the module and in what its functions call a set."""
    yield from _in_scope(tree, _NO_SETS)
    for function in (node for node in ast.walk(tree) if isinstance(node, FUNCTION)):
        if sets := _called_sets(function):
            yield from _in_scope(function, sets)


def _in_scope(scope: ast.AST, sets: frozenset[str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(scope):
        walked = [*_walked(node), *_chosen_from(node)]
        yield from ((part.lineno, "the order of a set") for part in walked if _is_set(part, sets))


def _walked(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.For(iter=source):
            return [source]
        case ast.ListComp(generators=parts) | ast.DictComp(generators=parts):
            return [part.iter for part in parts]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if (
            name in _WALKING
        ):
            return args
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [part.value for part in parts if isinstance(part, ast.Starred)]
    return []


def _chosen_from(node: ast.AST) -> list[ast.expr]:
    """Sets of which one element, or the first of equals, is taken."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="pop"), args=[]):
            return [owner]
        case ast.Call(
            func=ast.Name(id=name) | ast.Attribute(attr=name), args=args, keywords=named
        ) if name in _CHOOSING and any(each.arg == "key" for each in named):
            return args
    return []


def _is_set(node: ast.expr, sets: frozenset[str]) -> bool:
    """Whether it is one at sight, or a name that stands for one here."""
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.Name(id=name):
            return name in sets
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.Sub() | ast.BitXor()):
            return _is_set(node.left, sets) or _is_set(node.right, sets)
    return False


def _called_sets(function: Function) -> frozenset[str]:
    """Locals that are given nothing but sets, and parameters that say they are one."""
    given: dict[str, bool] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given[name] = given.get(name, True) and _is_set(value, _NO_SETS)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind):
                given[name] = given.get(name, True) and _says_set(kind)
            case ast.arg(arg=name, annotation=ast.expr() as kind):
                given[name] = given.get(name, True) and _says_set(kind)
    return frozenset(name for name, is_one in given.items() if is_one)


def _says_set(annotation: ast.expr) -> bool:
    return ast.unparse(annotation).split("[")[0] in {"set", "frozenset", "Set", "AbstractSet"}
