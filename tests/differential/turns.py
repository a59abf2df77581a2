"""Checks on whose turn it is: the order of starts, and that it was honoured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from differential.case import Case
from differential.rows import Gang

__all__ = ["best_effort_comes_last", "nobody_is_overtaken", "starts_are_in_order"]


def starts_are_in_order(case: Case) -> Iterator[str]:
    """Wounded gangs, then fresh ones; inside a queue by priority, age, name."""
    gangs = [case.cluster.gangs[key] for key in case.starts]
    gangs = [gang for gang in gangs if not _best_effort(gang)]
    for one, other in pairwise(gangs):
        if _kind(one) > _kind(other):
            told = f"{one.title} ({_KINDS[_kind(one)]})"
            yield f"{other.title} ({_KINDS[_kind(other)]}) starts after {told}"
    for turn in _turns(gangs):
        for one, other in pairwise(turn):
            if one.order > other.order:
                yield f"{other.title} starts after {one.title}, of the same queue"


def _turns(gangs: Iterable[Gang]) -> Iterable[list[Gang]]:
    """Wounded and fresh gangs of one queue, as they start."""
    turns: dict[tuple[str, int], list[Gang]] = {}
    for gang in gangs:
        if not gang.is_order_unclear and not gang.stands:
            turns.setdefault((gang.queue, _kind(gang)), []).append(gang)
    return turns.values()


_KINDS = ("wounded", "fresh", "growing")


def _kind(gang: Gang) -> int:
    return 0 if gang.is_wounded else 2 if gang.stands else 1


def _best_effort(gang: Gang) -> list[str]:
    return [pod.name for pod in gang.waiting if pod.is_best_effort]


def best_effort_comes_last(case: Case) -> Iterator[str]:
    """Gangs of pods without requests start after all fresh ones that ask for something."""
    seen = ""
    for key in case.starts:
        gang = case.cluster.gangs[key]
        asks_nothing = len(_best_effort(gang)) == len(gang.waiting)
        if asks_nothing and not gang.live:
            seen = seen or gang.title
        elif seen and not _best_effort(gang):
            yield f"{gang.title} starts after {seen}, which asks for nothing"


def nobody_is_overtaken(case: Case) -> Iterator[str]:
    """A gang that waits does not fit even where all that comes behind it in its queue is gone."""
    for gang in case.gangs_that_wait():
        if gang.is_order_unclear or _best_effort(gang) or not case.may_place(gang):
            continue
        behind = set(_behind(case, gang))
        if not behind:
            continue
        before = {pod: node for pod, node in case.started.items() if pod not in behind}
        left, used = case.room_after(before)
        if case.fits(gang, left, used(gang.queue)):
            others = sorted({case.cluster.pods[pod].gang[1] for pod in behind})
            yield f"{gang.title} waits, though it would fit without {', '.join(others)} behind it"


def _behind(case: Case, gang: Gang) -> Iterator[str]:
    """Pods that start and come behind a gang beyond doubt."""
    for key, pods in case.starts.items():
        other = case.cluster.gangs[key]
        if other.is_order_unclear or other.queue != gang.queue:
            continue
        is_later = _kind(other) == _kind(gang) and other.order > gang.order
        if _kind(other) > _kind(gang) or is_later:
            yield from pods
