"""Why a gang waits, as a value; and how the value becomes words.

The same value is written into the group's condition, the event, the answer of `why`, the card of
the dashboard and the label of the metric. None of them invents a sentence of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = [
    "Json",
    "Kind",
    "Reason",
    "Stage",
    "as_json",
    "from_json",
    "in_words",
    "is_same_kind",
    "kinds",
    "numbers",
]

Json = str | int | list["Json"] | dict[str, "Json"]  # what a reason needs of it


class Stage(StrEnum):
    """Where on its way a gang was stopped, in the order of the way."""

    ADMISSION = "admission"
    ORDER = "order"
    QUOTA = "quota"
    PLACEMENT = "placement"
    TOPOLOGY = "topology"
    RESERVED = "reserved"
    VOLUMES = "volumes"
    PREEMPTION = "preemption"
    BINDING = "binding"


class Kind(StrEnum):
    """The closed list of causes. Scripts and metrics compare them; they are never reworded."""

    FAULTY = "faulty"  # an object of the gang says what cannot be
    UNKNOWN_QUEUE = "unknown-queue"
    UNKNOWN_PRIORITY_CLASS = "unknown-priority-class"
    NO_GROUP = "no-group"  # pods name a group that does not exist
    CLOSED_QUEUE = "closed-queue"
    TOO_FEW_PODS = "too-few-pods"
    GATED = "gated"
    ENDING = "ending"  # the namespace or the group is being deleted
    LIMIT = "limit"  # the queue's hard limit
    NOWHERE = "nowhere"  # no node satisfies the constraints, however empty
    SHORT = "short"  # nodes satisfy them, but have too little room
    SEARCH_ENDED = "search-ended"  # the bounded search found nothing; a fit may exist
    HELD = "held"  # the room there is, is held for a wounded gang
    NOT_BUILT = "not-built"  # a rule of the pod that this release cannot keep
    REFUSED = "refused"  # the API server refused a bind
    RIVAL = "rival"  # another scheduler serves the name that its pods have
    UNSETTLED = "unsettled"  # a bind's outcome is not known yet


@dataclass(frozen=True, slots=True)
class Reason:
    """One cause, and the causes below it.

    `kind` is one word that machines compare and is never translated or reworded; `message` is one
    sentence that stands alone; `numbers` hold each figure of the sentence, so that nobody parses
    prose.
    """

    stage: Stage
    kind: Kind
    message: str
    numbers: tuple[tuple[str, int], ...] = ()
    in_the_way: tuple[str, ...] = ()
    children: tuple[Reason, ...] = ()

    def number(self, name: str) -> int:
        """One figure by its name."""
        return dict(self.numbers)[name]


def numbers(**figures: int) -> tuple[tuple[str, int], ...]:
    """Figures as they are kept: sorted by name, Python's own whole numbers, hashable."""
    return tuple(sorted((name, int(figure)) for name, figure in figures.items()))


def is_same_kind(old: Reason, new: Reason) -> bool:
    """Whether only numbers moved. Such a change may be written late; another is written at once."""
    return kinds(old) == kinds(new)


def in_words(reason: Reason) -> str:
    """For people: the chain from the outcome to the facts, one step a line."""
    return "\n".join(_lines(reason, depth=0))


def as_json(reason: Reason) -> Mapping[str, Json]:
    """For scripts. A promise: fields may be added, never renamed or removed."""
    return {
        "stage": str(reason.stage),
        "kind": str(reason.kind),
        "message": reason.message,
        "numbers": {**dict(reason.numbers)},
        "inTheWay": [*reason.in_the_way],
        "children": [{**as_json(child)} for child in reason.children],
    }


def from_json(told: Mapping[str, Json]) -> Reason:
    """The value again, from what `as_json` made. Raises ValueError where it is none."""
    figures, blockers, below = told.get("numbers"), told.get("inTheWay"), told.get("children")
    if not isinstance(figures, dict) or not isinstance(blockers, list):
        raise ValueError("a reason has numbers and a list of who is in the way")
    if not isinstance(below, list):
        raise ValueError("a reason has a list of causes below it")
    causes = [child for child in below if isinstance(child, dict)]
    if len(causes) < len(below):
        raise ValueError("a cause is a reason itself")
    return Reason(
        stage=Stage(str(told.get("stage"))),
        kind=Kind(str(told.get("kind"))),
        message=str(told.get("message", "")),
        numbers=tuple(sorted((name, int(str(much))) for name, much in figures.items())),
        in_the_way=tuple(str(blocker) for blocker in blockers),
        children=tuple(from_json(child) for child in causes),
    )


def _lines(reason: Reason, *, depth: int) -> Iterator[str]:
    behind = f" (behind {', '.join(reason.in_the_way)})" if reason.in_the_way else ""
    yield f"{'  ' * depth}{reason.stage}: {reason.message}{behind}"
    for child in reason.children:
        yield from _lines(child, depth=depth + 1)


def kinds(reason: Reason) -> tuple[object, ...]:
    """All of it but the numbers, to be compared."""
    return (reason.stage, reason.kind, *(kinds(child) for child in reason.children))
