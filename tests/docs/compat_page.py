"""The page that says of each scenario of the originals whether it passes here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from scenarios.playing import FOLDER, Scenario

__all__ = ["NUMBERS", "TOLD", "Row", "page", "rows"]

TOLD: Final = FOLDER.parent / "compat.yaml"
NUMBERS: Final = range(1, 249)

_HEAD: Final = """\
# Scenarios of kube-batch, Volcano and coscheduling

The originals' own tests describe 248 scenarios; the numbers are those of the list that this project
works from. This page is made by the tests: what passes is played by a file of `tests/scenarios`,
what waits needs a rule that a later release builds, and what differs does so on purpose.

| | scenarios |
|---|---|
"""


@dataclass(frozen=True)
class Row:
    """One number: what it says, what became of it, and where or why."""

    number: int
    what: str
    state: str
    remark: str


def rows(played: Iterable[Scenario], told: Mapping[str, Any]) -> list[Row]:
    """All numbers that are told of, in their order; a number told of twice stands there twice."""
    found = [
        Row(number, each["what"], "differs", each["why"])
        for each in told["differs"]
        for number in each["numbers"]
    ]
    differing = {row.number for row in found}
    for number, scenarios in _by_number(played).items():
        if number in differing:
            continue
        says = "; ".join(dict.fromkeys(scenario.says for scenario in scenarios))
        remark = told["partly"].get(number)
        state = "passes in part" if remark else "passes"
        files = ", ".join(sorted({f"`plans/{scenario.file}`" for scenario in scenarios}))
        files += f"; `{told['also'][number]}`" if number in told["also"] else ""
        found.append(Row(number, says, state, remark or files))
    for state, field in (("passes", "elsewhere"), ("waits", "waits")):
        for each in told[field]:
            remark = f"`{each['by']}`" if field == "elsewhere" else f"for {each['for']}"
            found += [Row(number, each["what"], state, remark) for number in each["numbers"]]
    return sorted(found, key=lambda row: row.number)


def page(found: Iterable[Row]) -> str:
    """The page as Markdown."""
    every = list(found)
    counts = [f"| {state} | {sum(row.state == state for row in every)} |\n" for state in _states()]
    lines = [f"| {row.number} | {row.what} | {row.state} | {row.remark} |\n" for row in every]
    return "".join(
        [_HEAD, *counts, "\n| number | what | here | where, or why |\n|---|---|---|---|\n", *lines]
    )


def _states() -> list[str]:
    return ["passes", "passes in part", "differs", "waits"]


def _by_number(played: Iterable[Scenario]) -> dict[int, list[Scenario]]:
    found: dict[int, list[Scenario]] = defaultdict(list)
    for scenario in played:
        for number in scenario.numbers:
            found[number].append(scenario)
    return found


def read(path: Path) -> Mapping[str, Any]:
    """What is told beside the scenario files."""
    told: Mapping[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return told
