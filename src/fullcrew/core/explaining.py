"""Why a gang that could be tried does not start, told on the room that the plan leaves.

Told at the end of a cycle and not when it failed: so alike gangs share one reason, and the figures
are those that a person finds when looking at the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from fullcrew.core import words
from fullcrew.core.admission import closed_queue
from fullcrew.core.barring import Barred, Bars
from fullcrew.core.candidate import Candidate
from fullcrew.core.cutting import Holding
from fullcrew.core.ground import Ground
from fullcrew.core.lacking import Lack, wanted
from fullcrew.core.placing import Placer
from fullcrew.model.amounts import NO_LIMIT, is_host_port
from fullcrew.model.reason import Kind, Reason, Stage, numbers
from fullcrew.room import Ints

__all__ = ["Explaining"]

Pair = tuple[int, int]
Asked = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Here:
    """The nodes that a where allows, and by resource what they have."""

    free: Ints  # [resource, allowed node], nothing below zero
    nodes: int
    most: list[int]
    total: list[int]
    largest: list[int]
    in_order: dict[int, Ints]  # by resource what is free, the least first; made when asked for

    def scarcest(self, asked: Asked, names: Sequence[str]) -> int:
        """The row of the resource that alone lets the fewest nodes hold one pod, and where that
        is alike the fewest pods in."""
        enough = [(self._enough(row, much), row, much) for row, much in asked]
        least = min(enough)[0]
        tied = [(row, much) for many, row, much in enough if many == least]
        if len(tied) == 1:
            return tied[0][0]
        alone = [(int((self.free[row] // much).sum()), names[row], row) for row, much in tied]
        return min(alone)[-1]

    def fitting(self, asked: Asked, count: int) -> int:
        """How many pods fit, up to `count`."""
        rows = np.flatnonzero(reduce(np.logical_and, (self.free[r] >= much for r, much in asked)))
        return min(count, int(Holding(self.free, asked).on_all(rows, most=count).sum()))

    def _enough(self, row: int, much: int) -> int:
        """On how many nodes there is so much."""
        ordered = self.in_order.get(row)
        if ordered is None:
            ordered = self.in_order[row] = np.sort(self.free[row])
        return len(ordered) - int(np.searchsorted(ordered, much))


class Explaining:
    """Reasons on one ground that no longer changes. `told` are those of gangs, by what alike ones
    have in common; `before` what was told on the very same ground."""

    def __init__(self, ground: Ground, placer: Placer, before: Mapping[object, Reason]) -> None:
        self._ground = ground
        self._placer = placer
        self._before = before
        self.told: dict[object, Reason] = {}
        self._short: dict[tuple[Pair, int], Reason] = {}
        self._allowed: dict[int, _Here] = {}
        self._alike: dict[bytes, _Here] = {}  # by mask: thousands of wheres have a few masks
        self._barred: dict[int, Barred] = {}
        self._bars = Bars(ground.snapshot.nodes, ground.policies.filter)
        self._nodes = int(np.count_nonzero(ground.snapshot.nodes.is_there))

    def waits(self, candidate: Candidate) -> Reason:
        """Why a gang could not have all it lacks."""
        gang, queue = candidate.gang, candidate.queue
        limits = queue if self._ground.is_limited[queue] else None  # else no reason speaks of it
        key = (limits, gang.minimum, gang.counted > 0, candidate.lack.signature)
        found = self.told.get(key)
        if found is None:
            found = self._before.get(key) or self._quota(candidate) or self._placement(candidate)
            self.told[key] = found
        return found

    def stays_behind(self, candidate: Candidate) -> Reason:
        """Why members above the minimum of a standing gang could not be placed."""
        queue = self._ground.snapshot.queues[candidate.queue]
        if not queue.is_open:
            return closed_queue(candidate, queue)
        at = next(at for at in range(len(candidate.given)) if candidate.left(at))
        part = candidate.lack.parts[at]
        behind = sum(candidate.left(each) for each in range(len(candidate.given)))
        if not self._ground.within_quota(part.ask, candidate.queue, 1):
            return self._over_limit(candidate, self._each(part.ask), pods=behind)
        why = self._shortage((part.ask, part.where), count=candidate.left(at))
        minimum = candidate.gang.minimum
        above = f"for {words.pods(behind)} above the minimum of {minimum} there is no room"
        return replace(
            why,
            message=f"{above}: {why.message}",
            numbers=numbers(**dict(why.numbers), minimum=minimum, waiting=behind),
        )

    def _quota(self, candidate: Candidate) -> Reason | None:
        """The queue's hard limit forbids whatever members one chooses."""
        if not self._ground.is_limited[candidate.queue]:
            return None
        least = _least(candidate.lack, self._ground.asks)
        if not self._ground.is_beyond_quota(least, candidate.queue):
            return None
        return self._over_limit(candidate, least, pods=candidate.lack.need)

    def _over_limit(self, candidate: Candidate, least: Ints, *, pods: int) -> Reason:
        ground, queue = self._ground, candidate.queue
        limit, used = ground.room.limit[:, queue], ground.room.used[:, queue]
        names = ground.snapshot.resources
        over = [
            (names[row], row)
            for row in np.flatnonzero(least).tolist()
            if limit[row] < NO_LIMIT and least[row] > limit[row] - used[row]
        ]
        name, row = min(over)
        told = [words.quantity(name, int(much[row])) for much in (limit, used, least)]
        return Reason(
            Stage.QUOTA,
            Kind.LIMIT,
            f"queue {ground.snapshot.queues[queue].name} may use {told[0]} {name}"
            f" and uses {told[1]}; {words.pods(pods)} would take {told[2]} more",
            numbers(
                limit=int(limit[row]), used=int(used[row]), asked=int(least[row]), pods=pods,
                minimum=candidate.gang.minimum,
            ),
        )  # fmt: skip

    def _placement(self, candidate: Candidate) -> Reason:
        lack = candidate.lack
        if len(lack.parts) == 1:
            why = self._shortage(lack.pairs[0], count=lack.need)
            return _whole(candidate, why, found=why.number("fit"), children=())
        found = self._placer.found(lack, candidate.queue)
        counts = zip(lack.parts, wanted(lack), strict=True)
        shorts = tuple(
            why
            for part, count in counts
            if count
            and (why := self._shortage((part.ask, part.where), count=count)).number("fit") < count
        )
        if shorts:
            return _whole(candidate, shorts[0], found=found, children=shorts)
        return self._together(candidate, found)

    def _together(self, candidate: Candidate, found: int) -> Reason:
        """Each part alone would fit."""
        lack = candidate.lack
        needed, short = lack.need, max(1, lack.need - found)
        figures = numbers(
            needed=needed, found=min(found, needed - 1), short=short, minimum=candidate.gang.minimum
        )
        if self._ground.is_limited[candidate.queue]:
            tight = _most(lack, self._ground.asks)
            if self._ground.is_beyond_quota(tight, candidate.queue):
                return self._over_limit(candidate, tight, pods=needed)
        if self._placer.is_hopeless(lack, candidate.queue) is False:
            message = (
                f"it starts with {words.pods(needed)} more at once; each kind of them fits alone,"
                f" and a bounded search found no room for all: {found} have a place"
            )
            return Reason(Stage.PLACEMENT, Kind.SEARCH_ENDED, message, figures)
        message = (
            f"it starts with {words.pods(needed)} more at once; each kind of them fits alone,"
            f" but not all together: {min(found, needed - 1)} have a place"
        )
        return Reason(Stage.PLACEMENT, Kind.SHORT, message, figures)

    def _shortage(self, pair: Pair, *, count: int) -> Reason:
        """How many of `count` pods of one ask fit, and what is scarce."""
        found = self._short.get((pair, count))
        if found is None:
            found = self._short[pair, count] = self._looked_up(pair, count)
        return found

    def _looked_up(self, pair: Pair, count: int) -> Reason:
        ask, where = pair
        names, asked = self._ground.snapshot.resources, self._ground.asked(ask)
        here = self._here(where)
        figures = {"asked": count, "fit": 0, "nodes": self._nodes, "allowed": here.nodes}
        if not here.nodes:
            return self._nowhere(where, f"it may run on none of {self._nodes} nodes", figures)
        row = here.scarcest(asked, names)
        known = self._placer.capacity(pair)
        fit = here.fitting(asked, count) if known is None else min(count, known)
        name = names[row]
        each, largest = int(self._ground.asks[ask, row]), here.largest[row]
        figures |= {"fit": fit, "each": each, "most": here.most[row], "free": here.total[row]}
        if is_host_port(name):
            free = int(np.count_nonzero(here.free[row] >= each))
            return _port_taken(name, figures | {"each": 1, "most": min(1, free), "free": free})
        asks = words.amount(name, each)
        if largest < each:
            message = (
                f"a pod asks for {asks}, and the largest node it may use has"
                f" {words.quantity(name, largest)}"
            )
            if here.nodes < self._nodes:
                message += f"; it may use {here.nodes} of {self._nodes} nodes"
            return self._nowhere(where, message, figures)
        fits = "1 fits" if fit == 1 else f"{fit} fit"
        many = f"of {count} pods that ask for {asks} each, {fits}; the nodes they may use"
        message = (
            f"{many if count > 1 else f'a pod asks for {asks}; the nodes it may use'}"
            f" ({here.nodes} of {self._nodes}) have {words.quantity(name, here.total[row])} free"
            f" together, at most {words.quantity(name, here.most[row])} on one"
        )
        return Reason(Stage.PLACEMENT, Kind.SHORT, message, numbers(**figures))

    def _nowhere(self, where: int, message: str, figures: Mapping[str, int]) -> Reason:
        """The message, and what keeps such pods off the other nodes."""
        if not self._nodes:
            message = "there are no nodes"
        found = self._barred.get(where)
        if found is None:
            snapshot = self._ground.snapshot
            found = self._bars.barred(snapshot.wheres[where], snapshot.closed.get(where))
            self._barred[where] = found
        told = f"{message}: {found.in_words()}" if found.counts else message
        told_numbers = numbers(**{**figures, **found.counts})
        return Reason(Stage.PLACEMENT, Kind.NOWHERE, told, told_numbers)

    def _here(self, where: int) -> _Here:
        found = self._allowed.get(where)
        if found is None:
            mask = self._ground.allowed(where).mask
            key = mask.tobytes()
            if key not in self._alike:
                self._alike[key] = self._looked_at(np.flatnonzero(mask))
            found = self._allowed[where] = self._alike[key]
        return found

    def _looked_at(self, rows: Ints) -> _Here:
        free = np.maximum(self._ground.room.free[:, rows], 0)
        size = self._ground.snapshot.nodes.size[:, rows]
        some = len(rows) > 0
        return _Here(
            free=free,
            nodes=len(rows),
            most=free.max(axis=1).tolist() if some else [],
            total=free.sum(axis=1).tolist(),
            largest=size.max(axis=1).tolist() if some else [],
            in_order={},
        )

    def _each(self, ask: int) -> Ints:
        row: Ints = self._ground.asks[ask]
        return row


