"""Hidden state: what outlives a call and is seen by the next one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tidy import aliases
from tidy.source import FUNCTION, Function, these

__all__ = ["memories"]

_CONTAINERS = frozenset({"bytearray", "defaultdict", "deque", "dict", "list", "set", "Counter"})
_RUNNING = frozenset({"count", "cycle", "iter"})
_CHANGING = these(
    "add append appendleft clear discard extend insert pop popitem popleft remove reverse"
    " setdefault sort update"
)
_OWN_CLASS = these("cls type(self) self.__class__")

Memory = tuple[int, str]


def memories(tree: ast.Module) -> Iterator[Memory]:
    """Line and name of each: globals, what is made at the top to be filled, changes to the top."""
    for node in ast.walk(tree):
        match node:
            case ast.Global(names=told):
                yield node.lineno, f"global {', '.join(told)}"
            case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()) if (
                ast.unparse(owner) in _OWN_CLASS
            ):
                yield node.lineno, f"{name} of the class changes and outlives the call"
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for part in [*tree.body, *(part for owner in classes for part in owner.body)]:
        yield from _container_at_the_top(part, is_field=part not in tree.body)
    yield from _changes_to_the_top(tree)


def _container_at_the_top(node: ast.stmt, *, is_field: bool) -> Iterator[Memory]:
    """An empty container has no use but to be filled. A typed field only defaults to it."""
    match node:
        case ast.Assign(value=value):
            pass
        case ast.AnnAssign(annotation=kind, value=ast.expr() as value):
            if is_field and "ClassVar" not in ast.unparse(kind):
                return
        case _:
            return
    match value:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            yield node.lineno, "an empty container that outlives the call"
        case ast.Call(
            func=ast.Name(id=name)
            | ast.Attribute(value=ast.Name(id="collections" | "itertools"), attr=name),
            args=args,
        ) if name in _RUNNING or (name in _CONTAINERS and _is_empty(args)):
            yield node.lineno, f"{name}() that outlives the call"


def _is_empty(arguments: list[ast.expr]) -> bool:
    """Whether a container made of these has nothing in it: `defaultdict(list)` has not."""
    return all(isinstance(argument, ast.Name) for argument in arguments)


def _changes_to_the_top(tree: ast.Module) -> Iterator[Memory]:
    """Functions and classes of the module are at its top too, and so are other modules."""
    imported = aliases.imported_as(tree).keys()
    top = {name for node in tree.body for name in _bound_by(node)}
    for function in (node for node in ast.walk(tree) if isinstance(node, FUNCTION)):
        own = _own_names(function)
        yield from _changes_to(top - own, function)
        yield from _stores_in((imported - top) - own, function)


def _changes_to(top: set[str], function: Function) -> Iterator[Memory]:
    """Changes, inside a function, of what the module owns."""
    yield from _stores_in(top, function)
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=verb)) if verb in _CHANGING:
                name = aliases.root(owner)
            case ast.Call(func=ast.Name(id="next"), args=[owner, *_]):
                name = aliases.root(owner)
            case _:
                continue
        if name in top:
            yield node.lineno, f"{name} changes and outlives the call"


def _stores_in(top: set[str], function: Function) -> Iterator[Memory]:
    for node in ast.walk(function):
        match node:
            case (
                ast.Subscript(value=owner, ctx=ast.Store() | ast.Del())
                | ast.Attribute(value=owner, ctx=ast.Store() | ast.Del())
            ) if (name := aliases.root(owner)) in top:
                yield node.lineno, f"{name} changes and outlives the call"


def _bound_by(node: ast.stmt) -> Iterator[str]:
    """Names that a statement at the top of a module gives a value."""
    targets: list[ast.expr] = []
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=found):
            targets = found
        case ast.AnnAssign(target=found) | ast.AugAssign(target=found):
            targets = [found]
    parts = (part for target in targets for part in ast.walk(target))
    yield from (part.id for part in parts if isinstance(part, ast.Name))


def _own_names(function: Function) -> set[str]:
    """A function's parameters and the names that it binds itself."""
    walked = list(ast.walk(function))
    parameters = {node.arg for node in walked if isinstance(node, ast.arg)}
    return parameters | {
        node.id for node in walked if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
