"""What the last plan said of each gang that waits, and what of it is news."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from fullcrew.model import reason as reasons
from fullcrew.model.reason import Reason
from fullcrew.room import Plan, Wait

__all__ = ["Verdict", "Verdicts", "judged"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a gang waits, or those of its members that do."""

    reason: Reason
    lacks: int  # how many members its minimum lacks; 0 for one that could only grow
    waits: tuple[tuple[tuple[str, ...], Reason], ...]  # pods, and why these


@dataclass(frozen=True, slots=True)
class Verdicts:
    """All verdicts of a plan, those that changed since the last one, and how many wait for what.

    `figures` are gangs of whose verdict nothing but numbers changed: with a backlog of ten thousand
    each start changes them all. `version` is the state's at which the plan was made; those in
    `stale` were to start and were dropped, so that the plan says nothing of them.
    """

    by_gang: Mapping[str, Verdict] = field(default_factory=dict)
    news: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    gangs: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    pods: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    version: int = 0
    stale: frozenset[str] = frozenset()


def judged(plan: Plan, before: Mapping[str, Verdict], *, version: int = 0) -> Verdicts:
    """The verdicts of a plan. It runs in the planning thread: there may be ten thousand."""
    started = {start.gang.name for start in plan.starts}
    by_gang = {
        name: _verdict(list(waits), has_started=name in started)
        for name, waits in _by_gang(plan.waits)
    }
    changed = [name for name, verdict in by_gang.items() if before.get(name) != verdict]
    news = [name for name in changed if not _says_the_same(by_gang[name], before.get(name))]
    figures = frozenset(changed).difference(news)
    news += [name for name in before if name not in by_gang]
    gangs: Counter[tuple[str, ...]] = Counter()
    pods: Counter[tuple[str, ...]] = Counter()
    for verdict in by_gang.values():
        gangs[str(verdict.reason.stage), str(verdict.reason.kind)] += 1
        for members, reason in verdict.waits:
            pods[str(reason.stage), str(reason.kind)] += len(members)
    return Verdicts(by_gang, tuple(news), tuple(sorted(figures)), gangs, pods, version)


def _says_the_same(verdict: Verdict, before: Verdict | None) -> bool:
    """But for numbers."""
    if before is None or (before.lacks, len(before.waits)) != (verdict.lacks, len(verdict.waits)):
        return False
    return all(
        pods == others and reasons.is_same_kind(reason, other)
        for (pods, reason), (others, other) in zip(verdict.waits, before.waits, strict=True)
    )


def _by_gang(waits: Iterable[Wait]) -> Iterator[tuple[str, Iterable[Wait]]]:
    """They stand by gang's name in a plan."""
    return groupby(waits, key=lambda wait: wait.gang.name)


def _verdict(waits: list[Wait], *, has_started: bool) -> Verdict:
    """The reason that most pods have is the gang's. Who starts now lacks nothing any more."""
    first = max(waits, key=lambda wait: len(wait.pods))
    told = tuple((wait.pods, wait.reason) for wait in waits)
    lacks = 0 if has_started else max(wait.gang.lacks for wait in waits)
    return Verdict(first.reason, lacks, told)
