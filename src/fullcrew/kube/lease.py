"""Who may write: one holder of a Lease at a time, by arithmetic that trusts no other clock.

We hold the lease until `renew_deadline` after the moment *before* our last good write was sent;
others may take it `duration` after they saw that write. So whoever ends all requests of his within
`duration - renew_deadline` never meets his successor. The expiry of somebody else's lease is
counted from when we saw its record change, never from the times that stand in it.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Protocol, TypedDict, Unpack

import msgspec

from fullcrew import client, errors
from fullcrew.kube.backing_off import Backoff
from fullcrew.kube.http import Reply

__all__ = ["Lease", "LeaseSeconds", "Sender", "Watched", "steady_seconds"]

GROUP: Final = "/apis/coordination.k8s.io/v1"
RELEASED_SECONDS: Final = 1  # the duration that a lease without holder carries
OFTEN: Final = 3  # so many times may one request be slow before the renewal is too late


def steady_seconds() -> float:
    """A clock that nobody sets, and that goes on while the machine sleeps, where there is one."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class Sender(Protocol):
    """What carries a request; `Http` is one."""

    async def request(
        self, method: str, path: str, *, body: bytes | None = None, seconds: float = ...
    ) -> Reply:
        """One request with its whole answer."""


class _Seconds(TypedDict, total=False):
    duration: float
    renew_deadline: float
    retry: float


@dataclass(frozen=True, slots=True)
class LeaseSeconds:
    """How long a lease is good: for others, for its holder, and from one renewal to the next."""

    duration: float = 15.0
    renew_deadline: float = 10.0
    retry: float = 2.0

    def __post_init__(self) -> None:
        if not self.duration > self.renew_deadline > self.retry > 0:
            raise errors.BadInput(
                f"a lease of {self.duration:g} s with a renew deadline of {self.renew_deadline:g} s"
                f" and a retry period of {self.retry:g} s cannot be kept",
                try_this="lease duration > renew deadline > retry period > 0",
            )


@dataclass(slots=True)
class Watched:
    """Somebody's lease as we see it, on our own clock. Pure."""

    version: str = ""
    holder: str = ""
    seconds: float = 0.0
    changed_at: float = field(default=float("-inf"))

    def see(self, document: dict[str, Any], *, now: float) -> None:
        """Takes in what was read; only a change of the record proves that its holder lives."""
        version = str(document.get("metadata", {}).get("resourceVersion", ""))
        spec = document.get("spec") or {}
        told = spec.get("leaseDurationSeconds")
        self.holder = str(spec.get("holderIdentity") or "")
        self.seconds = float(told) if isinstance(told, int) else 0.0
        if version != self.version:
            self.version = version
            self.changed_at = now

    def may_take(self, *, now: float, own_seconds: float) -> bool:
        """Whether nobody holds it any more. What says no sensible time lasts as long as ours."""
        return not self.holder or now >= self.changed_at + (self.seconds or own_seconds)


