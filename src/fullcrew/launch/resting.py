"""What failed for good rests before it is planned again: each time longer, and telling why.

Without it a pod that an admission policy refuses would be planned, bound and refused in a circle
as fast as the server answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fullcrew.launch.requests import HeldUp, Rest
from fullcrew.model.gang import Gang, Held, Part, Role
from fullcrew.model.reason import Reason

__all__ = ["Resting"]

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 60.0
FORGIVEN_SECONDS = 600.0


@dataclass(slots=True)
class _Entry:
    rest: Rest
    until: float


class Resting:
    """Gangs and pods that are not planned for now. Times are seconds on any steady clock."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, bool], _Entry] = {}  # by gang, and whether its room is kept
        self._waking: dict[tuple[str, bool], _Entry] = {}  # over, and not planned yet
        self._failures: dict[str, tuple[int, float]] = {}  # how often in a row, when last

    def add(self, gang: str, rest: Rest, *, now: float) -> float:
        """Lays it to rest, and tells until when."""
        times, when = self._failures.get(gang, (0, -1.0))
        times += when != now  # what one launch lays to rest in parts has failed once
        self._failures[gang] = (times, now)
        until = now + min(LONGEST_SECONDS, FIRST_SECONDS * (1 << min(times - 1, 16)))
        key = (gang, rest.keeps_room)
        before = self._entries.get(key)
        if before is not None:
            rest = rest._replace(pods=tuple(dict.fromkeys((*before.rest.pods, *rest.pods))))
        self._entries[key] = _Entry(rest, until)
        return until

    def stands(self, gang: str) -> None:
        """The gang stands whole: its next failure is a first one again."""
        if not self.keeps_room(gang):
            self._failures.pop(gang, None)

    def keeps_room(self, gang: str) -> bool:
        """Whether a member of it rests whose room waits for it: the gang only looks whole."""
        return (gang, True) in self._entries

    def kept(self, gang: str) -> HeldUp | None:
        """Its members that rest with their room, which no plan speaks of, and why."""
        entry = self._found(gang, keeps_room=True)
        return (
            HeldUp(tuple(pod for pod, _ in entry.rest.pods), entry.rest.reason) if entry else None
        )

    def let_go(self, gang: str) -> tuple[tuple[str, str], ...]:
        """Nothing is kept for this gang any more: the pods whose room is free from now on, by name
        and uid. They go on resting."""
        kept = self._entries.pop((gang, True), None)
        if kept is None:
            return ()
        before = self._entries.get((gang, False))
        if before is None or before.rest.pods:
            pods = (*(before.rest.pods if before else ()), *kept.rest.pods)
            rest = Rest(tuple(dict.fromkeys(pods)), kept.rest.reason, keeps_room=False)
            until = max(kept.until, before.until if before else kept.until)
            self._entries[gang, False] = _Entry(rest, until)
        return kept.rest.pods

    def over(self, now: float) -> list[Rest]:
        """What has rested enough; it is not held any more. Call it whenever `next_end` is past."""
        ended = [key for key, entry in self._entries.items() if entry.until <= now]
        old = [g for g, (_, when) in self._failures.items() if when + FORGIVEN_SECONDS < now]
        for gang in old:
            del self._failures[gang]
        self._waking = {key: self._entries.pop(key) for key in ended}
        return [entry.rest for entry in self._waking.values()]

    def woken(self) -> None:
        """What was over is planned: what it rested for is not its reason any more."""
        self._waking = {}

    @property
    def next_end(self) -> float | None:
        """When the first of them may be planned again."""
        return min((entry.until for entry in self._entries.values()), default=None)

    def reason(self, gang: str) -> Reason | None:
        """Why a gang rests, or members of it."""
        found = (self._found(gang, keeps_room=keeps_room) for keeps_room in (True, False))
        return next((entry.rest.reason for entry in found if entry), None)

    def _found(self, gang: str, *, keeps_room: bool) -> _Entry | None:
        key = (gang, keeps_room)
        return self._entries.get(key) or self._waking.get(key)

    def applied_to(self, gangs: Sequence[Gang]) -> tuple[Gang, ...]:
        """The gangs as a plan may read them: what rests is held, with the reason it rests for.

        What keeps its room is not here: it counts as standing until its rest is over.
        """
        resting = {g: e.rest for (g, keeps), e in self._entries.items() if not keeps}
        if not resting:
            return tuple(gangs)
        return tuple(
            _held(gang, resting[gang.name]) if gang.name in resting else gang for gang in gangs
        )


def _held(gang: Gang, rest: Rest) -> Gang:
    if not rest.pods:
        return gang if gang.live or gang.fault else replace(gang, fault=rest.reason)
    uids = frozenset(uid for _, uid in rest.pods)
    names = tuple(sorted(_names_in(gang.roles, uids)))
    if not names:
        return gang
    roles = tuple(replace(role, parts=_parts_without(role, uids)) for role in gang.roles)
    return replace(gang, roles=roles, held=(*gang.held, Held(names, rest.reason)))


def _names_in(roles: Iterable[Role], uids: frozenset[str]) -> Iterable[str]:
    members = (member for role in roles for part in role.parts for member in part.members)
    return (member.pod for member in members if member.uid in uids)


def _parts_without(role: Role, uids: frozenset[str]) -> tuple[Part, ...]:
    left = (
        replace(part, members=tuple(m for m in part.members if m.uid not in uids))
        for part in role.parts
    )
    return tuple(part for part in left if part.members)
