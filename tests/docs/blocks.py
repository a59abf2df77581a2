"""The code blocks of our pages, and what each kind of them promises.

    ```console            played: each line after `$ ` in a shell, beside a copy of examples/; the
                          lines up to the next `$ ` are the output, standard error included
    ```console cluster    needs a cluster: commands and options of ours must exist, and so must
                          the files that are named
    ```yaml  ```json      must parse
    ```python             must run
    ```text               anything

In an output `...` stands for any text within its line, and alone for any lines. A command that
must fail ends its output with `[exit 2]`. `$ make x` is never played: the door must exist.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PLAYED", "ROOT", "TAGS", "Block", "Step", "blocks", "matches", "pages", "steps"]

ROOT = Path(__file__).parent.parent.parent
PLAYED, CLUSTER = "console", "console cluster"
TAGS = frozenset({PLAYED, CLUSTER, "yaml", "json", "python", "text"})
_FENCE = re.compile(r"^```")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: `line` is the one its fence stands on."""

    page: Path
    line: int
    tag: str
    text: str

    @property
    def place(self) -> str:
        """Where to look, as an editor understands it."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what it must print."""

    command: str
    output: tuple[str, ...]
    exit_code: int = 0

    @property
    def words(self) -> list[str]:
        """The command as its words, without a comment at its end."""
        return shlex.split(self.command, comments=True)

    @property
    def is_door(self) -> bool:
        """Whether it only names a door of the Makefile."""
        return self.command.startswith("make")


def pages() -> list[Path]:
    """Every page that people read."""
    top = [path for path in ROOT.glob("*.md") if path.name != "LICENSE"]
    return [*sorted(top), *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(*tags: str) -> list[Block]:
    """The blocks of all pages that carry one of these tags; without tags, all of them."""
    every = (block for page in pages() for block in _blocks_of(page))
    return [block for block in every if not tags or block.tag in tags]


def _blocks_of(page: Path) -> Iterator[Block]:
    lines = page.read_text("utf-8").splitlines()
    fences = [number for number, line in enumerate(lines) if _FENCE.match(line.strip())]
    for first, last in zip(fences[::2], fences[1::2], strict=True):
        inside = [line.rstrip() for line in lines[first + 1 : last]]
        yield Block(page, first + 1, lines[first].strip().strip("`").strip(), "\n".join(inside))


def steps(block: Block) -> Iterator[Step]:
    """The commands of a console block. A backslash or `> ` goes on with the command."""
    command: list[str] = []
    output: list[str] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            yield from _step(command, output)
            command, output = [line[2:]], []
        elif command and not output and (line.startswith("> ") or command[-1].endswith("\\")):
            command.append(line.removeprefix("> "))
        else:
            output.append(line)
    yield from _step(command, output)


def _step(command: list[str], output: list[str]) -> Iterator[Step]:
    if not command:
        return
    told = re.fullmatch(r"\[exit (\d+)\]", output[-1]) if output else None
    wanted = output[:-1] if told else output
    while wanted and not wanted[-1]:
        wanted = wanted[:-1]
    yield Step("\n".join(command), tuple(wanted), int(told[1]) if told else 0)


def matches(wanted: tuple[str, ...], found: str) -> bool:
    """Whether an output is the one that a page shows, with `...` for what may differ."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else f"{_in_line(line)}[ ]*\n" for line in wanted
    )
    return re.fullmatch(pattern, f"{found.rstrip()}\n" if found.strip() else "") is not None


def _in_line(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split("..."))
