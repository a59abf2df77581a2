"""Gangs on their way from plan to cluster, and who is told what becomes of them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from fullcrew.launch import Answer, Launch, Rest, Terms, telling
from fullcrew.objects.metadata import Kind
from fullcrew.room import Start

__all__ = ["Carried", "Launching", "Witness"]


class Launching(NamedTuple):
    """A start of a plan, and what the plan took for granted of the gang's group."""

    start: Start
    terms: Terms | None  # None: there is no group object
    kind: Kind | None
    plan: str  # its id, for the stamp


class Witness(Protocol):
    """Who keeps the books. Each is called on the loop, once for each pod that it is about."""

    def may_send(self, pod: str, uid: str) -> bool:
        """Asked right before a bind goes out: whether its room is still there."""

    def bound(self, gang: str, pod: str, uid: str, node: str) -> None:
        """The server bound it as planned."""

    def answered(self, gang: str, asked: str, answer: Answer) -> None:
        """What the server said to a bind of this gang, or, `asked` so, to reading its group."""

    def forget(self, gang: str, pod: str, uid: str) -> None:
        """It will not be bound by this plan."""

    def moved(self, gang: str, pod: str, uid: str, node: str) -> None:
        """Somebody else bound it, to another node."""

    def rest(self, gang: str, rest: Rest) -> None:
        """These pods failed for good."""

    def over(self, gang: str, launched: Launch) -> None:
        """The last call for this launch; by its phase it stands, mends, or was dropped."""


class Carried:
    """One gang on its way, and the starts that came while it could not take them."""

    __slots__ = ("doubtful", "first", "gang", "joined", "later", "launched", "stamp", "stamps")

    def __init__(self, launching: Launching) -> None:
        self.gang = launching.start.gang.name
        self.first = launching
        self.launched: Launch | None = None  # until it is begun, and when it broke
        self.stamp = b""
        self.stamps: dict[str, bytes] = {}  # by uid, of those that joined by a later plan
        self.joined: list[Launching] = []
        self.later: list[Launching] = []
        self.doubtful = -1  # from when it broke: binds that may yet be carried out

    @property
    def leftovers(self) -> Rest | None:
        """What is left of a launch that broke."""
        if self.doubtful < 0:
            return None
        starts = [launching.start for launching in (self.first, *self.joined, *self.later)]
        pods = tuple((each.pod, each.uid) for start in starts for each in start.bindings)
        reason = telling.ended_by_fault(pods=len(pods), minimum=self.first.start.gang.minimum)
        return Rest(pods, reason, keeps_room=True)
