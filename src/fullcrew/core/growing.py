"""Members above the minimum: as many as fit, fairly between queues, the best rank first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from fullcrew.core.candidate import Candidate
from fullcrew.core.placing import Placer
from fullcrew.core.turns import Turns

__all__ = ["grow"]

Run = tuple[int, int]  # so many members of a part, one after the other in rank


class _Growth:
    """What a standing gang would still take, in runs of members of one part."""

    __slots__ = ("candidate", "runs")

    def __init__(self, candidate: Candidate, is_wanted: Sequence[bool]) -> None:
        self.candidate = candidate
        self.runs = _runs(candidate, is_wanted)


def grow(
    placer: Placer,
    lines: Mapping[int, Iterable[Candidate]],
    *,
    is_wanted: Sequence[bool],
    is_idle: bool,
    began: Callable[[Candidate], None],
) -> None:
    """Gives standing gangs what fits of their members whose ask (by number) is wanted now;
    `is_idle`: those that ask for nothing.

    A gang whose queue has had enough for the moment goes on when it is its queue's turn again.
    """
    growths = {
        queue: [g for g in (_Growth(each, is_wanted) for each in line) if g.runs]
        for queue, line in lines.items()
    }
    asks = placer.ground.asks

    def demand(growth: _Growth) -> list[int]:
        found: list[int] = asks[growth.candidate.lack.parts[growth.runs[0][0]].ask].tolist()
        return found

    turns = Turns(placer.ground, growths, demand, is_last=_is_one_pod, is_idle=is_idle)
    while turns:
        growth = turns.head()
        candidate, (at, count) = growth.candidate, growth.runs[0]
        part = candidate.lack.parts[at]
        pair = (part.ask, part.where)
        portion = turns.until_next(part.ask, count)
        share = placer.fill(pair, candidate.queue, portion)
        if share.pods < portion:
            placer.note_shortage(pair, candidate.queue, found=share.pods, wanted=portion)
            growth.runs = [run for run in growth.runs if run[0] != at]
        else:
            rest = [(at, count - portion)] if portion < count else []
            growth.runs[:1] = rest
        if share.pods:
            if not candidate.bindings:
                began(candidate)
            candidate.give(at, share, placer.ground.snapshot.nodes.names)
        turns.passed(0 if growth.runs else 1)


def _is_one_pod(growth: _Growth) -> bool:
    return len(growth.runs) == 1 and growth.runs[0][1] == 1


def _runs(candidate: Candidate, is_wanted: Sequence[bool]) -> list[Run]:
    parts = candidate.lack.parts
    open_parts = [at for at in range(len(parts)) if candidate.left(at) and is_wanted[parts[at].ask]]
    if len(open_parts) == 1:
        return [(open_parts[0], candidate.left(open_parts[0]))]
    ranked = sorted((m.rank, at) for at in open_parts for m in candidate.next_members(at))
    runs: list[Run] = []
    for _, at in ranked:
        if runs and runs[-1][0] == at:
            runs[-1] = (at, runs[-1][1] + 1)
        else:
            runs.append((at, 1))
    return runs
