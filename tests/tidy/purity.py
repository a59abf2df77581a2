"""Ways out of a pure package: the clock, chance, the environment, the outside, hidden state.

Read from the syntax tree, so it sees names and not values; what may be imported at all is a list
in `layers`, and this is for what hides behind permitted names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tidy.source import FUNCTION, Function, these

__all__ = ["sins"]


_NAMES = these(
    "__import__ breakpoint compile eval exec exit globals hash id input locals open print quit vars"
)
_ATTRIBUTES = these(
    "environ fromfile genfromtxt getenv load loadtxt memmap random save savetxt savez tofile"
    " __hash__"
)
_CLOCKS = frozenset({"now", "today", "utcnow"})  # called, or taken from a class of datetime
_REMEMBERING = frozenset({"cache", "lru_cache"})
_CONTAINERS = frozenset({"bytearray", "defaultdict", "deque", "dict", "list", "set", "Counter"})
_RUNNING = frozenset({"count", "cycle", "iter"})
_WALKING = these("array dict enumerate fromiter fromkeys iter join list tuple zip")
_CHANGING = these(
    "add append appendleft clear discard extend insert pop popitem popleft remove reverse"
    " setdefault sort update"
)

Sin = tuple[int, str]


def sins(tree: ast.Module) -> Iterator[Sin]:
    """Line and name of each way out."""
    clocks = _names_of_clocks(tree)
    for node in ast.walk(tree):
        yield from _reaching_out(node, clocks=clocks)
        yield from _order_by_accident(node)
    yield from _hidden_state(tree)


def _reaching_out(node: ast.AST, *, clocks: frozenset[str]) -> Iterator[Sin]:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in _NAMES:
            yield node.lineno, name
        case ast.Attribute(attr=name) if name in _ATTRIBUTES:
            yield node.lineno, f".{name}"
        case ast.Call(func=ast.Attribute(attr=name)) if name in _CLOCKS:
            yield node.lineno, f".{name}()"
        case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=name) if (
            name in _CLOCKS and owner in clocks
        ):
            yield node.lineno, f"{owner}.{name}"
        case ast.Call(func=ast.Attribute(attr="astimezone"), args=[], keywords=[]):
            yield node.lineno, "the time zone of this machine"
        case ast.ImportFrom(module="numpy" | "functools" as module, names=names):
            wrong = {name.name for name in names} & (_ATTRIBUTES | _REMEMBERING)
            yield from ((node.lineno, f"{module}.{name}") for name in sorted(wrong))
        case ast.Import(names=names):
            yield from ((node.lineno, n.name) for n in names if n.name.startswith("numpy.random"))
        case ast.Attribute(value=ast.Name(id="functools"), attr=name) if name in _REMEMBERING:
            yield node.lineno, f"functools.{name}"


def _names_of_clocks(tree: ast.Module) -> frozenset[str]:
    """What `datetime` and `date` are called in this module."""
    renamed = (
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "datetime"
        for name in node.names
    )
    return frozenset({"datetime", "date", *renamed})


def _order_by_accident(node: ast.AST) -> Iterator[Sin]:
    """A set that is walked where the order of the walk can be seen."""
    walked: list[ast.expr] = []
    match node:
        case ast.For(iter=source):
            walked = [source]
        case ast.ListComp(generators=parts) | ast.DictComp(generators=parts):
            walked = [part.iter for part in parts]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if (
            name in _WALKING
        ):
            walked = args
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            walked = [part.value for part in parts if isinstance(part, ast.Starred)]
    yield from ((part.lineno, "the order of a set") for part in walked if _is_set(part))


def _is_set(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.Sub() | ast.BitXor()):
            return _is_set(node.left) or _is_set(node.right)
        case _:
            return False


def _hidden_state(tree: ast.Module) -> Iterator[Sin]:
    """What outlives a call: globals, empty containers at the top, iterators at the top."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield node.lineno, f"global {', '.join(node.names)}"
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for node in [*tree.body, *(part for owner in classes for part in owner.body)]:
        yield from _container_at_the_top(node, is_field=node not in tree.body)
    top = {name for node in tree.body for name in _bound_by(node)}
    for function in (node for node in ast.walk(tree) if isinstance(node, FUNCTION)):
        yield from _changes_to(top - _own_names(function), function)


def _container_at_the_top(node: ast.stmt, *, is_field: bool) -> Iterator[Sin]:
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


def _changes_to(names: set[str], function: Function) -> Iterator[Sin]:
    """Changes, inside a function, of what the module owns."""
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                pass
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                pass
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=verb)) if (
                verb in _CHANGING
            ):
                pass
            case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name), *_]):
                pass
            case _:
                continue
        if name in names:
            yield node.lineno, f"{name} changes and outlives the call"


def _bound_by(node: ast.stmt) -> Iterator[str]:
    """Names that a statement at the top of a module gives a value."""
    targets: list[ast.expr] = []
    match node:
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
