"""Statuses of groups: what should stand on each is worked out when it is due, and written if it
does not stand there yet.

Nothing is queued but names, so the latest always wins; and what stands is read from what we
watch, so a restart writes nothing and a conflict is settled by looking again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple, Protocol

import msgspec

from fullcrew import client, dialects, errors, kube
from fullcrew.dialects import status
from fullcrew.dialects.status import Content, Guard, Moment, Standing
from fullcrew.model.reason import Reason
from fullcrew.objects import Kind, PodGroup
from fullcrew.run import due
from fullcrew.run.due import Change
from fullcrew.run.events import NORMAL, WARNING, About, timestamp
from fullcrew.run.flapping import Flapping
from fullcrew.run.outlet import Outlet
from fullcrew.run.sending import PASSING

__all__ = ["GroupStatuses", "Groups"]

ECHO_SECONDS = 10.0
"""How long we wait to see our own write before we look again without it."""

AGAIN_SECONDS = 1.0
REFUSED_SECONDS = 60.0


class Groups(Protocol):
    """Where groups and their pods are known."""

    def group(self, gang: str) -> PodGroup | None:
        """The group object of a gang as last seen."""
        ...

    def standing(self, gang: str, group: PodGroup) -> Standing | None:
        """The gang as the cluster shows it; None while its launch is under way."""
        ...


class _Written(NamedTuple):
    """The revision that our last write made, and when that was."""

    revision: str
    at: float


class _Wish(NamedTuple):
    group: PodGroup
    old: Content
    new: Content
    reason: Reason | None


class _News(NamedTuple):
    """An event that is told when what it is about is known to stand on the group."""

    about: About
    kind: str
    reason: str
    message: str
    phase: str = ""  # of a start; else the kinds of its reason
    kinds: tuple[object, ...] = ()

    def is_shown(self, group: PodGroup) -> bool:
        """Whether it does, as far as we were told."""
        if group.metadata.uid != self.about.uid:
            return False
        told = status.seen(group)
        return told.phase == self.phase if self.phase else status.kinds(told) == self.kinds


class _Metadata(msgspec.Struct, rename="camel"):
    resource_version: str = ""


class _Answer(msgspec.Struct):
    metadata: _Metadata


class GroupStatuses:
    """Writes the statuses of groups. `look_at` decides; one write per group at most is on its way.

    `again(gang, at)` is called when a gang has to be looked at once more.
    """

    def __init__(
        self,
        groups: Groups,
        resources: Mapping[Kind, kube.Resource],
        outlet: Outlet,
        again: Callable[[str, float], None],
    ) -> None:
        self._groups = groups
        self._resources = resources
        self._outlet = outlet
        self._again = again
        self._held_since: dict[str, float] = {}
        self._written: dict[str, _Written] = {}
        self._on_the_way: set[asyncio.Task[None]] = set()
        self._busy: set[str] = set()
        self._news: dict[str, _News] = {}
        self._flapping = Flapping()
        self.plan = ""  # its name goes into conditions that change

    def __len__(self) -> int:
        return len(self._busy)

    def close(self) -> None:
        """What waits for its turn is not written any more: another may lead by now."""
        for task in self._on_the_way:
            task.cancel()

    def forget(self, gang: str) -> None:
        """Its group is gone: another one of its name begins anew."""
        self._held_since.pop(gang, None)
        self._written.pop(gang, None)
        self._news.pop(gang, None)
        self._flapping.forget(gang)

    def look_at(self, gang: str, now: float) -> None:
        """Writes what is due on the group of this gang; else says when to look again."""
        group = self._groups.group(gang)
        if group is None or group.KIND not in self._resources:
            self.forget(gang)
            return
        if gang in self._busy or group.metadata.is_leaving or self._is_old(gang, group, now):
            return
        if gang in self._news and self._news[gang].is_shown(group):  # its answer was lost
            self._tell(gang)
        standing = self._groups.standing(gang, group)
        if standing is None:
            return
        since = self._since(gang, standing, now)
        wish = self._wish(group, standing, is_held=now >= since + due.HELD_SECONDS)
        found = due.change(wish.old, wish.new, minimum=standing.minimum)
        if standing.reason is not None and wish.reason is None:
            self._again(gang, since + due.HELD_SECONDS)
        if found is Change.NOTHING:
            return
        at = self._due(gang, wish, found, now)
        if at > now:
            self._again(gang, at)
            return
        self._begin(gang, wish)

    def _due(self, gang: str, wish: _Wish, found: Change, now: float) -> float:
        """A reason that changes to and fro is told ever more seldom; a start is told at once."""
        before = self._written.get(gang)
        if before is None:
            return now
        at = due.due(found, written_at=before.at)
        if found is Change.NUMBERS or wish.reason is None:
            return at
        return max(at, before.at + self._flapping.pause(gang, status.kinds(wish.new), now))

    def _is_old(self, gang: str, group: PodGroup, now: float) -> bool:
        """Whether we wrote something later than what we were told of it."""
        written = self._written.get(gang)
        if written is None or not written.revision:
            return False
        if _is_at_least(group.metadata.resource_version, written.revision):
            self._written[gang] = written._replace(revision="")
            return False
        if now >= written.at + ECHO_SECONDS:
            return False
        self._again(gang, written.at + ECHO_SECONDS)
        return True

    def _since(self, gang: str, standing: Standing, now: float) -> float:
        if standing.reason is None:
            self._held_since.pop(gang, None)
            return now
        return self._held_since.setdefault(gang, now)

    def _wish(self, group: PodGroup, standing: Standing, *, is_held: bool) -> _Wish:
        """What should stand there. Before it has waited for two seconds, a gang has no reason; but
        that it runs is told at once, and so that it is admitted: somebody may wait with its pods
        for that."""
        words = dialects.WORDS[group.KIND]
        old = status.seen(group)
        moment = Moment(timestamp(self._outlet.clock()), self.plan)
        new = status.content(words, group, standing, moment)
        if standing.reason is None or is_held:
            return _Wish(group, old, new, standing.reason)
        if new.phase in {words.running, words.finished}:
            early = status.content(words, group, standing._replace(reason=None), moment)
            return _Wish(group, old, replace(early, phase=new.phase), None)
        is_awaited = standing.members == 0 and new.phase == words.admitted
        return _Wish(group, old, replace(old, phase=new.phase) if is_awaited else old, None)

    def _begin(self, gang: str, wish: _Wish) -> None:
        self._busy.add(gang)
        news = self._news_of(gang, wish)
        if news is not None:
            self._news[gang] = news
        else:
            self._news.pop(gang, None)
        task = asyncio.get_running_loop().create_task(self._write(gang, wish))
        self._on_the_way.add(task)
        task.add_done_callback(self._on_the_way.discard)

    async def _write(self, gang: str, wish: _Wish) -> None:
        try:
            code, revision = await self._sent(gang, wish)
        finally:
            self._busy.discard(gang)
        now = asyncio.get_running_loop().time()
        if 200 <= code < 300:
            self._written[gang] = _Written(revision, now)
            self._flapping.said(gang, status.kinds(wish.new), now)
            self._again(gang, now)  # it may have changed while we wrote
        elif code != 404:
            is_passing = code in PASSING or code == 409
            self._again(gang, now + (AGAIN_SECONDS if is_passing else REFUSED_SECONDS))

    async def _sent(self, gang: str, wish: _Wish) -> tuple[int, str]:
        """Code and new revision. Where the status is a resource of its own, the annotation needs a
        write besides, which only a change of the reason is worth."""
        group, resource = wish.group, self._resources[wish.group.KIND]
        metadata = group.metadata
        guard = Guard(metadata.uid, metadata.resource_version)
        has_reason = not resource.has_status
        body = status.status_patch(wish.old, wish.new, guard, has_reason=has_reason)
        path = resource.path(group.namespace, group.name)
        code, revision = 200, ""
        if body:
            code, revision = await self._patch(
                f"{path}/status" if resource.has_status else path, body
            )
        if 200 <= code < 300:
            self._tell(gang)
        if resource.has_status and 200 <= code < 300 and wish.old.reason != wish.new.reason:
            told = status.annotation_patch(wish.new, uid=metadata.uid)
            code, revision = await self._patch(path, told)
        return code, revision

    async def _patch(self, path: str, body: bytes) -> tuple[int, str]:
        try:
            reply = await self._outlet.sends.request(
                kube.Lane.STATUS, "PATCH", path, body=body, content=kube.MERGE
            )
        except errors.ClusterError as error:
            self._outlet.wrote("group", path, 0, error.problem)
            return 0, ""
        refused = client.refusal(reply.body).message if reply.code >= 300 else ""
        self._outlet.wrote("group", path, reply.code, refused)
        if reply.code >= 300:
            return reply.code, ""
        try:
            told = msgspec.json.decode(reply.body, type=_Answer)
        except msgspec.MsgspecError:
            return reply.code, ""
        return reply.code, told.metadata.resource_version

    def _tell(self, gang: str) -> None:
        news = self._news.pop(gang, None)
        if news is not None:
            about, kind, reason, message, *_ = news
            self._outlet.events.tell(about, kind=kind, reason=reason, message=message)

    def _news_of(self, gang: str, wish: _Wish) -> _News | None:
        """An event where the kind changed: it waits for another reason, or it has started."""
        words = dialects.WORDS[wish.group.KIND]
        about, kinds = self._about(wish.group), status.kinds(wish.new)
        if wish.new.phase == words.running != wish.old.phase:
            reason, message = words.events.started, "pod group is ready"
            return _News(about, NORMAL, reason, message, phase=wish.new.phase)
        if wish.reason is None or status.kinds(wish.old) == kinds:
            return None
        pending = self._news.get(gang)
        if pending is not None and pending.kinds == kinds:
            return pending  # written before, and not yet known to stand there
        now = asyncio.get_running_loop().time()
        if not self._flapping.may_warn(gang, (wish.reason.stage, wish.reason.kind), now):
            return None
        reason, message = words.events.waits, wish.reason.message
        return _News(about, WARNING, reason, message, kinds=kinds)

    def _about(self, group: PodGroup) -> About:
        resource = self._resources[group.KIND]
        uid = group.metadata.uid
        return About(resource.api_version, group.KIND.name, group.namespace, group.name, uid)


def _is_at_least(seen: str, written: str) -> bool:
    """Whether what we see is as late as what we wrote. Revisions of one object are numbers that
    grow; where they are none, only the very same is known to be."""
    if seen.isdecimal() and written.isdecimal():
        return int(seen) >= int(written)
    return seen == written
