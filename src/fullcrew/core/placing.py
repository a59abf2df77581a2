"""Where the pods go that a gang lacks: all of them, or none.

The hungriest part chooses first, since the others fit into what it leaves more easily than it into
what they leave. Where that fails and the gang is of several kinds of pods, a bounded search has
the last word (`searching`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fullcrew.core import searching
from fullcrew.core.cutting import Share
from fullcrew.core.ground import Ground
from fullcrew.core.lacking import Lack, wanted
from fullcrew.room import Mark

__all__ = ["Placer", "Shares"]

NO_LIMITS = -1  # in the place of a queue that has none

Shares = list[tuple[int, Share]]  # by part, in the order in which they were taken


@dataclass(slots=True, eq=False)
class Placer:
    """Places needs on one ground, and knows what failed: room only shrinks while a cycle lasts.

    `failed` has, by ask and where, the smallest count that did not fit at a moment when nothing
    was taken for trial; `capacities` how many fitted at such a moment, and which one; `hopeless`
    the signatures of needs that could not be met, and whether that is proven.
    """

    ground: Ground
    failed: dict[tuple[int, int], int] = field(default_factory=dict)
    capacities: dict[tuple[int, int], tuple[int, Mark]] = field(default_factory=dict)
    hopeless: dict[tuple[int, object], bool] = field(default_factory=dict)
    searcher: searching.Searcher = field(init=False)

    def __post_init__(self) -> None:
        self.searcher = searching.Searcher(self.ground)

    def recall(self, capacities: Mapping[tuple[int, int], int]) -> None:
        """What was learned before on this very ledger, as long as nothing is taken from it."""
        start = self.ground.room.mark()
        for pair, found in capacities.items():
            self.failed[pair] = found + 1
            self.capacities[pair] = (found, start)

    def untouched(self) -> dict[tuple[int, int], int]:
        """What is known of the ledger as the cycle found it; asked when nothing was taken."""
        return {pair: found for pair, (found, when) in self.capacities.items() if not when}

    def capacity(self, pair: tuple[int, int]) -> int | None:
        """How many pods fit now, if that was found out and nothing was taken since."""
        found, when = self.capacities.get(pair, (0, None))
        return found if when == self.ground.room.mark() else None

    def place(self, lack: Lack, queue: int) -> Shares | None:
        """Takes room for the whole need, or leaves the room as it was."""
        if len(lack.parts) == 1:
            return self._place_one(lack, queue)
        if self._is_known_to_fail(lack, queue):
            return None
        return self._place_several(lack, queue)

    def fill(self, part: tuple[int, int], queue: int, count: int) -> Share:
        """Takes room for up to `count` pods of an ask and where."""
        ask, where = part
        allowed = self.ground.within_quota(ask, queue, count)
        fails_at = self.failed.get(part)
        if fails_at is not None:
            allowed = min(allowed, fails_at - 1)
        if allowed <= 0:
            return Share([], [])
        share = self.ground.share(ask, where, allowed)
        self.ground.take(share, ask, queue)
        return share

    def found(self, lack: Lack, queue: int) -> int:
        """For how many of the need there is room; nothing is taken."""
        trial = self._tried(lack, wanted(lack), queue, is_final=True)
        trial.give_up()
        return min(lack.need, sum(share.pods for _, share in trial.shares))

    def note_shortage(self, part: tuple[int, int], queue: int, *, found: int, wanted: int) -> None:
        """Only so many fitted, at a moment when nothing was taken for trial but them."""
        if self.ground.within_quota(part[0], queue, wanted - found) == wanted - found:
            self.failed[part] = min(found + 1, self.failed.get(part, found + 1))
            if not found:
                self.capacities[part] = (0, self.ground.room.mark())

    def is_hopeless(self, lack: Lack, queue: int) -> bool | None:
        """None: never tried in vain. Else whether it is proven that the need cannot be met."""
        return self.hopeless.get((self._limits(queue), lack.signature))

    def _place_one(self, lack: Lack, queue: int) -> Shares | None:
        pair = (lack.parts[0].ask, lack.parts[0].where)
        fails_at = self.failed.get(pair)
        if fails_at is not None and lack.need >= fails_at:
            return None
        if self.ground.within_quota(pair[0], queue, lack.need) < lack.need:
            return None
        share = self.ground.share(*pair, lack.need)
        if share.pods < lack.need:
            self.failed[pair] = share.pods + 1
            self.capacities[pair] = (share.pods, self.ground.room.mark())
            return None
        self.ground.take(share, pair[0], queue)
        return [(0, share)]

    def _limits(self, queue: int) -> int:
        """Whose limits bear on a need: alike gangs of other queues may fare otherwise."""
        return queue if self.ground.is_limited[queue] else NO_LIMITS

    def _is_known_to_fail(self, lack: Lack, queue: int) -> bool:
        """Whether some part that cannot be done without failed before, or the very same need."""
        if self.hopeless and self.is_hopeless(lack, queue) is not None:
            return True
        if self.failed:
            for at, pair in enumerate(lack.pairs):
                fails_at = self.failed.get(pair)
                if fails_at is not None and _indispensable(lack, at) >= fails_at:
                    return True
        return False

    def _place_several(self, lack: Lack, queue: int) -> Shares | None:
        first = wanted(lack)
        shares = self._greedily(lack, first, queue, is_final=False)
        if shares is not None:
            return shares
        is_proven = len(set(lack.pairs)) == 1
        if not is_proven:
            found = self.searcher.search(lack, queue)
            if isinstance(found, searching.Found):
                return self._taken(lack, found.shares, queue)
            is_proven = found is searching.Verdict.NONE
        if not is_proven:
            shares = self._greedily(lack, first, queue, is_final=True)
            if shares is not None:
                return shares
        self.hopeless[self._limits(queue), lack.signature] = is_proven
        return None

    def _taken(self, lack: Lack, shares: Sequence[tuple[int, Share]], queue: int) -> Shares:
        for part, share in shares:
            self.ground.take(share, lack.parts[part].ask, queue)
        return list(shares)

    def _greedily(
        self, lack: Lack, first: Sequence[int], queue: int, *, is_final: bool
    ) -> Shares | None:
        trial = self._tried(lack, first, queue, is_final=is_final)
        if trial.is_met:
            return trial.shares
        trial.give_up()
        return None

    def _tried(self, lack: Lack, first: Sequence[int], queue: int, *, is_final: bool) -> _Trial:
        """Part by part, the hungriest first. `is_final`: other members stand in for those that
        do not fit."""
        trial = _Trial(self, lack, queue)
        hunger = self.ground.hunger
        order = sorted(
            (at for at, count in enumerate(first) if count),
            key=lambda at: (-int(hunger[lack.parts[at].ask]), lack.parts[at].members[0].rank, at),
        )
        for at in order:
            is_whole = trial.put(at, first[at])
            if not is_whole and not is_final:
                break
        if is_final:
            trial.stand_in()
        return trial


class _Trial:
    """Room taken for one gang, to be kept or given back as a whole."""

    def __init__(self, placer: Placer, lack: Lack, queue: int) -> None:
        self._placer = placer
        self._lack = lack
        self._queue = queue
        self._mark = placer.ground.room.mark()
        self._dry: set[int] = set()
        self._got = [0] * len(lack.parts)
        self.shares: Shares = []

    @property
    def is_met(self) -> bool:
        """Whether this is all that the gang needs."""
        return sum(self._got) >= self._lack.need and not any(self._shorts())

    def put(self, at: int, count: int) -> bool:
        """Places members of a part. False: not all of them fit, and no more will."""
        part = self._lack.parts[at]
        pair = (part.ask, part.where)
        share = self._placer.fill(pair, self._queue, count)
        if share.pods < count and not self.shares:
            self._placer.note_shortage(pair, self._queue, found=share.pods, wanted=count)
        if share.pods:
            self.shares.append((at, share))
            self._got[at] += share.pods
        if share.pods < count:
            self._dry.add(at)
        return share.pods == count

    def stand_in(self) -> None:
        """Others make up for those that did not fit: of the same role where it is owed, then any,
        the best rank first."""
        for role, short in enumerate(self._shorts()):
            if short:
                self._make_up(short, role=role)
        self._make_up(self._lack.need - sum(self._got), role=None)

    def give_up(self) -> None:
        """Leaves the room as it was before."""
        self._placer.ground.back_to(self._mark)

    def _shorts(self) -> list[int]:
        """By role how many of what it is owed have no place."""
        left = list(self._lack.owed)
        for got, role in zip(self._got, self._lack.role_of, strict=True):
            left[role] -= got
        return [max(0, missing) for missing in left]

    def _make_up(self, missing: int, *, role: int | None) -> None:
        """Members that are not placed yet, of a role or of any, those of the best rank first."""
        parts = self._lack.parts
        waiting = [
            (parts[at].members[self._got[at]].rank, at)
            for at, its in enumerate(self._lack.role_of)
            if role in {None, its} and at not in self._dry and self._spare(at)
        ]
        for _, at in sorted(waiting):
            if missing <= 0:
                return
            before = self._got[at]
            self.put(at, min(missing, self._spare(at)))
            missing -= self._got[at] - before

    def _spare(self, at: int) -> int:
        return self._lack.counts[at] - self._got[at]


def _indispensable(lack: Lack, at: int) -> int:
    """How many members of a part the need cannot do without."""
    others = sum(lack.counts) - lack.counts[at]
    role = lack.role_of[at]
    in_role = sum(n for n, its in zip(lack.counts, lack.role_of, strict=True) if its == role)
    owed = lack.owed[role] - (in_role - lack.counts[at])
    return max(0, lack.need - others, owed)
