"""The tables of the benchmark, its bars, and whether they are met."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import NamedTuple

from tools import results
from tools.e2e.arriving import Arrived, Pace
from tools.e2e.filling import Filled
from tools.e2e.restarting import Restarted

OURS, CEILING, RIVAL = "fullcrew", "bare client", "kube-scheduler"
LEAST_OF_CEILING = 0.8
MOST_CPU = 1.5
MOST_LISTS = 1.5
_MIB = 1 << 20
_HEAD = (
    "shape, contender",
    "pods/s",
    "of ceiling",
    "s to last bind",
    "s to last status",
    "writes/pod",
    "CPU us/pod",
    "of bare CPU",
    "memory MiB",
    "events pending",
)


class Bar(NamedTuple):
    """One promise of the benchmark, and what was found."""

    what: str
    found: str
    is_met: bool


class Medians(NamedTuple):
    """Of one contender on one shape, over all rounds."""

    shape: str
    contender: str
    rounds: int
    is_whole: bool
    bound: int
    rate: float
    bound_seconds: float
    told_seconds: float
    writes_each: float
    cpu_micro_each: float
    memory_bytes: float
    pending_events: float


def medians(found: Iterable[Filled]) -> list[Medians]:
    """By shape and contender, in the order in which they were first measured."""
    by_pair: defaultdict[tuple[str, str], list[Filled]] = defaultdict(list)
    for each in found:
        by_pair[each.shape, each.contender].append(each)
    return [_medians(*pair, rounds) for pair, rounds in by_pair.items()]


def _medians(shape: str, contender: str, rounds: Sequence[Filled]) -> Medians:
    def middle(of: Callable[[Filled], float]) -> float:
        return median(of(each) for each in rounds)

    return Medians(
        shape=shape,
        contender=contender,
        rounds=len(rounds),
        is_whole=all(each.is_whole for each in rounds),
        bound=min(each.bound for each in rounds),
        rate=middle(lambda each: each.rate),
        bound_seconds=middle(lambda each: each.bound_seconds),
        told_seconds=middle(lambda each: each.told_seconds),
        writes_each=middle(lambda each: each.writes_each),
        cpu_micro_each=middle(lambda each: each.cpu_micro_each),
        memory_bytes=middle(lambda each: each.memory_bytes),
        pending_events=middle(lambda each: each.pending_events),
    )


def of_fills(found: Sequence[Filled]) -> str:
    """One table: a line for each contender on each shape."""
    middle = medians(found)
    ceiling = {each.shape: each for each in middle if each.contender == CEILING}
    table = results.table(_HEAD, [_line(each, ceiling.get(each.shape)) for each in middle])
    return "\n".join([table, "", *_writes(found)])


def _line(each: Medians, ceiling: Medians | None) -> tuple[str, ...]:
    rounds = "" if each.rounds > 1 else " (one round)"
    short = "" if each.is_whole else f" (only {each.bound:,} bound)"
    figures: tuple[float | None, ...] = (
        each.rate,
        each.rate / ceiling.rate if ceiling else None,
        each.bound_seconds,
        each.told_seconds,
        each.writes_each,
        each.cpu_micro_each,
        each.cpu_micro_each / ceiling.cpu_micro_each if ceiling else None,
        each.memory_bytes / _MIB,
        each.pending_events,
    )
    return (f"{each.shape}, {each.contender}{short}{rounds}", *map(results.figure, figures))


def _writes(found: Sequence[Filled]) -> list[str]:
    """What was written, of the last round of each."""
    last = {(each.shape, each.contender): each.writes for each in found}
    return [
        f"- {shape}, {contender}: "
        + ", ".join(f"{count:,} {kind}" for kind, count in sorted(writes.items()))
        for (shape, contender), writes in last.items()
    ]


def of_arrivals(found: Sequence[Arrived], pace: Pace) -> str:
    """Each round a line; a steady arrival is no race, so there is no ceiling to divide by."""
    head = ("contender", "pods/s", "bound", "p50 ms", "p99 ms", "CPU us/pod")
    lines = [
        (
            each.contender,
            results.figure(pace.pods_per_second),
            f"{each.bound:,} of {each.pods:,}",
            results.figure(each.p50_ms),
            results.figure(each.p99_ms),
            results.figure(each.cpu_micro_each),
        )
        for each in found
    ]
    return results.table(head, lines)


def of_restart(found: Restarted) -> str:
    """The seconds, and their ratio."""
    head = ("restart", "seconds", "of a bare list")
    first, bare = found.first_bind_seconds, found.list_seconds
    what = f"{found.nodes:,} nodes, {found.pods:,} bound pods"
    lines = [
        (f"{what}: lease to first bind", results.figure(first), results.figure(found.ratio)),
        (f"{what}: a bare paged LIST of the same", results.figure(bare), ""),
    ]
    return results.table(head, lines)


def bars(found: Sequence[Filled], restart: Restarted | None) -> list[Bar]:
    """All that can be judged from what was measured."""
    by_pair = {(each.shape, each.contender): each for each in medians(found)}
    told: list[Bar] = []
    for (shape, contender), ours in by_pair.items():
        if contender != OURS:
            continue
        told.append(Bar(f"{shape}: every pod bound", f"{ours.bound:,}", ours.is_whole))
        if ceiling := by_pair.get((shape, CEILING)):
            told += _against_ceiling(ours, ceiling)
        if rival := by_pair.get((shape, RIVAL)):
            ahead = ours.rate / rival.rate if rival.bound else float("inf")
            told.append(Bar(f"{shape}: ahead of kube-scheduler", f"{ahead:.2f}", ahead > 1))
    if restart is not None:
        what = f"restart: first bind <= {MOST_LISTS} lists"
        told.append(Bar(what, f"{restart.ratio:.2f}", restart.ratio <= MOST_LISTS))
    return told


def _against_ceiling(ours: Medians, ceiling: Medians) -> list[Bar]:
    speed = ours.rate / ceiling.rate
    is_fast = speed >= LEAST_OF_CEILING
    cpu = ours.cpu_micro_each / ceiling.cpu_micro_each
    return [
        Bar(f"{ours.shape}: >= {LEAST_OF_CEILING} of the ceiling", f"{speed:.2f}", is_fast),
        Bar(f"{ours.shape}: CPU <= {MOST_CPU} of the bare client", f"{cpu:.2f}", cpu <= MOST_CPU),
    ]


def of_bars(told: Sequence[Bar]) -> str:
    """The judgement."""
    lines = [(bar.what, bar.found, results.verdict(bar.is_met)) for bar in told]
    return results.table(("bar", "found", "met"), lines)
