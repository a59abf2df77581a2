"""What a plan says: who starts where, who waits and why, and until when that holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fullcrew.model.gang import Gang
from fullcrew.model.reason import Reason

__all__ = ["Binding", "Plan", "Start", "Wait"]


class Binding(NamedTuple):
    """One pod to be bound. The uid keeps an old plan away from a pod recreated under its name."""

    pod: str  # namespace/name
    uid: str
    node: str


@dataclass(frozen=True, slots=True)
class Start:
    """All that one plan binds of one gang: what its minimum lacks, and its growth behind that.

    `minimum` tells how many of the bindings, from the first, the minimum needs (0 for a gang that
    stood already and only grows).
    """

    gang: Gang
    bindings: tuple[Binding, ...]
    minimum: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Pods of one gang that stay pending, and why. A gang may have several with other reasons."""

    gang: Gang
    pods: tuple[str, ...]  # sorted
    reason: Reason


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer of one cycle. `starts` stand in the order of decision, `waits` by gang's name.

    `valid_until`: the same snapshot with any earlier `now` gives the same plan; None: for ever.
    """

    starts: tuple[Start, ...]
    waits: tuple[Wait, ...]
    valid_until: int | None = None