def _port_taken(name: str, figures: dict[str, int]) -> Reason:
    """What a port is counted in is our own affair: it is free on a node, or it is not."""
    message = (
        f"{figures['fit']} of {words.pods(figures['asked'])} fit on the nodes they may use"
        f" ({figures['allowed']} of {figures['nodes']}); {words.amount(name, 1)} is free on"
        f" {figures['free']} of them"
    )
    return Reason(Stage.PLACEMENT, Kind.SHORT, message, numbers(**figures))


def _whole(
    candidate: Candidate, why: Reason, *, found: int, children: tuple[Reason, ...]
) -> Reason:
    """The gang's reason from that of the part that is short."""
    needed, minimum = candidate.lack.need, candidate.gang.minimum
    found = min(found, needed - 1)
    figures = {**dict(why.numbers), "needed": needed, "found": found, "short": needed - found}
    more = " more" if candidate.gang.counted else ""
    message = why.message
    if needed > 1:
        message = (
            f"it starts with {words.pods(needed)}{more} at once and room is found for {found};"
            f" {why.message}"
        )
    return Reason(
        why.stage, why.kind, message, numbers(**figures, minimum=minimum), children=children
    )


def _least(lack: Lack, asks: Ints) -> Ints:
    """By resource the least that the need can ask for, whichever members make it up."""
    rows = [asks[part.ask] for part in lack.parts]
    least = np.zeros(asks.shape[1], dtype=np.int64)
    for resource in range(asks.shape[1]):
        each = sorted(
            (int(row[resource]), at) for at, row in enumerate(rows)
        )  # the cheapest members first
        least[resource] = _cheapest(lack, each)
    return least


def _most(lack: Lack, asks: Ints) -> Ints:
    """By resource what the members wanted first ask for together."""
    counts = np.array(wanted(lack), dtype=object)  # Python's own numbers: a sum of demand
    asked = counts @ asks[[part.ask for part in lack.parts]]
    return np.array([min(much, NO_LIMIT) for much in asked.tolist()], dtype=np.int64)


def _cheapest(lack: Lack, by_cost: list[tuple[int, int]]) -> int:
    left, owed = list(lack.counts), list(lack.owed)
    total = taken = 0
    for cost, at in by_cost:
        count = min(left[at], owed[lack.role_of[at]])
        owed[lack.role_of[at]] -= count
        left[at] -= count
        total += count * cost
        taken += count
    for cost, at in by_cost:
        count = min(left[at], lack.need - taken)
        total += count * cost
        taken += count
    return min(total, NO_LIMIT)
