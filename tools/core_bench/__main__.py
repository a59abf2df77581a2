"""Runs the rows one after the other, each in an interpreter of its own, and prints the table."""

from __future__ import annotations

import argparse
import cProfile
import json
import math
import pstats
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tools import results
from tools.core_bench.measuring import MIB, Measured
from tools.core_bench.rows import GANGS, SIZES, Row, rows

ROOT = Path(__file__).resolve().parents[2]
QUICK = 0.02
_LINES_OF_PROFILE = 30
_HEAD = ("row", "figure", "unit", "bar", "met", "plain loop", "ratio", "memory MiB")


def main(arguments: Sequence[str] | None = None) -> int:
    """What the options say; 1 if a bar is not met."""
    asked = _asked(arguments)
    known = {row.name: row for row in rows()}
    if unknown := [name for name in asked.rows if name not in known]:
        sys.stderr.write(f"no row {', '.join(unknown)}; try: --list\n")
        return 2
    if asked.list:
        sys.stdout.write("".join(f"{row.name:20}{row.title}\n" for row in known.values()))
        return 0
    if asked.profile:
        _profile(known[asked.profile], asked.scale)
        return 0
    if asked.here:
        sys.stdout.write(json.dumps(asdict(known[asked.here].measured(asked.scale))) + "\n")
        return 0
    return _all([known[name] for name in asked.rows] or list(known.values()), asked)


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/bench.py", description="how fast a plan is made")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only these (see --list)")
    parser.add_argument("--list", action="store_true", help="the names of the rows")
    parser.add_argument("--quick", action="store_const", const=QUICK, dest="scale")
    parser.add_argument("--scale", type=float, default=1.0, help="so much of each size")
    parser.add_argument("--write", action="store_true", help="keep the table in benchmarks/results")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("--profile", metavar="ROW", help="where one row spends its time")
    parser.add_argument("--here", metavar="ROW", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    asked.scale = asked.scale or 1.0
    if asked.write and asked.scale != 1.0:
        parser.error("only rows of their full size are kept: leave --quick and --scale out")
    return asked


def _all(chosen: Sequence[Row], asked: argparse.Namespace) -> int:
    found = []
    for row in chosen:
        sys.stderr.write(f"{row.name}: {row.title}\n")
        found.append(_in_an_interpreter(row, asked.scale))
    text = told(found)
    sys.stdout.write(f"{results.machine()}\n\n{text}\n")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(each) for each in found], indent=1) + "\n")
    if asked.write:
        sys.stderr.write(f"{results.written('plan', 'How fast a plan is made', text)}\n")
    return int(any(each.is_met is False for each in found))


def _in_an_interpreter(row: Row, scale: float) -> Measured:
    command = [sys.executable, str(ROOT / "tools" / "bench.py"), "--here", row.name]
    ended = subprocess.run(
        [*command, "--scale", str(scale)], stdout=subprocess.PIPE, text=True, check=True
    )
    return Measured(**json.loads(ended.stdout))


def told(found: Sequence[Measured]) -> str:
    """The table, what stands behind single figures, and how cost grows."""
    lines = [
        (
            each.title,
            results.figure(each.figure),
            each.unit,
            _bar(each),
            results.verdict(each.is_met),
            results.figure(each.plain),
            results.figure(each.ratio),
            results.figure(each.memory_bytes / MIB),
        )
        for each in found
    ]
    more = [
        f"- {each.title}: {', '.join(f'{key} {results.figure(x)}' for key, x in each.more.items())}"
        for each in found
        if each.more
    ]
    by_name = {each.row: each.figure for each in found}
    return "\n".join([results.table(_HEAD, lines), "", *more, *_growth(by_name)])


def _bar(each: Measured) -> str:
    speed = [] if each.bar is None else [f"{'>=' if each.is_rate else '<'} {each.bar:,.0f}"]
    memory = each.memory_bar_bytes
    return ", ".join(speed + ([] if memory is None else [f"< {memory // MIB} MiB"]))


def _growth(figures: dict[str, float]) -> list[str]:
    """From one size to the next, the power of the size with which the cost of a gang grows."""
    lines = []
    for word, sizes in (("nodes", SIZES), ("gangs", GANGS)):
        names = [f"{word}-{size}" for size in sizes]
        if not all(name in figures for name in names):
            continue
        costs = [figures[name] for name in names]
        powers = [
            math.log(costs[at + 1] / costs[at]) / math.log(sizes[at + 1] / sizes[at])
            for at in range(len(sizes) - 1)
        ]
        steps = (
            f"{small:,} to {big:,}: {power:.2f}"
            for small, big, power in zip(sizes, sizes[1:], powers, strict=False)
        )
        lines.append(f"- the cost of a gang grows with the power of {word}: {'; '.join(steps)}")
    return lines


def _profile(row: Row, scale: float) -> None:
    act = row.act(scale)
    with cProfile.Profile() as profile:
        act()
    for order in ("cumulative", "tottime"):
        pstats.Stats(profile, stream=sys.stdout).sort_stats(order).print_stats(_LINES_OF_PROFILE)


if __name__ == "__main__":
    sys.exit(main())
