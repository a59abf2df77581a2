"""One plan on the clock, beside the plain loop on the same load."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

from fullcrew import core, errors, policies
from fullcrew.room import Plan, Snapshot
from fullcrew.run.term import COLLECT_AFTER
from tools.core_bench import plain
from tools.core_bench.loads import Load

MIB = 1 << 20
_ROUNDS = 7
_LONGEST_SECONDS = 12.0


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one row, as they go from its interpreter into the table."""

    row: str
    title: str
    figure: float
    unit: str
    bar: float | None = None
    plain: float | None = None  # the plain loop, in the same unit
    memory_bytes: int = 0
    memory_bar_bytes: int | None = None
    more: dict[str, float] = field(default_factory=dict)

    @property
    def is_met(self) -> bool | None:
        """Whether the bars are met; None where there is none."""
        if self.bar is None and self.memory_bar_bytes is None:
            return None
        fits = self.memory_bar_bytes is None or self.memory_bytes < self.memory_bar_bytes
        return fits and (self.bar is None or self._is_fast)

    @property
    def ratio(self) -> float | None:
        """How many times as fast as the plain loop."""
        if self.plain is None:
            return None
        return self.figure / self.plain if self.is_rate else self.plain / self.figure

    @property
    def is_rate(self) -> bool:
        """Whether more is better."""
        return self.unit.endswith("/s")

    @property
    def _is_fast(self) -> bool:
        bar = self.bar or 0.0
        return self.figure >= bar if self.is_rate else self.figure < bar


def planned(snapshot: Snapshot, memo: core.Memo) -> Plan:
    """The very call that every shell makes."""
    return core.plan(snapshot, policies.built_in(), memo)


def expect(plan: Plan, *, starts: int) -> None:
    """A benchmark of something else than it says is worse than none."""
    if len(plan.starts) != starts:
        raise errors.Bug(f"{len(plan.starts)} gangs start, expected were {starts}")


def seconds_of(act: Callable[[], object], *, rounds: int = _ROUNDS) -> float:
    """The median of several rounds, fewer where one takes long."""
    gc.collect()
    gc.freeze()  # as the scheduler does once it has read the cluster, and so is the threshold
    gc.set_threshold(COLLECT_AFTER, 20, 100)
    found: list[float] = []
    while len(found) < rounds and (len(found) < 3 or sum(found) < _LONGEST_SECONDS):
        started = perf_counter()
        act()
        found.append(perf_counter() - started)
    return median(found)


def loop_seconds(load: Load) -> float:
    """How long the plain loop takes for all pods of a load; where that is minutes, a part of them
    is measured and the rest reckoned."""
    part = plain.looped(load, at_most_seconds=_LONGEST_SECONDS / 3)
    return part.seconds * len(load.jobs) / part.jobs


def memory_bytes() -> int:
    """The most that this process has held in memory so far."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
