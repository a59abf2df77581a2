"""Follows every kind that is served and feeds the state with it, all in the event loop.

A kind that is not served only switches its dialect off; one that comes later switches it on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from fullcrew import errors, kube
from fullcrew.objects import KINDS, Decoder, Event, Faulty, Kind, KubernetesObject, Pod, Status
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics

__all__ = ["ALWAYS_THERE", "Fed", "Feed"]

LOOK_AGAIN_SECONDS = 30.0
"""How often we look for kinds that are not served yet; two small requests each time."""

LOOK_SELDOM_SECONDS = 300.0
LOOK_AT_ONCE_SECONDS = 1.0
LOOK_TWICE_SECONDS = 10.0
"""After a look that missed what is followed: a server that has just started may not tell of its
CRDs yet, and whoever believed it at once would forget all groups."""

LASTING_SECONDS = 60.0
TROUBLE_SECONDS = 2.0

# Without these there is nothing to plan with. Every API server has them.
ALWAYS_THERE = frozenset(
    {
        Kind("", "Node"),
        Kind("", "Pod"),
        Kind("", "Namespace"),
        Kind("", "PersistentVolume"),
        Kind("", "PersistentVolumeClaim"),
        Kind("scheduling.k8s.io", "PriorityClass"),
    }
)

Told = KubernetesObject | Faulty[Any]


class Fed(Protocol):
    """What is fed: `state.State`."""

    def put(self, told: Told) -> None:
        """Added or changed."""
        ...

    def drop(self, told: Told) -> None:
        """Deleted."""
        ...

    def begin(self, kind: Kind) -> None:
        """A list of this kind starts anew."""
        ...

    def end(self, kind: Kind) -> None:
        """And is complete."""
        ...


class Feed:
    """One follower for each kind. `changed` is called after each batch."""

    def __init__(
        self, http: kube.Http, fed: Fed, log: Log, metrics: Metrics, changed: Callable[[], None]
    ) -> None:
        self._http = http
        self._fed = fed
        self._log = log
        self._metrics = metrics
        self._changed = changed
        self._followers: dict[Kind, asyncio.Task[None]] = {}
        self._sources: dict[Kind, kube.ServerSource[Any]] = {}
        self._listed: set[Kind] = set()
        self._synced = asyncio.Event()
        self._doubted: set[Kind] = set()  # followed, and missed by the last look
        self.resources: dict[Kind, kube.Resource] = {}  # of all kinds that are followed

    @property
    def is_synced(self) -> bool:
        """Whether everything has been told once."""
        return self._synced.is_set()

    @property
    def missing(self) -> Collection[Kind]:
        """Kinds that the server did not have when we looked last."""
        return KINDS.keys() - self.resources.keys()

    @property
    def troubles(self) -> Mapping[str, str]:
        """What goes wrong now, by kind."""
        return {
            kind.name: source.trouble.problem
            for kind, source in self._sources.items()
            if source.trouble is not None
        }

    @property
    def lasting_troubles(self) -> Mapping[str, str]:
        """Those of them that nothing has interrupted for a minute: what is known of these kinds is
        as old as that."""
        lasting = {
            kind.name
            for kind, source in self._sources.items()
            if source.troubled_seconds > LASTING_SECONDS
        }
        return {kind: problem for kind, problem in self.troubles.items() if kind in lasting}

    async def synced(self) -> None:
        """Returns when all that was served at the start has been told."""
        await self._synced.wait()

    async def run(self) -> None:
        """Until it is cancelled. A follower that ends has a bug, which ends us too."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._tell_troubles())
            while True:
                await self._look_again(tasks)
                await asyncio.sleep(self._pause())

    async def _tell_troubles(self) -> None:
        """What cannot be followed keeps us from planning, or lets us plan on what was: each
        trouble is logged once. A connection that is cut now and then is none."""
        while True:
            before = self.troubles
            await asyncio.sleep(TROUBLE_SECONDS)
            now = self.troubles
            for kind in before.keys() - now.keys():
                self._log.ended("cannot follow", kind=kind)
            for kind, problem in now.items():
                if before.get(kind) == problem:
                    self._log.once("cannot follow", kind=kind, problem=problem)

    def _pause(self) -> float:
        if not self.resources:
            return LOOK_AT_ONCE_SECONDS
        if self._doubted:
            return LOOK_TWICE_SECONDS
        return LOOK_AGAIN_SECONDS if self.missing else LOOK_SELDOM_SECONDS

    async def _look_again(self, tasks: asyncio.TaskGroup) -> None:
        try:
            await self._look(tasks)
            self._log.ended("discovery failed")
        except errors.ClusterError as error:
            self._log.once("discovery failed", problem=error.problem)

    async def _look(self, tasks: asyncio.TaskGroup) -> None:
        served = await kube.discover(self._http, KINDS)
        lost = ALWAYS_THERE - served.keys()
        if lost:
            names = ", ".join(sorted(kind.name for kind in lost))
            raise errors.Refused(404, f"it serves no {names}", where="discovery")
        missed = self.resources.keys() - served.keys()
        for kind in [kind for kind in self.resources if kind in missed]:
            if kind in self._doubted or self._is_refused(kind):
                self._end(kind)
        self._doubted = missed & self.resources.keys()
        for kind, resource in served.items():
            if self.resources.get(kind) != resource:
                self._begin(kind, resource, tasks)
        self._metrics.set("followed_kinds", len(self.resources))
        self._check_synced()

    def _is_refused(self, kind: Kind) -> bool:
        """Whether the server says of the kind itself that it has none."""
        trouble = self._sources[kind].trouble
        return isinstance(trouble, errors.Refused) and trouble.code == 404

    def _begin(self, kind: Kind, resource: kube.Resource, tasks: asyncio.TaskGroup) -> None:
        if kind in self._followers:  # served otherwise than before
            self._followers[kind].cancel()
        streams = kind != Pod.KIND  # they are the many: pages come in two thirds of the time
        source = kube.ServerSource(self._http, resource, Decoder(KINDS[kind]), streams=streams)
        self.resources[kind] = resource
        self._sources[kind] = source
        self._followers[kind] = tasks.create_task(self._follow(kind, source))
        self._log.detail(1, "following", kind=kind.name, group=kind.group, version=resource.version)

    def _end(self, kind: Kind) -> None:
        """Its CRD was taken away, and with it all objects."""
        self._followers.pop(kind).cancel()
        self._sources.pop(kind)
        self.resources.pop(kind)
        self._listed.discard(kind)
        self._fed.begin(kind)
        self._fed.end(kind)
        self._changed()
        self._log.warn("kind not served any more", kind=kind.name, group=kind.group)

    async def _follow(self, kind: Kind, source: kube.ServerSource[Any]) -> None:
        async for part in kube.follow(source):
            if isinstance(part, kube.Listed):
                self._take(kind, part)
            else:
                self._take_changes(part)
            self._changed()

    def _take(self, kind: Kind, part: kube.Listed[Any]) -> None:
        if part.is_first:
            self._fed.begin(kind)
            self._metrics.count("lists_total", kind=kind.name)
        for told in part.objects:
            self._fed.put(told)
        if part.is_last:
            self._fed.end(kind)
            self._listed.add(kind)
            self._check_synced()

    def _take_changes(self, events: list[Event[Any]]) -> None:
        for event in events:
            if isinstance(event.object, Status):
                continue
            if event.type == kube.DELETED:
                self._fed.drop(event.object)
            else:
                self._fed.put(event.object)

    def _check_synced(self) -> None:
        if self.resources and self.resources.keys() <= self._listed:
            self._synced.set()
