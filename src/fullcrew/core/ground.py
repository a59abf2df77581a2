"""What holds for a whole cycle: the ledger it works on, who may use which node, what is scarce."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import numpy as np

from fullcrew.core import cutting, lines
from fullcrew.core.cutting import Holding, Share
from fullcrew.core.memo import Allowed, Memo
from fullcrew.core.ports import ColumnScorer, Policies, View
from fullcrew.model.amounts import NO_LIMIT
from fullcrew.room import Ints, Mark, Mask, Room, Snapshot, Taking

__all__ = ["Ground"]

Asked = tuple[tuple[int, int], ...]


class Ground:
    """One cycle's view of the cluster. Its `room` is a private copy of the snapshot's.

    `fits`, `share` and `take` are the whole of placing pods of one ask; all else is built on them.
    """

    __slots__ = (
        "_allowed",
        "_asked",
        "_columns",
        "_dirty",
        "_free",
        "_keys",
        "_memo",
        "_scorer",
        "_view",
        "asks",
        "hunger",
        "is_best_effort",
        "is_limited",
        "policies",
        "room",
        "snapshot",
        "total",
    )

    def __init__(self, snapshot: Snapshot, policies: Policies, memo: Memo) -> None:
        self.snapshot: Final = snapshot
        self.policies: Final = policies
        self.room: Final[Room] = snapshot.room.copy()
        self._memo = memo
        self._free = self.room.free
        nodes = snapshot.nodes
        self.total = np.asarray(nodes.size[:, nodes.usable].sum(axis=1), dtype=np.int64)
        self.asks = np.ascontiguousarray(snapshot.asks.T)  # [ask, resource]
        self.is_best_effort = lines.best_effort(snapshot)  # [ask]
        self.hunger = _hunger(snapshot.asks, self.total)  # [ask]
        limited = np.asarray((self.room.limit < NO_LIMIT).any(axis=0), dtype=np.bool_)
        self.is_limited: list[bool] = limited.tolist()  # [queue]
        self._view = View(snapshot.resources, nodes.size, self._free, self.total)
        scorer = policies.scorer
        self._scorer: ColumnScorer | None = scorer if isinstance(scorer, ColumnScorer) else None
        self._allowed: dict[int, Allowed] = {}
        self._asked: dict[int, Asked] = {}
        self._columns: dict[int, Hashable] = {}
        self._keys: dict[Hashable, Ints] = {}
        self._dirty: dict[Hashable, list[int]] = {}

    def asked(self, ask: int) -> Asked:
        """Resource and amount of all that an ask asks for."""
        found = self._asked.get(ask)
        if found is None:
            row = self.asks[ask].tolist()
            found = self._asked[ask] = tuple((r, much) for r, much in enumerate(row) if much)
        return found

    def allowed(self, where: int) -> Allowed:
        """Which nodes a where may use, those closed to it by other pods' rules left out."""
        found = self._allowed.get(where)
        if found is None:
            found = self._memo.allowed(where, self.snapshot, self.policies.filter)
            closed = self.snapshot.closed.get(where)
            if closed is not None:
                found = Allowed(found.mask & ~closed, found.liking)
            self._allowed[where] = found
        return found

    def fits(self, ask: int, where: int) -> Mask:
        """The nodes that may hold one more pod and have the room for it."""
        found = self.allowed(where).mask.copy()
        free = self._free
        for row, much in self.asked(ask):
            found &= free[row] >= much
        return found

    def holding(self, ask: int) -> Holding:
        """How many pods of an ask nodes hold now."""
        return Holding(self._free, self.asked(ask))

    def share(self, ask: int, where: int, count: int) -> Share:
        """The best nodes for up to `count` pods; nothing is taken yet."""
        fits = self.fits(ask, where)
        liking = self.allowed(where).liking
        if liking is None:
            return self._share_among(fits, ask, count)
        nodes: list[int] = []
        counts: list[int] = []
        for worth in np.unique(liking[fits])[::-1].tolist():
            found = self._share_among(fits & (liking == worth), ask, count - sum(counts))
            nodes += found.nodes
            counts += found.counts
            if sum(counts) == count:
                break
        return Share(nodes, counts)

    def take(self, share: Share, ask: int, queue: int) -> None:
        """Use that room."""
        if share.nodes:
            self.room.take(self._taking(share, ask, queue))
            self._touch(share.nodes)

    def give(self, share: Share, ask: int, queue: int) -> None:
        """Let it go, for trial."""
        self.room.give(self._taking(share, ask, queue))
        self._touch(share.nodes)

    def back_to(self, mark: Mark) -> None:
        """Undo all takes since a mark of the room."""
        self.room.back_to(mark)
        self._keys.clear()
        self._dirty.clear()

    def quota(self, queue: int) -> Ints:
        """What the queue's hard limits leave it, by resource; below zero where it is over them."""
        left: Ints = self.room.limit[:, queue] - self.room.used[:, queue]
        return left

    def is_beyond_quota(self, asked: Ints, queue: int) -> bool:
        """Whether a hard limit forbids so much more of some resource."""
        is_limited = self.room.limit[:, queue] < NO_LIMIT
        return bool((is_limited & (asked > 0) & (asked > self.quota(queue))).any())

    def within_quota(self, ask: int, queue: int, count: int) -> int:
        """How many of `count` pods the queue's hard limits allow."""
        if not self.is_limited[queue]:
            return count
        limit, used = self.room.limit[:, queue], self.room.used[:, queue]
        for row, much in self.asked(ask):
            if limit[row] < NO_LIMIT:
                count = min(count, max(0, int(limit[row]) - int(used[row])) // much)
        return count

    def _share_among(self, fits: Mask, ask: int, count: int) -> Share:
        if self._scorer is not None:
            return cutting.filled(self._keys_for(ask), fits, self.holding(ask), count)
        rows = np.flatnonzero(fits)
        held = self.holding(ask).on_all(rows, most=count)
        view, asked, scorer = self._view, self.asks[ask], self.policies.scorer

        def score(at: Ints, copies: Ints) -> Ints:
            return scorer.score(asked, view.only(at), copies)

        return cutting.levelled(score, self.snapshot.nodes.rank, rows, held, count)

    def _keys_for(self, ask: int) -> Ints:
        """Unique keys, the best node's the lowest, up to date with every take."""
        scorer = self._scorer
        assert scorer is not None
        ranks = self.snapshot.nodes.rank
        column = self._columns.get(ask)
        if column is None:
            column = self._columns[ask] = scorer.column(self.asks[ask], self._view)
        keys = self._keys.get(column)
        if keys is None:
            keys = self._keys[column] = self._fresh_keys(column, self._view, ranks)
            self._dirty[column] = []
        elif dirty := self._dirty[column]:
            rows = np.array(dirty, dtype=np.int64)
            keys[rows] = self._fresh_keys(column, self._view.only(rows), ranks[rows])
            dirty.clear()
        return keys

    def _fresh_keys(self, column: Hashable, view: View, ranks: Ints) -> Ints:
        assert self._scorer is not None
        count = np.int64(len(self.snapshot.nodes.rank))
        keys: Ints = ranks - self._scorer.of_column(column, view) * count
        return keys

    def _taking(self, share: Share, ask: int, queue: int) -> Taking:
        nodes = np.array(share.nodes, dtype=np.int64)
        counts = np.array(share.counts, dtype=np.int64)
        return Taking(nodes, counts, self.asks[ask], queue)

    def _touch(self, nodes: list[int]) -> None:
        for dirty in self._dirty.values():
            dirty.extend(nodes)


def _hunger(asks: Ints, total: Ints) -> Ints:
    """By ask the greatest part that one pod takes of all there is of a resource, in millionths of
    millionths: it only says who chooses first."""
    parts = asks / np.maximum(total, 1)[:, None]
    if not len(parts):
        return np.zeros(asks.shape[1], dtype=np.int64)
    most: Ints = np.minimum(parts.max(axis=0) * 1e12, 1e18).astype(np.int64)
    return most
