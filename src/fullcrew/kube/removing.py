"""Deletes pods, by the same right as a bind: at the very moment, by uid, and never for longer than
a lease leaves, so that no deletion of ours meets whoever leads next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

import msgspec

from fullcrew import errors
from fullcrew.kube import bodies
from fullcrew.kube.flow import Errand, Lane
from fullcrew.kube.http import JSON, Reply, Wish

__all__ = ["Remover", "Submits"]


class Submits(Protocol):
    """`Flow`, as far as it is needed here."""

    def submit(self, lane: Lane, errand: Errand) -> None:
        """Takes an errand."""


class Remover:
    """Asks `may_delete` right before each request is sent, however long it waited for its turn.

    `seconds` is how long one may take: less than what is left of a lease that is not renewed.
    """

    def __init__(self, flow: Submits, *, seconds: float, may_delete: Callable[[], bool]) -> None:
        self._flow = flow
        self._seconds = seconds
        self._may_delete = may_delete
        self._loop = asyncio.get_running_loop()
        self._unanswered = 0
        self._is_closed = False

    @property
    def unanswered(self) -> int:
        """How many the server may still carry out; at none a lease may be let go. Without an
        answer, it has given one up after as much time again."""
        return self._unanswered

    def close(self) -> None:
        """Nothing is sent any more."""
        self._is_closed = True

    async def delete(self, pod: str, uid: str) -> Reply | None:
        """This very pod, by `namespace/name`; None if it was not sent, since we may no more."""
        told: asyncio.Future[Reply | None] = self._loop.create_future()
        self._flow.submit(Lane.BIND, _Removing(self, pod, uid, told))
        return await told

    # What follows is for the errand below.

    def wish(self, pod: str, uid: str) -> Wish | None:
        """The request, if it may go out at this very moment."""
        if self._is_closed or not self._may_delete():
            return None
        self._unanswered += 1
        told = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": uid}}
        path = bodies.pod_path(pod) + bodies.limit(self._seconds)
        return Wish("DELETE", path, msgspec.json.encode(told), JSON, self._seconds)

    def answered(self) -> None:
        """It is settled."""
        self._unanswered -= 1

    def lost(self) -> None:
        """Nobody knows, but not for ever."""
        self._loop.call_later(self._seconds, self.answered)


class _Removing:
    """The errand of one deletion."""

    __slots__ = ("_is_sent", "_pod", "_remover", "_told", "_uid")

    def __init__(
        self, remover: Remover, pod: str, uid: str, told: asyncio.Future[Reply | None]
    ) -> None:
        self._remover = remover
        self._pod = pod
        self._uid = uid
        self._told = told
        self._is_sent = False

    def wish(self) -> Wish | None:
        if self._told.done():  # who wanted it went away
            return None
        wish = self._remover.wish(self._pod, self._uid)
        self._is_sent = wish is not None
        if wish is None:
            self._told.set_result(None)
        return wish

    def told(self, reply: Reply) -> None:
        if reply.code < 500:
            self._remover.answered()
        else:
            self._remover.lost()
        if not self._told.done():
            self._told.set_result(reply)

    def failed(self, error: errors.FullcrewError, /) -> None:
        if self._is_sent:
            self._remover.lost()
        if not self._told.done():
            self._told.set_exception(error)
