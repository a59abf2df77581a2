"""What telling needs of the asynchronous client, so that a test needs no server."""

from __future__ import annotations

from typing import Protocol

from fullcrew import kube

__all__ = ["PASSING", "Sends"]

PASSING = frozenset({0, 401, 408, 425, 429, 500, 502, 503, 504})
"""Codes after which the same write may well succeed; 0 stands for no answer."""


class Sends(Protocol):
    """`kube.Flow`, as far as statuses and events need it."""

    async def request(
        self,
        lane: kube.Lane,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        content: str = kube.JSON,
    ) -> kube.Reply:
        """One write in its lane; no answer in time raises `Unreachable`."""
        ...

    def submit(self, lane: kube.Lane, errand: kube.Errand) -> None:
        """Takes an errand that nobody waits for."""
        ...
