"""Statuses of queues: groups by phase and what they have allocated, at a low rate, on change."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from fullcrew import client, errors, kube
from fullcrew.dialects import queue_status
from fullcrew.dialects.queue_status import Tally
from fullcrew.dialects.status import Guard
from fullcrew.objects import Kind, Queue
from fullcrew.room import Snapshot
from fullcrew.run.outlet import Outlet
from fullcrew.state import State

__all__ = ["QueueStatuses"]

EVERY_SECONDS = 10.0


class QueueStatuses:
    """Writes what differs, every few seconds while something changes, and else not at all."""

    def __init__(
        self, state: State, resources: Mapping[Kind, kube.Resource], outlet: Outlet
    ) -> None:
        self._state = state
        self._resources = resources
        self._outlet = outlet
        self._has_changed = asyncio.Event()
        self._has_changed.set()

    def changed(self) -> None:
        """Something about a gang changed."""
        self._has_changed.set()

    async def run(self) -> None:
        """Writes them until it is cancelled."""
        while True:
            await self._has_changed.wait()
            await asyncio.sleep(EVERY_SECONDS)
            self._has_changed.clear()
            await self._write_all()

    async def _write_all(self) -> None:
        answers = self._state.answers
        queues = [each for each in answers.queue_objects() if each.KIND in self._resources]
        if not queues:
            return
        used = _used(self._state.snapshot(int(time.time())))
        counts = {queue.name: answers.queue_counts(queue.name) for queue in queues}
        for queue in queues:  # counting anew after each write would walk over all groups each time
            resource = self._resources.get(queue.KIND)
            if resource is not None:
                tally = Tally(counts[queue.name], used.get(queue.name, {}))
                await self._write(queue, tally, resource)

    async def _write(self, queue: Queue, tally: Tally, resource: kube.Resource) -> None:
        guard = Guard(queue.metadata.uid, queue.metadata.resource_version)
        body = queue_status.patch(queue, tally, guard)
        if not body:
            return
        path = resource.path("", queue.name) + ("/status" if resource.has_status else "")
        try:
            reply = await self._outlet.sends.request(
                kube.Lane.STATUS, "PATCH", path, body=body, content=kube.MERGE
            )
            code, words = (
                reply.code,
                client.refusal(reply.body).message if reply.code >= 300 else "",
            )
        except errors.ClusterError as error:
            code, words = 0, error.problem
        self._outlet.wrote("queue", path, code, words)
        if not 200 <= code < 300:
            self._has_changed.set()  # what was refused is tried again with the next ones


def _used(snapshot: Snapshot) -> Mapping[str, Mapping[str, int]]:
    """What the pods of each queue ask for, by resource."""
    used = snapshot.room.used
    return {
        queue.name: {
            resource: int(used[row, column]) for row, resource in enumerate(snapshot.resources)
        }
        for column, queue in enumerate(snapshot.queues)
    }
