"""What benchmarks print and commit: tables, the machine they ran on, the place they are kept."""

from __future__ import annotations

import datetime
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results"
GIB = 1 << 30


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown that is read as plain text too: the first column to the left, figures to the
    right."""
    cells = [list(head), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = [
        " | ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    rule = "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])])
    return "\n".join([f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:])])


def figure(number: float | None) -> str:
    """Three digits that count, thousands set apart; nothing for no figure."""
    if number is None:
        return ""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}"


def verdict(is_met: bool | None) -> str:  # noqa: FBT001 - what it is about
    """For the column that tells whether a bar is met."""
    return {True: "yes", False: "NO", None: ""}[is_met]


def machine() -> str:
    """In one line, as far as the system tells."""
    cores = os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{cores} cores of {_processor()}, {memory:.0f} GiB, Python {python}"


def written(name: str, title: str, body: str) -> Path:
    """Writes a page into benchmarks/results, named by date, machine and name; a run of the same
    day takes its place."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    short = re.sub(r"[^a-z0-9]+", "-", f"{os.cpu_count()}x-{_processor()}".lower()).strip("-")
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{today}-{short}-{name}.md"
    path.write_text(f"# {title}, {today}\n\n{machine()}.\n\n{body.rstrip()}\n", encoding="utf-8")
    return path


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    text = told.read_text(encoding="utf-8") if told.exists() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else "an unknown processor"
