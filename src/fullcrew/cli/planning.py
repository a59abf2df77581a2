"""From manifests to a plan, through the feed and the planner that the scheduler itself uses.

The clock is the caller's: the same objects and the same `now` give the same plan.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from fullcrew import core, errors, policies
from fullcrew.cli import manifests
from fullcrew.cli.manifests import Object
from fullcrew.cli.sources import Source
from fullcrew.model.offered import OWNED, Score
from fullcrew.objects import Faulty, Pod
from fullcrew.room import Plan, Snapshot
from fullcrew.state import State

__all__ = ["EVERYBODYS", "Outcome", "Settings", "plan", "planned", "snapshot"]

# Without a cluster we are the only scheduler: pods of the default one are ours, and pods that
# name none, as ACK's and Tencent's do.
EVERYBODYS: Final = frozenset({"default-scheduler", ""})

_FINISHED: Final = frozenset({"Succeeded", "Failed"})


@dataclass(frozen=True, slots=True)
class Settings:
    """What the options say. `owned`: whose pods are planned; "" stands for those who name none."""

    owned: frozenset[str] = EVERYBODYS.union(OWNED)
    default_queue: str = "default"
    score: str = Score.PACK


@dataclass(frozen=True, slots=True)
class Outcome:
    """A plan, and what there is to say beside it. Seconds are for people to wonder about."""

    plan: Plan
    notes: tuple[str, ...]
    passed_over: tuple[tuple[str, int], ...]
    read_seconds: float
    plan_seconds: float


def planned(
    sources: Iterable[Source], settings: Settings, *, now: int, stopwatch: Callable[[], float]
) -> Outcome:
    """Reads all sources and plans once. Raises BadInput where a document is none."""
    started = stopwatch()
    with _no_collection():
        read = manifests.read(sources)
        fed = snapshot(read.objects, settings, now=now)
        at_plan = stopwatch()
        made = plan(fed, settings)
        ended = stopwatch()
    _check(made, read.objects, settings.owned)
    return Outcome(
        plan=made,
        notes=(
            *(f"{file}: nothing was read, it holds no object" for file in read.empty),
            *_notes_of_others(read.objects, settings.owned),
            *fed.notes,
            *_notes_of_gangs(made),
        ),
        passed_over=read.passed_over,
        read_seconds=at_plan - started,
        plan_seconds=ended - at_plan,
    )


def snapshot(told: Iterable[Object], settings: Settings, *, now: int) -> Snapshot:
    """Everything, fed to the state that the scheduler has."""
    state = State(owned=settings.owned, default_queue=settings.default_queue)
    for each in told:
        state.put(each)
    return state.snapshot(now)


def plan(fed: Snapshot, settings: Settings) -> Plan:
    """What the scheduler's planner makes of it, with nothing remembered of earlier plans."""
    return core.plan(fed, policies.built_in(score=settings.score), core.Memo())


@contextmanager
def _no_collection() -> Iterator[None]:
    """A process that reads once and ends has nothing to collect, and looking takes a third."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _notes_of_gangs(plan: Plan) -> Iterator[str]:
    """Each once, though a gang may stand in several entries."""
    gangs = {start.gang.name: start.gang for start in plan.starts}
    gangs |= {wait.gang.name: wait.gang for wait in plan.waits}
    for name in sorted(gangs):
        yield from (f"{name}: {note}" for note in gangs[name].notes)


def _notes_of_others(told: Iterable[Object], owned: frozenset[str]) -> Iterator[str]:
    """Pods that wait for somebody else: a misspelt schedulerName must not look like no pod."""
    names = (pod.spec.scheduler_name for pod in _pods(told) if not _is_done(pod))
    others = Counter(name for name in names if name not in owned)
    for name, count in sorted(others.items()):
        who = "1 pod waits" if count == 1 else f"{count} pods wait"
        whose = f"the scheduler {name}" if name else "the default scheduler: none is named"
        yield f"not planned: {who} for {whose}; --scheduler-name says whose pods are"


def _check(plan: Plan, told: Iterable[Object], owned: frozenset[str]) -> None:
    """That each waiting pod of ours stands in exactly one entry: what scripts rely on."""
    found = Counter(binding.pod for start in plan.starts for binding in start.bindings)
    found.update(pod for wait in plan.waits for pod in wait.pods)
    twice = sorted(pod for pod, count in found.items() if count > 1)
    if twice:
        raise errors.Bug(f"pod {twice[0]} stands in two entries of one plan")
    waiting = {each.full_name for each in _pods(told) if _waits(each, owned)}
    if missing := sorted(waiting - found.keys()):
        raise errors.Bug(f"pod {missing[0]} waits, and the plan does not speak of it")


def _pods(told: Iterable[Object]) -> Iterator[Pod]:
    for each in told:
        known = each.object if isinstance(each, Faulty) else each
        if isinstance(known, Pod):
            yield known


def _waits(pod: Pod, owned: frozenset[str]) -> bool:
    return pod.spec.scheduler_name in owned and not _is_done(pod)


def _is_done(pod: Pod) -> bool:
    """Bound, leaving or ended: nobody has to place it."""
    return bool(pod.spec.node_name) or pod.metadata.is_leaving or pod.status.phase in _FINISHED
