"""Where manifests lie: files, folders, standard input. Reads bytes and understands nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from fullcrew import errors

__all__ = ["STANDARD_INPUT", "Source", "sources"]

STANDARD_INPUT: Final = "-"

Source = tuple[str, bytes]  # what to call it, and what is in it

_MANIFESTS: Final = frozenset({".yaml", ".yml", ".json"})
_MOST_BYTES: Final = 1 << 30  # of one source; a million pods as YAML have 700 MB


def sources(names: Iterable[str]) -> Iterator[Source]:
    """Each file named, in that order; of a folder all manifests below it, by path.

    Hidden files and folders inside a named folder are passed over: there Kubernetes keeps the
    copies that a mounted ConfigMap points to, and editors keep theirs.
    """
    for name in names:
        if name == STANDARD_INPUT:
            yield _standard_input()
            continue
        if not name:  # as of a shell variable that is not set; Path("") would be this folder
            raise _unreadable(Path(name), ValueError("its name is empty"))
        path = Path(name)
        for file in _manifests(path) if _is_folder(path) else [path]:
            yield str(file), _content(file)


def _standard_input() -> Source:
    name = "standard input"
    if sys.stdin is None:  # as Python has it where a shell closed it
        raise _unreadable(Path(name), ValueError("it is closed"))
    return name, _bounded(sys.stdin.buffer, Path(name))


def _is_folder(path: Path) -> bool:
    """False too for what cannot even be asked: opening it will tell why."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _manifests(folder: Path) -> list[Path]:
    found = sorted(_walk(folder))
    if not found:
        raise errors.BadInput(
            "this folder holds no manifest",
            try_this="name a folder with *.yaml, *.yml or *.json in it",
            where=str(folder),
        )
    return found


def _walk(top: Path) -> Iterator[Path]:
    """Links to folders are not followed: they may lead in a circle."""
    try:
        for folder, inside, files in os.walk(top, onerror=_raise):
            inside[:] = [name for name in inside if not name.startswith(".")]
            names = (name for name in files if not name.startswith("."))
            yield from (Path(folder, n) for n in names if Path(n).suffix in _MANIFESTS)
    except OSError as error:
        raise _unreadable(Path(error.filename or top), error) from None


def _raise(error: OSError) -> None:
    """`os.walk` would pass over a folder that cannot be read, and so plan without it."""
    raise error


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return _bounded(opened, file)
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte in it
        raise _unreadable(file, error) from None


def _bounded(opened: BinaryIO, path: Path) -> bytes:
    """All of it, unless it is more than any cluster could fill, as /dev/zero would be."""
    content = opened.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise errors.BadInput(
            f"it holds more than {_MOST_BYTES} bytes",
            try_this="give the manifests in several files",
            where=str(path),
        )
    return content


def _unreadable(path: Path, error: OSError | ValueError) -> errors.BadInput:
    problem = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return errors.BadInput(
        f"it cannot be read: {problem}",
        try_this="name a file or folder that is there, or - for standard input",
        where=str(path),
    )
