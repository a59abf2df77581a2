"""One cycle: from a snapshot to who starts where, and who waits and why.

Wounded gangs first, then fresh ones, then growth above the minimum, then what asks for nothing.
Reasons are told at the end, on the room that is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter

import numpy as np

from fullcrew import errors
from fullcrew.core import admission, lines
from fullcrew.core.candidate import Candidate
from fullcrew.core.explaining import Explaining
from fullcrew.core.ground import Ground
from fullcrew.core.growing import grow
from fullcrew.core.holding import Holdings
from fullcrew.core.lacking import wanted
from fullcrew.core.memo import Memo
from fullcrew.core.placing import Placer
from fullcrew.core.ports import Policies
from fullcrew.core.turns import Turns
from fullcrew.model.reason import Reason
from fullcrew.room import Plan, Snapshot, Wait

__all__ = ["plan"]

Lines = dict[int, list[Candidate]]


def plan(snapshot: Snapshot, policies: Policies, memo: Memo) -> Plan:
    """What shall be done now. The same snapshot gives the same plan, whatever the memo holds."""
    memo.begin(snapshot)
    return _Cycle(snapshot, policies, memo).planned()


class _Cycle:
    """What the phases of one cycle hand on to each other."""

    def __init__(self, snapshot: Snapshot, policies: Policies, memo: Memo) -> None:
        self._snapshot = snapshot
        self._ground = Ground(snapshot, policies, memo)
        self._placer = Placer(self._ground)
        self._placer.recall(memo.capacities)
        self._memo = memo
        self._holdings = Holdings(self._ground, self._placer)
        self._refused: list[tuple[Candidate, Reason]] = []
        self._candidates: list[Candidate] = []
        self._started: list[Candidate] = []

    def planned(self) -> Plan:
        """The phases, in their order."""
        self._admit()
        wounded, fresh, idle = self._in_phases()
        for candidate in wounded:
            self._mend(candidate)
        asks_nothing = self._ground.is_best_effort
        asks_something = [not each for each in asks_nothing]
        for starting, is_wanted in ((fresh, asks_something), (idle, asks_nothing)):
            is_idle = starting is idle
            self._start(_in_lines(starting), is_idle=is_idle)
            self._grow(is_wanted, is_idle=is_idle)
        starts = tuple(candidate.start() for candidate in self._started)
        return Plan(starts, self._waits(), self._holdings.valid_until)

    def _admit(self) -> None:
        numbers = {queue.name: at for at, queue in enumerate(self._snapshot.queues)}
        for gang in self._snapshot.gangs:
            at = numbers.get(gang.queue)
            if at is None:
                if gang.fault is None:
                    raise errors.Bug(
                        f"{gang.name} stands in queue {gang.queue}, which is not there"
                    )
                self._refused.append((Candidate(gang, -1), gang.fault))
                continue
            candidate = Candidate(gang, at)
            why = admission.refusal(candidate, self._ground)
            if why is None:
                self._candidates.append(candidate)
                continue
            if self._holdings.is_due(candidate):
                self._candidates.append(candidate)
                continue
            self._refused.append((candidate, why))

    def _in_phases(self) -> tuple[list[Candidate], list[Candidate], list[Candidate]]:
        """Wounded ones, fresh ones, and fresh ones that ask for nothing, each in order."""
        phases: tuple[list[Candidate], list[Candidate], list[Candidate]] = ([], [], [])
        best_effort = self._ground.is_best_effort
        for candidate in sorted(self._candidates, key=attrgetter("order")):
            if candidate.gang.is_wounded:
                phases[0].append(candidate)
            elif not candidate.stands:
                is_last = lines.is_idle(candidate.lack.pairs, best_effort)
                phases[2 if is_last else 1].append(candidate)
        return phases

    def _mend(self, candidate: Candidate) -> None:
        if admission.refusal(candidate, self._ground) is None:
            shares = self._placer.place(candidate.lack, candidate.queue)
            if shares is not None:
                candidate.begin(shares, self._snapshot.nodes.names)
                self._started.append(candidate)
                return
        self._holdings.hold(candidate)

    def _start(self, lines: Lines, *, is_idle: bool) -> None:
        """Queue after queue, the one whose turn it is; gang after gang in its line."""
        turns = Turns(self._ground, lines, self._demand, is_idle=is_idle)
        while turns:
            head = turns.head()
            if _is_one_pod(head):
                self._start_alike(turns, head)
                continue
            shares = self._placer.place(head.lack, head.queue)
            if shares is None:
                turns.passed(len(turns.run(_fares_alike)))
                continue
            head.begin(shares, self._snapshot.nodes.names)
            self._started.append(head)
            turns.passed(1)

    def _demand(self, candidate: Candidate) -> list[int]:
        """What a gang's start would add to its queue, by resource."""
        lack, asks = candidate.lack, self._ground.asks
        if len(lack.parts) == 1:
            return [lack.need * much for much in asks[lack.parts[0].ask].tolist()]
        counts = np.array(wanted(lack), dtype=object)  # Python's own numbers: a sum of demand
        added: list[int] = (counts @ asks[[part.ask for part in lack.parts]]).tolist()
        return added

    def _start_alike(self, turns: Turns[Candidate], head: Candidate) -> None:
        """Pods without a group that ask for the same, in one pass: as many as it is their turn."""
        part, queue = head.lack.parts[0], head.queue
        pair = (part.ask, part.where)
        alike = turns.run(_is_alike, most=turns.until_next(part.ask, turns.left))
        share = self._placer.fill(pair, queue, len(alike))
        places = zip(share.nodes, share.counts, strict=True)
        nodes = [node for node, count in places for _ in range(count)]
        for candidate, node in zip(alike, nodes, strict=False):
            candidate.begin_on(self._snapshot.nodes.names[node])
            self._started.append(candidate)
        if len(nodes) < len(alike):
            self._placer.note_shortage(pair, queue, found=len(nodes), wanted=len(alike))
            turns.passed(len(turns.run(_is_alike)))
        else:
            turns.passed(len(alike))

    def _grow(self, is_wanted: list[bool], *, is_idle: bool) -> None:
        queues = self._snapshot.queues
        growing = [
            each
            for each in self._candidates
            if each.stands and each.is_incomplete and queues[each.queue].is_open
        ]
        in_order = _in_lines(sorted(growing, key=attrgetter("order")))
        began = self._started.append
        grow(self._placer, in_order, is_wanted=is_wanted, is_idle=is_idle, began=began)

    def _waits(self) -> tuple[Wait, ...]:
        explaining = Explaining(self._ground, self._placer, self._told_before())
        waits = [_wait(candidate, why) for candidate, why in self._refused]
        for candidate in self._candidates:
            if not candidate.stands:
                waits.append(_wait(candidate, self._why(candidate, explaining)))
                continue
            behind = [
                m.pod for at in range(len(candidate.given)) for m in candidate.next_members(at)
            ]
            if behind:
                why = _noted(candidate, explaining.stays_behind(candidate))
                waits.append(Wait(candidate.gang, tuple(sorted(behind)), why))
            waits += [Wait(candidate.gang, held.pods, held.reason) for held in candidate.gang.held]
        waits.sort(key=lambda wait: (wait.gang.name, wait.pods))
        if not self._ground.room.mark():
            self._memo.reasons = explaining.told
        return tuple(waits)

    def _told_before(self) -> dict[object, Reason]:
        """Reasons of the last cycle still hold if the ledger is the same and nothing was taken."""
        if self._ground.room.mark():
            self._memo.reasons.clear()
        else:
            self._memo.capacities = self._placer.untouched()
        return self._memo.reasons

    def _why(self, candidate: Candidate, explaining: Explaining) -> Reason:
        why = None
        if candidate.gang.is_wounded:  # it may keep room although its members are too few
            why = admission.refusal(candidate, self._ground)
        why = why or explaining.waits(candidate)
        return self._holdings.reason(candidate, why) or why