class Lease:
    """One contender for one lease. `run` contends and renews until it is cancelled."""

    def __init__(
        self,
        http: Sender,
        namespace: str,
        name: str,
        identity: str,
        *,
        clock: Callable[[], float] = steady_seconds,
        **seconds: Unpack[_Seconds],
    ) -> None:
        """`identity` must be another for each process. `seconds` are those of `LeaseSeconds`."""
        self.seconds = LeaseSeconds(**seconds)
        self.identity = identity
        self.trouble: errors.FullcrewError | None = None  # of the last attempt, if it failed
        self._namespace = namespace
        self._name = name
        self._http = http
        self._clock = clock
        self._watched = Watched()
        self._document: dict[str, Any] = {}
        self._held_until = float("-inf")
        self._is_held = asyncio.Event()
        self._is_lost = asyncio.Event()
        self._turn = asyncio.Lock()
        self._is_released = False

    @property
    def is_held(self) -> bool:
        """Whether we may write at this very moment."""
        return self._clock() < self._held_until

    @property
    def held_seconds(self) -> float:
        """How much longer we may write if no renewal succeeds."""
        return max(0.0, self._held_until - self._clock())

    @property
    def holder(self) -> str:
        """Who held it when we last looked; "" for nobody."""
        return self._watched.holder

    async def held(self) -> None:
        """Returns when we hold it."""
        while not self.is_held:
            self._is_held.clear()
            await self._is_held.wait()

    async def lost(self) -> None:
        """Returns when we do not hold it any more, at the latest at the renew deadline."""
        while (left := self.held_seconds) > 0:
            self._is_lost.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_lost.wait(), left)

    async def run(self) -> None:
        """Contends for it, keeps it, and contends again should it be lost."""
        backoff = Backoff(
            first_seconds=self.seconds.retry / 2, longest_seconds=self.seconds.retry * 2
        )
        while not self._is_released:
            was_held = self.is_held
            try:
                await self._attempt()
                self.trouble = None
                backoff.reset()
                wait = self.seconds.retry
            except errors.ClusterError as error:
                self.trouble = error
                wait = self.seconds.retry / 2 if was_held else backoff.next()
            await asyncio.sleep(min(wait, self._soonest()))

    async def release(self) -> None:
        """Lets it go, so that another takes it at once. For when no bind is unanswered."""
        self._is_released = True
        async with self._turn:
            if not self.is_held:
                return
            self._lose()
            with suppress(errors.ClusterError):  # else it expires by itself
                await self._write("", self._clock())

    def _soonest(self) -> float:
        """A lease that ends before the next turn is waited for no longer than it lasts."""
        ends = self._watched.changed_at + (self._watched.seconds or self.seconds.duration)
        left = ends - self._clock()
        is_others = self._watched.holder not in {"", self.identity}
        return max(0.05, left) if is_others and left > 0 else self.seconds.retry * 2

    async def _attempt(self) -> None:
        async with self._turn:
            if self._is_released:
                return
            if not self.is_held and not await self._look():
                return
            if not await self._write(self.identity, self._clock()) and await self._look():
                await self._write(self.identity, self._clock())

    async def _look(self) -> bool:
        """Reads it; whether we may take or keep it."""
        reply = await self._http.request("GET", self._path, seconds=self._seconds)
        if reply.code == 404:
            self._lose()
            self._document = {}
            self._watched = Watched()
            return True
        self._document = _accepted(reply, "get")
        now = self._clock()
        self._watched.see(self._document, now=now)
        if self._watched.holder == self.identity:
            return True
        self._lose()
        return self._watched.may_take(now=now, own_seconds=self.seconds.duration)

    async def _write(self, holder: str, sent_at: float) -> bool:
        """Makes the record say so; False where somebody else wrote it since we looked."""
        path, method = self._path, "PUT"
        if not self._document:
            path, method = self._path.rpartition("/")[0], "POST"
        body = msgspec.json.encode(self._record(holder))
        reply = await self._http.request(method, path, body=body, seconds=self._seconds)
        if reply.code == 404:  # somebody deleted it, and somebody may make it anew
            self._lose()
        if reply.code in {404, 409}:
            return False
        self._document = _accepted(reply, "update" if method == "PUT" else "create")
        self._watched.see(self._document, now=self._clock())
        if holder:
            self._held_until = sent_at + self.seconds.renew_deadline
            if self.is_held:
                self._is_held.set()
        return True

    def _lose(self) -> None:
        self._held_until = float("-inf")
        self._is_lost.set()

    def _record(self, holder: str) -> dict[str, Any]:
        """Our record, with all that others wrote beside it left as it is."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        metadata = self._document.get("metadata") or {
            "name": self._name,
            "namespace": self._namespace,
        }
        spec = dict(self._document.get("spec") or {})
        is_other = (spec.get("holderIdentity") or "") != holder
        spec |= {
            "holderIdentity": holder,
            "leaseDurationSeconds": math.ceil(self.seconds.duration)
            if holder
            else RELEASED_SECONDS,
            "renewTime": now,
        }
        if is_other:
            spec["acquireTime"] = now
            before = spec.get("leaseTransitions")
            spec["leaseTransitions"] = int(before or 0) + bool(holder and self._document)
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": metadata,
            "spec": spec,
        }

    @property
    def _path(self) -> str:
        space = f"{GROUP}/namespaces/{client.in_path(self._namespace)}/leases"
        return f"{space}/{client.in_path(self._name)}"

    @property
    def _seconds(self) -> float:
        """How long one request may take: several must fit before the renewal is too late."""
        return self.seconds.renew_deadline / OFTEN


def _accepted(reply: Reply, verb: str) -> dict[str, Any]:
    if reply.code == 403:
        raise errors.Forbidden(verb, "leases")
    if not 200 <= reply.code < 300:
        raise errors.Refused(reply.code, client.refusal(reply.body).message, where=f"{verb} lease")
    try:
        return msgspec.json.decode(reply.body, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise errors.Refused(reply.code, f"what it serves cannot be read: {error}") from error
