"""Our own source as syntax trees: no module is imported to be judged."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

__all__ = [
    "FUNCTION",
    "ROOT",
    "Function",
    "Module",
    "beside",
    "functions",
    "imported",
    "is_public",
    "packages",
    "read",
    "these",
    "words",
]

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
ROOT = Path(__file__).parent.parent.parent
_OURS = ROOT / "src" / "fullcrew"


@dataclass(frozen=True, slots=True)
class Module:
    """A file of ours. `package` is its layer; "" for the top of `fullcrew` itself and elsewhere."""

    path: Path
    package: str
    text: str = field(repr=False)
    tree: ast.Module = field(repr=False)

    @property
    def place(self) -> str:
        """The path as a person writes it, from the root of the repository."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def dotted(self) -> str:
        """The name by which it is imported."""
        parts = self.path.relative_to(_OURS.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def read(*folders: str) -> tuple[Module, ...]:
    """Every module under these folders of the repository, in the order of their names."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(_parsed(path) for path in paths)


def beside(module: Module, places: Sequence[str]) -> Module | None:
    """The module in the same folder that an import calls by these words; None for any other."""
    folder = module.path.parent
    path = folder / f"{places[-1]}.py"
    is_here = places[-2:-1] == [folder.name] and path.is_file()
    return _parsed(path) if is_here else None


def packages() -> list[str]:
    """The layers that exist so far: a folder, or a single file such as `errors`."""
    return sorted({module.package for module in read("src") if module.package})


@cache
def _parsed(path: Path) -> Module:
    text = path.read_text("utf-8")
    inside = path.relative_to(_OURS).parts if path.is_relative_to(_OURS) else ("__init__.py",)
    package = "" if inside[0].startswith("__") else inside[0].removesuffix(".py")
    return Module(path, package, text, ast.parse(text, str(path)))


def imported(module: Module) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of all that is imported, `TYPE_CHECKING` included.

    `from a import b` is told as `a.b`, whatever b is, and a relative import by its whole name. So
    is `import_module("a")`, the way round the statement.
    """
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, name.name) for name in names)
            case ast.ImportFrom(names=names):
                parent = _parent(module, node)
                yield from ((node.lineno, f"{parent}.{name.name}") for name in names)
            case ast.Call(
                func=ast.Attribute(attr="import_module") | ast.Name(id="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, name


def _parent(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    above = module.dotted.split(".")
    up = node.level - (module.path.name == "__init__.py")
    return ".".join([*above[: len(above) - up], *([node.module] if node.module else [])])


def functions(tree: ast.AST, *, inside: str = "") -> Iterator[tuple[str, Function]]:
    """Each function with its qualified name, as `Room.take`."""
    for child in ast.iter_child_nodes(tree):
        name = f"{inside}{getattr(child, 'name', '')}"
        if isinstance(child, FUNCTION):
            yield name, child
        is_scope = isinstance(child, (*FUNCTION, ast.ClassDef))
        yield from functions(child, inside=f"{name}." if is_scope else inside)


def these(text: str) -> frozenset[str]:
    """A set of words, written as one reads it."""
    return frozenset(text.split())


def is_public(name: str) -> bool:
    """Whether a name is for others."""
    return not name.startswith("_")


def words(name: str) -> list[str]:
    """A name taken apart: `bindPods`, `BindPods`, `bind_pods` and `bind-pods` are bind, pods."""
    apart = "".join(
        f"_{letter}" if letter.isupper() and before.islower() else letter
        for before, letter in zip(f"_{name}", name, strict=False)
    )
    return [word.lower() for word in apart.replace("-", "_").split("_") if word]
