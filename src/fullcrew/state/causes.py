"""Reasons that are known before any planning: faults of objects, and what may not be placed now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fullcrew.errors import BadInput
from fullcrew.model.gang import Held
from fullcrew.model.reason import Kind, Reason, Stage, numbers

__all__ = ["Cause", "held", "reason_of", "words_of"]


class Cause(NamedTuple):
    """Why one member may not be placed. Members with equal causes are told together; so `message`
    speaks of the pods as "they" and names what is particular to one of them only where it must."""

    stage: Stage
    kind: Kind
    message: str


def words_of(bad: BadInput) -> str:
    """A fault with its place, as a reason tells it."""
    return f"{bad.where}: {bad.problem}" if bad.where else bad.problem


def reason_of(kind: Kind, message: str, **figures: int) -> Reason:
    """A reason at the door: nothing was tried yet."""
    return Reason(Stage.ADMISSION, kind, message, numbers(**figures))


def held(members: Iterable[tuple[str, Cause]]) -> tuple[Held, ...]:
    """Members by their cause, in the order of the causes' words."""
    by_cause: dict[Cause, list[str]] = {}
    for pod, cause in members:
        by_cause.setdefault(cause, []).append(pod)
    return tuple(
        Held(tuple(sorted(pods)), _reason(cause, count=len(pods)))
        for cause, pods in sorted(by_cause.items(), key=lambda item: item[0])
    )


def _reason(cause: Cause, *, count: int) -> Reason:
    who = "1 pod waits" if count == 1 else f"{count} pods wait"
    return Reason(cause.stage, cause.kind, f"{who}: {cause.message}", numbers(pods=count))
