"""The table that each dialect fills: its project's own words for what became of a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from fullcrew.model.reason import Kind as Cause

__all__ = ["EventWords", "Words"]


class EventWords(NamedTuple):
    """Reasons of events on the group: Warning while it waits, Normal once it started."""

    waits: str
    started: str


@dataclass(frozen=True, slots=True)
class Words:
    """Phases, types and reasons of conditions. An empty word: the project has none for it."""

    fresh: str  # phases
    admitted: str
    running: str
    wounded: str
    finished: str
    waits: str  # types of conditions
    started: str
    why_started: str
    why: Mapping[Cause, str]  # reasons of the condition `waits`, by the kind of ours
    why_else: str
    why_role: str  # where a role is short of pods
    events: EventWords

    def why_waiting(self, cause: Cause, *, is_of_role: bool = False) -> str:
        """The project's word for one of our causes; `is_of_role` where it is about one role."""
        word = self.why.get(cause, self.why_else)
        return self.why_role or word if is_of_role else word
