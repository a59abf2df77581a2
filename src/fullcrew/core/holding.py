"""Room that a wounded gang keeps while not all of its missing members fit (docs/decisions/0008)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from fullcrew.core import admission
from fullcrew.core.candidate import Candidate
from fullcrew.core.cutting import Share
from fullcrew.core.ground import Ground
from fullcrew.core.lacking import Lack, wanted
from fullcrew.core.placing import Placer, Shares
from fullcrew.model.gang import Gang, Member, Part, Role
from fullcrew.model.reason import Kind, Reason, Stage

__all__ = ["Holdings"]

_FOR_WANT: Final = (Stage.PLACEMENT, Stage.QUOTA)  # what is held counts on nodes and in its queue


class Holdings:
    """What is held on one ground, for whom, and until when."""

    def __init__(self, ground: Ground, placer: Placer) -> None:
        self._ground = ground
        self._placer = placer
        self._held: list[tuple[Share, int, int]] = []  # with its ask and queue
        self._names: list[str] = []
        self._fits_without: dict[object, bool] = {}
        self.valid_until: int | None = None

    def is_due(self, candidate: Candidate) -> bool:
        """Whether the gang may keep room now: wounded, sound, and before its deadline."""
        gang = candidate.gang
        now, until = self._ground.snapshot.now, gang.hold_until
        return gang.is_wounded and gang.fault is None and until is not None and now < until

    def hold(self, candidate: Candidate) -> None:
        """Takes the room of all missing members, made again or not yet; where that cannot be, of
        those that fit. Members that nobody made again count as far as `state` knows of them: of
        what was lost before this process saw it, there is nothing to hold room for."""
        if not self.is_due(candidate):
            return
        gang, queue = candidate.gang, candidate.queue
        whole = Candidate(_as_if_made(gang), queue) if gang.missing else candidate
        shares = None
        if gang.missing and admission.refusal(whole, self._ground) is None:
            shares = self._placer.place(whole.lack, queue)
        if shares is None:
            shares = self._what_fits(whole.lack, queue)
        self._held += [(share, whole.lack.parts[at].ask, queue) for at, share in shares]
        if shares and gang.hold_until is not None:
            self._names.append(gang.title)
            self.valid_until = min(gang.hold_until, self.valid_until or gang.hold_until)

    def reason(self, candidate: Candidate, why: Reason) -> Reason | None:
        """Told of a gang that would start if nothing were held."""
        if not self._held or why.stage not in _FOR_WANT or candidate.gang.is_wounded:
            return None
        key = (candidate.queue, candidate.lack.signature)
        if key not in self._fits_without:
            self._fits_without[key] = self._would_fit(candidate.lack, candidate.queue)
        if not self._fits_without[key]:
            return None
        names = tuple(sorted(self._names))
        return replace(
            why,
            stage=Stage.RESERVED,
            kind=Kind.HELD,
            message=f"room for it is there, but held for {', '.join(names)}; {why.message}",
            in_the_way=names,
        )

    def _what_fits(self, lack: Lack, queue: int) -> Shares:
        """Takes room for members that are wanted, best rank first, then for others instead."""
        left, counts = lack.need, list(lack.counts)
        first = [min(pair) for pair in zip(wanted(lack), counts, strict=True)]
        others = [count - its for count, its in zip(counts, first, strict=True)]
        order = sorted(range(len(counts)), key=lambda at: (lack.parts[at].members[0].rank, at))
        shares: Shares = []
        for at, most in [*((at, first[at]) for at in order), *((at, others[at]) for at in order)]:
            share = self._placer.fill(lack.pairs[at], queue, min(left, most))
            if share.pods:
                shares.append((at, share))
                left -= share.pods
        return shares

    def _would_fit(self, lack: Lack, queue: int) -> bool:
        mark = self._ground.room.mark()
        for share, ask, owner in self._held:
            self._ground.give(share, ask, owner)
        found = Placer(self._ground).place(lack, queue)
        self._ground.back_to(mark)
        return found is not None


def _as_if_made(gang: Gang) -> Gang:
    """The gang with a member for each that is missing, behind all that wait."""
    rank = sum(len(part.members) for role in gang.roles for part in role.parts)
    rank += sum(len(held.pods) for held in gang.held)
    roles = {role.name: role for role in gang.roles}
    for name, ask, where, count in gang.missing:
        members = tuple(Member("", "", rank + at) for at in range(count))
        rank += count
        role = roles.get(name) or Role(name, 0, 0, ())
        roles[name] = replace(role, parts=(*role.parts, Part(ask, where, members)))
    return replace(gang, roles=tuple(roles.values()))
