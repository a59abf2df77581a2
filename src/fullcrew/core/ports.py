"""The questions that the core asks of policies; each policy answers one of them in one file.

Answers are columns over all nodes at once: a policy that walks over nodes in Python is a thousand
times too slow. Policies get values and return values; they know no clock, no I/O and no chance.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from fullcrew.model.gang import Queue
from fullcrew.model.where import Where
from fullcrew.room import Ints, Mask, Nodes

__all__ = ["SCORE_LIMIT", "ColumnScorer", "Fairness", "Filter", "Policies", "Scorer", "View"]

SCORE_LIMIT: Final = 1 << 40  # times four million nodes it still fits int64


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The nodes as a scorer sees them: node i is the same in all columns, `free` as it is now."""

    resources: tuple[str, ...]
    size: Ints  # [resource, node]
    free: Ints  # [resource, node]
    total: Ints  # [resource]: what all usable nodes have together

    def only(self, rows: Ints) -> View:
        """Some of the nodes."""
        size, free = self.size.take(rows, axis=1), self.free.take(rows, axis=1)
        return View(self.resources, size, free, self.total)


class Scorer(Protocol):
    """Which nodes suit an ask better."""

    def score(self, ask: Ints, view: View, copies: Ints) -> Ints:
        """A whole number for each node, higher is better, within ±SCORE_LIMIT.

        `copies` is by node how many pods of this ask the very same decision has put there already;
        the score must not rise with them. Called a few times for each role of each gang.
        """
        ...


@runtime_checkable
class ColumnScorer(Scorer, Protocol):
    """A scorer for which most asks are alike, and whose score does not change with copies.

    Scores of alike asks are kept from gang to gang and refreshed only for nodes that changed.
    """

    def column(self, ask: Ints, view: View) -> Hashable:
        """What the score takes of an ask: those of which it is equal have the same scores.
        Called once for each distinct ask of a cycle."""
        ...

    def of_column(self, column: Any, view: View) -> Ints:  # noqa: ANN401 - what `column` made
        """The scores for it. Called for all nodes at first, then for those that changed."""
        ...


class Filter(Protocol):
    """Which nodes a pod may use, and which it would rather use, amounts apart."""

    def allow(self, where: Where, nodes: Nodes) -> Mask:
        """True for each node that the constraints allow. Asked again only of changed nodes."""
        ...

    def liking(self, where: Where, nodes: Nodes) -> Ints | None:
        """What the pod's wishes are worth on each node, more is better; None: it has none.

        Wishes come before scores: a pod goes to a node that it likes less only for want of room.
        """
        ...


class Fairness(Protocol):
    """Whose turn it is among queues, which fill like vessels side by side."""

    def level(self, queue: Queue, used: Sequence[int], total: Sequence[int]) -> int:
        """How high a queue stands that uses so much. It must not fall when more is used.

        `used` and `total` are by resource: what the queue uses, what all nodes have. Asked a few
        times for each start: of what is, and of what would be.
        """
        ...

    def width(self, queue: Queue) -> int:
        """How much more it takes to raise this queue by one than a queue of width 1; at least 1.
        Asked once in a cycle."""
        ...


@dataclass(frozen=True, slots=True)
class Policies:
    """One answer to each question."""

    scorer: Scorer
    filter: Filter
    fairness: Fairness