def _in_lines(candidates: Iterable[Candidate]) -> Lines:
    lines: Lines = {}
    for candidate in candidates:
        lines.setdefault(candidate.queue, []).append(candidate)
    return lines


def _is_one_pod(candidate: Candidate) -> bool:
    lack = candidate.lack
    return lack.need == 1 and lack.counts == (1,)


def _is_alike(first: Candidate, other: Candidate) -> bool:
    return _is_one_pod(other) and first.lack.pairs == other.lack.pairs


def _fares_alike(first: Candidate, other: Candidate) -> bool:
    return first.lack.signature == other.lack.signature


def _wait(candidate: Candidate, why: Reason) -> Wait:
    """Everything of a gang that does not start waits for one reason; what is held tells its own
    below it."""
    gang = candidate.gang
    pods = [member.pod for part in candidate.lack.parts for member in part.members]
    for held in gang.held:
        pods += held.pods
    told = tuple(held.reason for held in gang.held if held.reason not in why.children)
    if told and gang.fault is None:
        why = replace(why, children=(*why.children, *told))
    return Wait(gang, tuple(sorted(pods)), _noted(candidate, why))


def _noted(candidate: Candidate, why: Reason) -> Reason:
    notes = candidate.gang.notes
    return replace(why, message=f"{why.message} ({'; '.join(notes)})") if notes else why
