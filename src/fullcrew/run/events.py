"""Events: the last thing that is written. Those on pods are the first that is dropped under load;
those on groups, by which a gang's start is told, have a lane of their own before them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from typing import Final, NamedTuple

import msgspec

from fullcrew import client, errors, kube
from fullcrew.run.metrics import Metrics
from fullcrew.run.sending import Sends

__all__ = ["COMPONENT", "NORMAL", "WARNING", "About", "Events", "timestamp"]

COMPONENT: Final = "fullcrew"
NORMAL: Final = "Normal"
WARNING: Final = "Warning"

TRIES: Final = {kube.Lane.EVENT: 8, kube.Lane.POD_EVENT: 3}
FIRST_PAUSE_SECONDS = 1.0  # before the second try; twice as long before each further one
LONGEST_PAUSE_SECONDS = 60.0  # whatever the server says
LONGEST_MESSAGE = 1024  # as the API server allows
LONGEST_NAME = 200


class About(NamedTuple):
    """The object that an event is about."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str


class Events:
    """Hands events to the last lane. Nobody waits for them, and their text is made when their turn
    has come, so that one which is dropped costs next to nothing."""

    def __init__(
        self, sends: Sends, metrics: Metrics, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._sends = sends
        self._metrics = metrics
        self._clock = clock
        self._numbers = count()

    def tell(self, about: About, *, kind: str, reason: str, message: str) -> None:
        """Never waits."""
        number = next(self._numbers) & 0xFFFF
        told = _Told(about, kind, reason, message, self._clock(), number)
        lane = kube.Lane.POD_EVENT if about.kind == "Pod" else kube.Lane.EVENT
        self._sends.submit(lane, _Errand(told, lane, self._sends, self._metrics))


class _Told(NamedTuple):
    about: About
    kind: str
    reason: str
    message: str
    at: float
    number: int


class _Errand:
    """One event on its way: tried a few times where the server is busy, then let go."""

    __slots__ = ("_is_sent", "_lane", "_metrics", "_sends", "_told", "_tries")

    def __init__(self, told: _Told, lane: kube.Lane, sends: Sends, metrics: Metrics) -> None:
        self._told = told
        self._lane = lane
        self._sends = sends
        self._metrics = metrics
        self._tries = 0
        self._is_sent = False

    def wish(self) -> kube.Wish:
        """The request, made now."""
        self._tries += 1
        self._is_sent = True
        space = client.in_path(self._told.about.namespace)
        return kube.Wish("POST", f"/api/v1/namespaces/{space}/events", _body(self._told))

    def told(self, reply: kube.Reply) -> None:
        """The server's answer."""
        if reply.code == 429 or reply.code >= 500:
            self._again(reply.after_seconds)
        else:
            self._metrics.count("events_total", outcome="written" if reply.code < 300 else "failed")

    def failed(self, _error: errors.FullcrewError) -> None:
        """No answer; or, if it did not have its turn, it was dropped for younger ones."""
        if self._is_sent:
            self._again(0.0)
        else:
            self._metrics.count("events_total", outcome="dropped")

    def _again(self, after_seconds: float) -> None:
        """Never at once: who refuses events wants fewer of them."""
        if self._tries >= TRIES[self._lane]:
            self._metrics.count("events_total", outcome="failed")
            return
        self._is_sent = False
        pause = max(after_seconds, FIRST_PAUSE_SECONDS * 2 ** (self._tries - 1))
        loop = asyncio.get_running_loop()
        loop.call_later(min(LONGEST_PAUSE_SECONDS, pause), self._sends.submit, self._lane, self)


def _body(told: _Told) -> bytes:
    about, moment = told.about, timestamp(told.at)
    name = f"{about.name[:LONGEST_NAME]}.{int(told.at * 1e6):x}{told.number:04x}"
    involved = {
        "apiVersion": about.api_version,
        "kind": about.kind,
        "namespace": about.namespace,
        "name": about.name,
        "uid": about.uid,
    }
    return msgspec.json.encode(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": about.namespace},
            "involvedObject": involved,
            "type": told.kind,
            "reason": told.reason,
            "message": told.message[:LONGEST_MESSAGE],
            "source": {"component": COMPONENT},
            "reportingComponent": COMPONENT,
            "firstTimestamp": moment,
            "lastTimestamp": moment,
            "count": 1,
        }
    )


def timestamp(seconds: float) -> str:
    """A time as Kubernetes writes it, in whole seconds."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
