"""A gang on its way through one cycle: what it needs, what it has been given."""

from __future__ import annotations

from fullcrew.core.cutting import Share
from fullcrew.core.lacking import Lack, lack_of
from fullcrew.core.lines import Order, order
from fullcrew.core.placing import Shares
from fullcrew.model.gang import Gang, Member
from fullcrew.room import Binding, Start

__all__ = ["Candidate"]


class Candidate:
    """`given` counts by part the members that have a node by now, the best ranks first; `order` is
    its place in its queue: by priority, age, name."""

    __slots__ = ("bindings", "gang", "given", "lack", "minimum", "order", "queue", "stands")

    def __init__(self, gang: Gang, queue: int) -> None:
        self.gang = gang
        self.queue = queue
        self.order: Order = order(gang)
        self.lack: Lack = lack_of(gang)
        self.given = [0] * len(self.lack.parts)
        self.bindings: list[Binding] = []
        self.minimum = 0
        self.stands = self.lack.need == 0

    @property
    def waiting(self) -> int:
        """How many of its members could be placed, if there were room."""
        return sum(self.lack.counts)

    @property
    def is_incomplete(self) -> bool:
        """Whether some of its members have no node yet."""
        return len(self.bindings) < self.waiting

    def left(self, at: int) -> int:
        """How many members of a part have no node."""
        return self.lack.counts[at] - self.given[at]

    def next_members(self, at: int) -> tuple[Member, ...]:
        """The members of a part that have no node, the best rank first."""
        return self.lack.parts[at].members[self.given[at] :]

    def begin(self, shares: Shares, names: tuple[str, ...]) -> None:
        """It is given all it lacks."""
        for at, share in shares:
            self.give(at, share, names)
        self.minimum = len(self.bindings)
        self.stands = True

    def begin_on(self, node: str) -> None:
        """It is one pod, and this is its node."""
        member = self.lack.parts[0].members[0]
        self.bindings.append(Binding(member.pod, member.uid, node))
        self.given[0] = self.minimum = 1
        self.stands = True

    def give(self, at: int, share: Share, names: tuple[str, ...]) -> None:
        """Members of a part get these nodes."""
        members, place = self.lack.parts[at].members, self.given[at]
        for node, count in zip(share.nodes, share.counts, strict=True):
            name = names[node]
            for member in members[place : place + count]:
                self.bindings.append(Binding(member.pod, member.uid, name))
            place += count
        self.given[at] = place

    def start(self) -> Start:
        """All that the plan binds of it."""
        return Start(self.gang, tuple(self.bindings), self.minimum)
