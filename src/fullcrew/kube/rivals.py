"""Other schedulers that serve a name we would serve, found by the Leases they hold.

Two schedulers for one name bind each other's gangs apart. Each of the projects we replace holds a
Lease under its scheduler's name while it works, and so do we; any Lease of such a name but our own
is a rival's, in whatever namespace.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, Protocol, TypeVar

import msgspec

from fullcrew import client, errors
from fullcrew.kube.http import Reply
from fullcrew.objects.metadata import seconds
from fullcrew.objects.shape import Int32, Shape

__all__ = ["Getter", "Rival", "Rivals"]

ROOT: Final = "/apis/coordination.k8s.io/v1"
USUAL_PLACES: Final = ("kube-system", "volcano-system", "kube-batch", "default")
USUAL_SECONDS: Final = 15

Shaped = TypeVar("Shaped", bound=Shape)


class Rival(NamedTuple):
    """A scheduler at work under a name of ours."""

    name: str  # of the Lease, and of the scheduler
    namespace: str
    holder: str


class Getter(Protocol):
    """What carries a request; `Http` is one."""

    async def request(self, method: str, path: str) -> Reply:
        """One request with its whole answer."""


class _Name(Shape, frozen=True):
    name: str = ""
    namespace: str = ""


class _Spec(Shape, frozen=True):
    holder_identity: str | None = None
    renew_time: str | None = None
    lease_duration_seconds: Int32 | None = None


class _Lease(Shape, frozen=True):
    metadata: _Name = _Name()
    spec: _Spec = _Spec()


class _Leases(Shape, frozen=True):
    items: tuple[_Lease, ...] | None = None


class Rivals:
    """Looks for them, as often as the caller likes; what was seen before helps to judge."""

    def __init__(
        self,
        http: Getter,
        names: Iterable[str],
        *,
        own: tuple[str, str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`own`: namespace and name of our own Lease."""
        self._http = http
        self._names = tuple(sorted(names))
        self._own = own
        self._clock = clock
        self._renewed: dict[tuple[str, str], str | None] = {}
        self.unseen: frozenset[str] = frozenset()  # names whose Leases we may not read

    async def look(self) -> tuple[Rival, ...]:
        """Those that live: renewed since the last look, or not yet expired by the wall clock.
        What we may not read, we do not know: `unseen` tells of it then. No answer, or that of a
        server that is too busy, is `Unreachable`: then all is as it was."""
        unseen: set[str] = set()
        looks = [self._leases(name, unseen) for name in self._names]
        found = [lease for leases in await asyncio.gather(*looks) for lease in leases]
        self.unseen = frozenset(unseen)
        living = [lease.metadata for lease in found if self._lives(lease)]
        holders = {lease.metadata: lease.spec.holder_identity or "" for lease in found}
        return tuple(Rival(m.name, m.namespace, holders[m]) for m in living)

    async def _leases(self, name: str, unseen: set[str]) -> list[_Lease]:
        asked = f"fieldSelector=metadata.name%3D{client.in_path(name)}"
        reply = await self._http.request("GET", f"{ROOT}/leases?{asked}")
        if reply.code == 200:
            return list(_decoded(reply.body, _Leases).items or ())
        _check(reply)
        places = dict.fromkeys((*USUAL_PLACES, self._own[0]))
        paths = [f"{ROOT}/namespaces/{place}/leases/{client.in_path(name)}" for place in places]
        replies = await asyncio.gather(*(self._http.request("GET", path) for path in paths))
        for each in replies:
            _check(each)
            if each.code in {401, 403}:
                unseen.add(name)
        return [_decoded(each.body, _Lease) for each in replies if each.code == 200]

    def _lives(self, lease: _Lease) -> bool:
        place, spec = (lease.metadata.namespace, lease.metadata.name), lease.spec
        if place == self._own or not spec.holder_identity:
            return False
        was_renewed = self._renewed.get(place, spec.renew_time) != spec.renew_time
        self._renewed[place] = spec.renew_time
        age = self._clock() - (seconds(spec.renew_time) or 0)
        return was_renewed or age < (spec.lease_duration_seconds or USUAL_SECONDS)


def _check(reply: Reply) -> None:
    if reply.code == 429 or reply.code >= 500:
        problem = client.refusal(reply.body).message
        raise errors.Unreachable("the API server", problem=f"it answered {reply.code}: {problem}")


def _decoded(body: bytes, shape: type[Shaped]) -> Shaped:
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.MsgspecError:
        return shape()
