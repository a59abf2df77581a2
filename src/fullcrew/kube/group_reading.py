"""Reads the groups of gangs that are about to start: what is asked for together goes out as few
requests, one GET for few groups of a namespace, one LIST for many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlencode

from fullcrew import errors, launch
from fullcrew.kube import reading
from fullcrew.kube.flow import Flow, Lane
from fullcrew.kube.http import JSON, Reply, Wish
from fullcrew.kube.resources import Resource
from fullcrew.launch import Answer, GroupKey, Outcome, TermsSeen
from fullcrew.objects.metadata import Kind

__all__ = ["GroupReading"]

PAGE = 500
_GONE: Final = TermsSeen(None, Answer(Outcome.GONE, "it is not there any more", 404))

Told = Callable[[TermsSeen], None]


class GroupReading:
    """`want` any number, then `flush`; each is told once, as soon as it is known."""

    def __init__(self, flow: Flow, resources: Mapping[Kind, Resource], seconds: float) -> None:
        self._flow = flow
        self._resources = resources
        self._seconds = seconds
        self._groups = reading.Groups()
        self._wanted: dict[GroupKey, list[Told]] = {}
        self._kinds: dict[str, Kind] = {}

    @property
    def wants(self) -> bool:
        """Whether a flush has something to ask."""
        return bool(self._wanted)

    def want(self, kind: Kind, group: str, told: Told) -> None:
        """One group by `namespace/name`."""
        namespace, _, name = group.partition("/")
        self._kinds[kind.group] = kind
        self._wanted.setdefault(GroupKey(kind.group, namespace, name), []).append(told)

    def flush(self) -> None:
        """Asks for all that was wanted since the last time."""
        wanted, self._wanted = self._wanted, {}
        reads = launch.gathered(wanted)
        for key in reads.single:
            resource = self._resource_of(key.dialect)
            if resource is None:
                _tell(wanted[key], _GONE)
                continue
            path = resource.path(key.namespace, key.name)
            self._flow.submit(Lane.BIND, _One(self, resource.kind, path, wanted[key]))
        whole: dict[tuple[str, str], dict[str, list[Told]]] = {place: {} for place in reads.whole}
        for key, told in wanted.items():
            place = (key.dialect, key.namespace)
            if place in whole:
                whole[place][key.name] = told
        for (group, namespace), waiting in whole.items():
            self._list(group, namespace, waiting)

    def _list(self, group: str, namespace: str, waiting: dict[str, list[Told]]) -> None:
        resource = self._resource_of(group)
        if resource is None:
            for told in waiting.values():
                _tell(told, _GONE)
            return
        path = resource.path(namespace)
        self._flow.submit(Lane.BIND, _Many(self, resource.kind, path, waiting))

    def _resource_of(self, group: str) -> Resource | None:
        return self._resources.get(self._kinds[group])

    # What follows is for the errands below.

    def wish(self, path: str) -> Wish:
        """A consistent read."""
        return Wish("GET", path, None, JSON, self._seconds)

    def one_told(self, kind: Kind, reply: Reply, told: list[Told]) -> None:
        """A group, or why there is none."""
        _tell(told, self._groups.one(kind, reply))

    def many_told(self, errand: _Many, reply: Reply) -> None:
        """A page: those on it are told at once, in the order in which they were wanted."""
        page = self._groups.page(errand.kind, reply)
        waiting = errand.waiting
        if page.answer.outcome is not Outcome.DONE:
            errand.tell_all(TermsSeen(None, page.answer))
            return
        if page.more:
            following = _Many(self, errand.kind, errand.path, waiting, page.more)
            self._flow.submit(Lane.BIND, following, is_first=True)
        found = page.found
        wanted = list(waiting) if len(waiting) < 2 * len(found) else list(found)
        for name in wanted:
            if name in found and name in waiting:
                _tell(waiting.pop(name), found[name])
        if not page.more:
            errand.tell_all(_GONE)


class _One:
    __slots__ = ("_kind", "_path", "_reading", "_told")

    def __init__(self, reading: GroupReading, kind: Kind, path: str, told: list[Told]) -> None:
        self._reading = reading
        self._kind = kind
        self._path = path
        self._told = told

    def wish(self) -> Wish:
        return self._reading.wish(self._path)

    def told(self, reply: Reply) -> None:
        self._reading.one_told(self._kind, reply, self._told)

    def failed(self, error: errors.FullcrewError, /) -> None:
        _tell(self._told, _unknown(error))


class _Many:
    """One page of a list; `waiting` gets smaller from page to page."""

    __slots__ = ("_more", "_reading", "kind", "path", "waiting")

    def __init__(
        self,
        reading: GroupReading,
        kind: Kind,
        path: str,
        waiting: dict[str, list[Told]],
        more: str = "",
    ) -> None:
        self._reading = reading
        self.kind = kind
        self.path = path
        self.waiting = waiting
        self._more = more

    def wish(self) -> Wish:
        asked = {"limit": str(PAGE), **({"continue": self._more} if self._more else {})}
        return self._reading.wish(f"{self.path}?{urlencode(asked)}")

    def told(self, reply: Reply) -> None:
        self._reading.many_told(self, reply)

    def failed(self, error: errors.FullcrewError, /) -> None:
        self.tell_all(_unknown(error))

    def tell_all(self, seen: TermsSeen) -> None:
        while self.waiting:
            _tell(self.waiting.pop(next(iter(self.waiting))), seen)


def _tell(told: list[Told], seen: TermsSeen) -> None:
    for each in told:
        each(seen)


def _unknown(error: errors.FullcrewError) -> TermsSeen:
    return TermsSeen(None, launch.answer_of(0, words=error.problem))
