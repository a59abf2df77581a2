"""Ways out of a pure package: the clock, chance, the environment, the outside, hidden state.

Read from the syntax tree, so it sees names and not values; what may be imported at all is a list
in `layers`, and this is for what hides behind permitted names. What is remembered between calls
is looked for in `remembering`, the order of a set in `ordering`.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType

from tidy import aliases, layers, ordering, remembering
from tidy.source import these

__all__ = ["sins"]

_NAMES = these(
    "__builtins__ __import__ __loader__ __spec__ breakpoint compile delattr eval exec exit globals"
    " hash id input locals open print quit setattr vars"
)
_ATTRIBUTES = these(
    "DataSource builtins ctypeslib datetime64 environ fromfile fromregex genfromtxt getenv load"
    " loadtxt memmap os random save savetxt savez savez_compressed sys tofile"
    " __builtins__ __globals__ __hash__ __subclasses__"
)
_CLOCKS = frozenset({"now", "today", "utcnow"})  # called, or taken from a class of datetime
_REMEMBERING = frozenset({"functools.cache", "functools.lru_cache"})
# What may be reached through another module.
_SUBMODULES = layers.PURE_STANDARD_LIBRARY | {"collections.abc", "numpy.typing"}
_TIME_IN_NUMPY = ("datetime64", "M8")  # a column of that kind reads "now" as the clock does

Sin = tuple[int, str]


def sins(tree: ast.Module) -> Iterator[Sin]:
    """Line and name of each way out."""
    known = aliases.imported_as(tree)
    for node in ast.walk(tree):
        yield from _by_name(node)
        yield from _of_others(node, known)
        yield from _by_words(node, known)
    yield from ordering.accidents(tree)
    yield from remembering.memories(tree)


def _by_name(node: ast.AST) -> Iterator[Sin]:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in _NAMES:
            yield node.lineno, name
        case ast.Attribute(attr=name) if name in _ATTRIBUTES:
            yield node.lineno, f".{name}"
        case ast.Call(func=ast.Attribute(attr=name)) if name in _CLOCKS:
            yield node.lineno, f".{name}()"
        case ast.Call(func=ast.Attribute(attr="astimezone"), args=[], keywords=[]):
            yield node.lineno, "the time zone of this machine"
        case ast.Constant(value=str(text)) if text.startswith(_TIME_IN_NUMPY):
            yield node.lineno, text


def _of_others(node: ast.AST, known: Mapping[str, str]) -> Iterator[Sin]:
    """What is taken from another module, by an import or through a name that stands for it."""
    taken: list[str] = []
    match node:
        case ast.Import(names=told):
            taken = [name.name for name in told if name.name.startswith("numpy.")]
        case ast.ImportFrom(module=str(module), names=told):
            taken = [f"{module}.{name.name}" for name in told]
        case ast.Attribute():
            taken = [aliases.full(node, known)]
    yield from ((getattr(node, "lineno", 0), name) for name in taken if _is_way_out(name))


def _is_way_out(taken: str) -> bool:
    owner, _, name = taken.rpartition(".")
    if taken in _REMEMBERING or (name in _CLOCKS and owner.split(".")[-1] in {"date", "datetime"}):
        return True
    if owner == "numpy" and name in _ATTRIBUTES:
        return True
    return taken not in _SUBMODULES and _module(taken) is not None


def _module(name: str) -> ModuleType | None:
    """What the name stands for, if that is a module reached through one that may be imported."""
    owner, _, last = name.rpartition(".")
    if not owner:
        is_known = name == "numpy" or (name in _SUBMODULES and name in sys.stdlib_module_names)
        return importlib.import_module(name) if is_known else None
    if name in _SUBMODULES:
        return importlib.import_module(name)
    found = getattr(_module(owner), last, None)
    return found if isinstance(found, ModuleType) else None


def _by_words(node: ast.AST, known: Mapping[str, str]) -> Iterator[Sin]:
    """Attributes that are named by a text: as bad as those that stand behind a dot."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(word)), *_]):
            spelt = ast.Attribute(owner, word, ast.Load(), lineno=node.lineno)
            yield from (*_by_name(spelt), *_of_others(spelt, known))
            if word in _CLOCKS:
                yield node.lineno, word
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, *_]) if (
            aliases.root(owner) in known
        ):
            yield node.lineno, "an attribute of another module that nobody can read here"
        case ast.Call(func=func, args=words) if aliases.full(func, known).endswith(
            ("attrgetter", "methodcaller")
        ):
            yield from ((node.lineno, ast.unparse(word)) for word in words if _is_bad(word))


def _is_bad(word: ast.expr) -> bool:
    match word:
        case ast.Constant(value=str(told)):
            return not (_ATTRIBUTES | _CLOCKS).isdisjoint(told.split("."))
    return True
