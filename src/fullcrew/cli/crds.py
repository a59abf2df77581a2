"""`fullcrew crds print`: the definitions of the groups and queues, for a cluster that has none."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import click

from fullcrew import errors
from fullcrew.cli import writing

__all__ = ["crds"]

_INSTALLED: Final = "crds"  # the folder in the package, as the wheel brings it
_CHECKOUT: Final = Path(__file__).parents[3] / "deploy" / "crds"  # where the wheel takes it from


@click.group()
def crds() -> None:
    """The definitions of the groups and queues that Fullcrew serves."""


@crds.command("print")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def _print(names: tuple[str, ...]) -> None:
    """Print them as YAML, all or those named, for kubectl apply -f -.

    NAME is the full name of a definition, such as podgroups.scheduling.volcano.sh.
    """
    known = _definitions()
    for name in names:
        if name not in known:
            raise errors.UnknownName("definition", name, known=known)
    chosen = dict.fromkeys(names) or known
    writing.put(b"---\n".join(known[name].read_bytes() for name in chosen))


def _definitions() -> dict[str, Traversable]:
    """The files by the names of what they define, which is how the files are called."""
    folder: Traversable = resources.files("fullcrew") / _INSTALLED
    if not folder.is_dir():
        folder = _CHECKOUT
    if not folder.is_dir():
        raise errors.Bug(f"{_INSTALLED} is missing from the installed package")
    found = {_defined(file.name): file for file in folder.iterdir() if file.name.endswith(".yaml")}
    return dict(sorted(found.items()))


def _defined(file: str) -> str:
    """`group_plural.yaml` defines `plural.group`."""
    group, _, plural = file.removesuffix(".yaml").partition("_")
    return f"{plural}.{group}"
