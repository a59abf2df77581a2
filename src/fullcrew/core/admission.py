"""What keeps a gang from being planned at all, whatever room there is."""

from __future__ import annotations

from collections.abc import Iterable

from fullcrew.core import words
from fullcrew.core.candidate import Candidate
from fullcrew.core.ground import Ground
from fullcrew.model.amounts import NO_LIMIT
from fullcrew.model.gang import Queue
from fullcrew.model.reason import Kind, Reason, Stage, numbers

__all__ = ["closed_queue", "refusal"]


def refusal(candidate: Candidate, ground: Ground) -> Reason | None:
    """Why nothing of the gang may be placed now; None if it may be tried.

    A wounded gang is mended in a closed queue too: closing stops what is new, not what runs.
    """
    gang, queue = candidate.gang, ground.snapshot.queues[candidate.queue]
    if gang.fault is not None:
        return gang.fault
    if queue.fault is not None:
        return queue.fault
    if not queue.is_open and not gang.is_wounded:
        return closed_queue(candidate, queue)
    too_few = _too_few(candidate)
    if too_few is not None and not gang.live:
        return _beyond_limit(candidate, ground) or too_few
    return too_few


def closed_queue(candidate: Candidate, queue: Queue) -> Reason:
    """A queue that is not open starts nothing."""
    return Reason(
        Stage.ADMISSION,
        Kind.CLOSED_QUEUE,
        f"queue {queue.name} is {queue.state} and starts nothing new",
        numbers(minimum=candidate.gang.minimum, waiting=candidate.waiting),
    )


def _too_few(candidate: Candidate) -> Reason | None:
    """Fewer members may be placed than the gang lacks, in all or in a role."""
    lack, gang = candidate.lack, candidate.gang
    if lack.need > candidate.waiting:
        have = gang.counted + candidate.waiting
        return _missing(candidate, have=have, minimum=max(gang.minimum, gang.counted + lack.need))
    if len(lack.parts) == 1 and len(lack.owed) == 1:
        return None  # what a gang of one role needs, its role needs
    for at, owed in enumerate(lack.owed):
        there = sum(n for n, role in zip(lack.counts, lack.role_of, strict=True) if role == at)
        if owed > there:
            role = gang.roles[at]
            have = role.standing + there
            return _missing(candidate, have=have, minimum=role.minimum, role=role.name)
    return None


def _beyond_limit(candidate: Candidate, ground: Ground) -> Reason | None:
    """Controllers that make pods only once the group is admitted tell beforehand what it will
    need; where a hard limit forbids that, it is the limit and not the missing pods that it waits
    for. Pods that are there are judged themselves."""
    gang, at = candidate.gang, candidate.queue
    if not gang.min_resources or not ground.is_limited[at]:
        return None
    rows = {name: row for row, name in enumerate(ground.snapshot.resources)}
    for name, much in gang.min_resources:
        if (row := rows.get(name)) is None:
            continue
        limit, used = int(ground.room.limit[row, at]), int(ground.room.used[row, at])
        if limit < NO_LIMIT and used + much > limit:
            told = [words.quantity(name, each) for each in (limit, used, much)]
            return Reason(
                Stage.QUOTA,
                Kind.LIMIT,
                f"queue {gang.queue} may use {told[0]} {name} and uses {told[1]}; the group's"
                f" minResources ask for {told[2]} more",
                numbers(limit=limit, used=used, asked=much, minimum=gang.minimum),
            )
    return None


def _missing(candidate: Candidate, *, have: int, minimum: int, role: str = "") -> Reason:
    held = candidate.gang.held
    kept = sum(len(each.pods) for each in held)
    figures = numbers(pods=have, minimum=minimum, missing=minimum - have, held=kept)
    of_role = f" of role {role}" if role else ""
    message = f"it starts with {words.pods(minimum)}{of_role} and has {have or 'none'}"
    children = tuple(each.reason for each in held)
    if have + kept < minimum or not held:
        if kept:
            message += f", besides {kept} held back"
        return Reason(Stage.ADMISSION, Kind.TOO_FEW_PODS, message, figures, children=children)
    first = _weightiest(children)
    message = first.message if minimum == 1 else f"{message} that can be placed; {first.message}"
    return Reason(first.stage, first.kind, message, figures, children=children)


def _weightiest(reasons: Iterable[Reason]) -> Reason:
    """What nobody but us can change comes before what its owner holds back."""
    return min(reasons, key=lambda reason: (reason.kind is Kind.GATED, reason.message))
