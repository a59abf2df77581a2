"""Reads the groups of gangs that are about to start: what is asked for together goes out as few
requests, one GET for few groups of a namespace, one LIST for many.

Few or many is measured by what a list would cost: where a namespace holds ten thousand groups, ten
of them are few. How many it holds, the last list of it has told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, NamedTuple
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
Place = tuple[str, str]  # group of the kind, namespace


class GroupReading:
    """`want` any number, then `flush`; each is told once, as soon as it is known."""

    def __init__(self, flow: Flow, resources: Mapping[Kind, Resource], seconds: float) -> None:
        self._flow = flow
        self._resources = resources
        self._seconds = seconds
        self._groups = reading.Groups()
        self._wanted: dict[GroupKey, list[Told]] = {}
        self._kinds: dict[str, Kind] = {}
        self._repeats: set[GroupKey] = set()
        self._pages: dict[Place, int] = {}  # that a whole list has

    @property
    def wants(self) -> bool:
        """Whether a flush has something to ask."""
        return bool(self._wanted)

    def want(self, kind: Kind, group: str, told: Told, *, is_repeat: bool = False) -> None:
        """One group by `namespace/name`. `is_repeat`: reading it failed before."""
        namespace, _, name = group.partition("/")
        key = GroupKey(kind.group, namespace, name)
        self._kinds[kind.group] = kind
        self._wanted.setdefault(key, []).append(told)
        if is_repeat:
            self._repeats.add(key)

    def flush(self) -> None:
        """Asks for all that was wanted since the last time."""
        wanted, self._wanted = self._wanted, {}
        reads = launch.gathered(wanted, pages=self._pages)
        for key in reads.single:
            self._get(key, wanted[key])
        whole: dict[Place, dict[str, list[Told]]] = {place: {} for place in reads.whole}
        for key, told in wanted.items():
            place = (key.dialect, key.namespace)
            if place in whole:
                whole[place][key.name] = told
        for place, waiting in whole.items():
            self._list(place, waiting)

    def _get(self, key: GroupKey, told: list[Told], *, is_first: bool = False) -> None:
        resource = self._resources.get(self._kinds[key.dialect])
        if resource is None:
            _tell(told, _GONE)
            return
        wish = self._wish(resource.path(key.namespace, key.name), [key])
        one = _One(self, resource.kind, wish, told)
        self._flow.submit(Lane.BIND, one, is_first=is_first)

    def _list(self, place: Place, waiting: dict[str, list[Told]], more: str = "") -> None:
        resource = self._resources.get(self._kinds[place[0]])
        if resource is None:
            for told in waiting.values():
                _tell(told, _GONE)
            return
        query = {"limit": str(PAGE), **({"continue": more} if more else {})}
        keys = [GroupKey(*place, name) for name in waiting]
        wish = self._wish(f"{resource.path(place[1])}?{urlencode(query)}", keys)
        page = _Many(self, resource.kind, wish, _Waiting(place, waiting, more))
        self._flow.submit(Lane.BIND, page, is_first=bool(more))

    def _go_on(self, asked: _Waiting, pages: int, more: str) -> None:
        """For those that were on no page yet: the next one, or if that is cheaper, one by one."""
        keys = [GroupKey(*asked.place, name) for name in asked.by_name]
        if launch.gathered(keys, pages={asked.place: pages}).whole:
            self._list(asked.place, asked.by_name, more)
        else:
            for key in reversed(keys):  # each goes before the one that was submitted last
                self._get(key, asked.by_name[key.name], is_first=True)

    def _wish(self, path: str, keys: Collection[GroupKey]) -> Wish:
        """A consistent read. One that is only for groups whose reading failed before tells of
        these when it fails again, and not of the server."""
        is_repeat = self._repeats.issuperset(keys)
        self._repeats.difference_update(keys)
        return Wish("GET", path, None, JSON, self._seconds, JSON, is_repeat)

    # What follows is for the errands below.

    def one_told(self, kind: Kind, reply: Reply, told: list[Told]) -> None:
        """A group, or why there is none."""
        _tell(told, self._groups.one(kind, reply))

    def many_told(self, errand: _Many, reply: Reply) -> None:
        """A page: those on it are told at once, in the order in which they were wanted. The next
        one is only asked for while somebody waits, and as long as that is cheaper."""
        asked = errand.asked
        page = self._groups.page(errand.kind, reply)
        if page.answer.outcome is not Outcome.DONE:
            errand.tell_all(TermsSeen(None, page.answer))
            return
        waiting, found = asked.by_name, page.found
        wanted = list(waiting) if len(waiting) < 2 * len(found) else list(found)
        for name in wanted:
            if name in found and name in waiting:
                _tell(waiting.pop(name), found[name])
        pages = max(1, -(-page.rest // PAGE)) if page.more else 0
        if not asked.more:
            self._pages[asked.place] = 1 + pages
        if not page.more:
            errand.tell_all(_GONE)
        elif waiting:
            self._go_on(asked, pages, page.more)


class _One:
    __slots__ = ("_kind", "_reading", "_told", "_wish")

    def __init__(self, reading: GroupReading, kind: Kind, wish: Wish, told: list[Told]) -> None:
        self._reading = reading
        self._kind = kind
        self._wish = wish
        self._told = told

    def wish(self) -> Wish:
        return self._wish

    def told(self, reply: Reply) -> None:
        self._reading.one_told(self._kind, reply, self._told)

    def failed(self, error: errors.FullcrewError, /) -> None:
        _tell(self._told, _unknown(error))


class _Waiting(NamedTuple):
    """Groups of one kind and namespace, by name; they get fewer from page to page."""

    place: Place
    by_name: dict[str, list[Told]]
    more: str  # the token of this page


class _Many:
    """One page of a list."""

    __slots__ = ("_reading", "_wish", "asked", "kind")

    def __init__(self, reading: GroupReading, kind: Kind, wish: Wish, asked: _Waiting) -> None:
        self._reading = reading
        self._wish = wish
        self.kind = kind
        self.asked = asked

    def wish(self) -> Wish:
        return self._wish

    def told(self, reply: Reply) -> None:
        self._reading.many_told(self, reply)

    def failed(self, error: errors.FullcrewError, /) -> None:
        self.tell_all(_unknown(error))

    def tell_all(self, seen: TermsSeen) -> None:
        waiting = self.asked.by_name
        while waiting:
            _tell(waiting.pop(next(iter(waiting))), seen)


def _tell(told: list[Told], seen: TermsSeen) -> None:
    for each in told:
        each(seen)


def _unknown(error: errors.FullcrewError) -> TermsSeen:
    return TermsSeen(None, launch.answer_of(0, words=error.problem))
