"""What did not go well in a launch so far: whom to ask again, and what to tell meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fullcrew.launch import telling
from fullcrew.launch.answers import Answer
from fullcrew.launch.requests import HeldUp
from fullcrew.room import Binding

__all__ = ["Setbacks"]


@dataclass(slots=True, eq=False)
class Setbacks:
    """By uid. Most launches have none, and make none."""

    held_back: dict[str, None] = field(default_factory=dict)  # not sent, and perhaps never
    doubtful: dict[str, None] = field(default_factory=dict)  # an attempt may yet be carried out
    seen_waiting: set[str] = field(default_factory=set)  # of those: read once, and not bound then
    withheld: set[str] = field(default_factory=set)  # of those: must not be repeated, only read
    asked_again: dict[str, Answer] = field(default_factory=dict)  # with what was said last
    refusals: dict[str, Answer] = field(default_factory=dict)
    failed: dict[str, None] = field(default_factory=dict)
    lost: list[Binding] = field(default_factory=list)
    attempts: dict[str, int] = field(default_factory=dict)

    def held_up(self, pending: Mapping[str, Binding], *, minimum: int) -> HeldUp | None:
        """Which of the pending pods do not get on, and why: the gravest cause is told, with the
        server's last words on it."""
        refused = [uid for uid in self.refusals if uid in pending]
        if refused:
            answer = self.refusals[refused[-1]]
            reason = telling.refused(answer, pods=len(refused), minimum=minimum)
            return HeldUp(_names([*refused, *self.held_back], pending), reason)
        if self.doubtful:
            last = self.asked_again[next(reversed(self.doubtful))]
            reason = telling.unsettled(last, pods=len(self.doubtful), minimum=minimum)
            return HeldUp(_names([*self.doubtful, *self.held_back], pending), reason)
        if self.asked_again:
            last = next(reversed(self.asked_again.values()))
            reason = telling.busy(last, pods=len(self.asked_again), minimum=minimum)
            return HeldUp(_names(self.asked_again, pending), reason)
        return None


def _names(uids: Iterable[str], pending: Mapping[str, Binding]) -> tuple[str, ...]:
    return tuple(pending[uid].pod for uid in dict.fromkeys(uids) if uid in pending)
