"""`PodScheduled=False` on pods that wait: written when the kind of their reason changes, and at a
bounded rate, since a gang may have ten thousand pods and nobody reads all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from fullcrew import client, errors, kube
from fullcrew.dialects import status
from fullcrew.dialects.status import Guard
from fullcrew.model import reason as reasons
from fullcrew.model.reason import Kind, Reason
from fullcrew.objects import Pod
from fullcrew.run.events import WARNING, About, timestamp
from fullcrew.run.flapping import Flapping
from fullcrew.run.outlet import Outlet
from fullcrew.run.sending import PASSING
from fullcrew.run.verdicts import Verdict

__all__ = ["PodConditions", "Pods"]

MOST_A_SECOND = 200.0
WRITERS = 8
BUSY_SECONDS = 0.5
CHANGED_SECONDS = 0.05  # until we are told how the pod is by now; one that was bound is let go then
CONFLICT = 409
STRATEGIC = "application/strategic-merge-patch+json"


class Pods(Protocol):
    """Where the waiting pods are known: the answers of `state.State`."""

    def pending_pod(self, pod: str) -> Pod | None:
        """The pod as last seen, while it waits."""
        ...


class _Wish(NamedTuple):
    uid: str
    reason: Reason
    has_event: bool


class PodConditions:
    """Waiting pods and what to write on them; the latest wish for a pod wins."""

    def __init__(self, pods: Pods, outlet: Outlet) -> None:
        self._pods = pods
        self._outlet = outlet
        self._told: dict[str, tuple[Verdict, Mapping[str, Reason]]] = {}
        self._wishes: dict[str, _Wish] = {}
        self._is_there = asyncio.Event()
        self._next_at = 0.0
        self._flapping = Flapping()
        self._written_at: dict[str, float] = {}  # by gang

    def __len__(self) -> int:
        return len(self._wishes)

    def forget(self, gang: str) -> None:
        """It waits no more. What is still to be written of it is not written."""
        self._flapping.forget(gang)
        self._written_at.pop(gang, None)
        before = self._told.pop(gang, None)
        if before is not None:
            for pod in before[1]:
                self._wishes.pop(pod, None)

    def look_at(self, gang: str, verdict: Verdict, *, has_group: bool, now: float) -> float | None:
        """Finds out which of its pods do not say yet why they wait; and when to look again, where
        the reason changes to and fro."""
        before = self._told.get(gang)
        if before is not None and before[0].waits == verdict.waits:
            return None
        kinds = tuple(reasons.kinds(reason) for _, reason in verdict.waits)
        at = self._written_at.get(gang, now) + self._flapping.pause(gang, kinds, now)
        if at > now:
            return at
        known = before[1] if before is not None else None
        waits = {pod: reason for pods, reason in verdict.waits for pod in pods}
        wished = [name for name, reason in waits.items() if self._consider(name, reason, known)]
        for pod in known or ():
            if pod not in waits:
                self._wishes.pop(pod, None)
        self._told[gang] = (verdict, waits)
        if wished:
            if not has_group and self._flapping.may_warn(gang, _label(verdict.reason), now):
                first = wished[0]  # one pod of a gang without an object has its event
                self._wishes[first] = self._wishes[first]._replace(has_event=True)
            self._flapping.said(gang, kinds, now)
            self._written_at[gang] = now
            self._is_there.set()
        return None

    async def run(self) -> None:
        """Writes them until it is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(WRITERS):
                tasks.create_task(self._write_all())

    def _consider(self, name: str, reason: Reason, known: Mapping[str, Reason] | None) -> bool:
        """Whether it is to be written."""
        if reason.kind is Kind.RIVAL:
            return False
        told = known.get(name) if known is not None else None
        if told is not None and reasons.is_same_kind(told, reason):
            return False
        pod = self._pods.pending_pod(name)
        if pod is None or pod.is_gated or not pod.metadata.uid:
            return False
        if known is None and _says_already(pod, reason):  # by ourselves, before we were restarted
            return False
        self._wishes[name] = _Wish(pod.metadata.uid, reason, has_event=False)
        return True

    async def _write_all(self) -> None:
        while True:
            while not self._wishes:
                self._is_there.clear()
                await self._is_there.wait()
            await self._pace()
            if not self._wishes:
                continue
            name = next(iter(self._wishes))
            await self._write(name, self._wishes.pop(name))

    async def _pace(self) -> None:
        now = asyncio.get_running_loop().time()
        self._next_at = max(self._next_at, now) + 1.0 / MOST_A_SECOND
        await asyncio.sleep(self._next_at - now)

    async def _write(self, name: str, wish: _Wish) -> None:
        pod = self._pods.pending_pod(name)
        if pod is None or pod.metadata.uid != wish.uid:
            return
        space, _, bare = name.partition("/")
        path = f"/api/v1/namespaces/{client.in_path(space)}/pods/{client.in_path(bare)}/status"
        guard = Guard(wish.uid, pod.metadata.resource_version)
        body = status.pod_patch(wish.reason, guard, time=timestamp(self._outlet.clock()))
        try:
            reply = await self._outlet.sends.request(
                kube.Lane.STATUS, "PATCH", path, body=body, content=STRATEGIC
            )
            code, words = (
                reply.code,
                client.refusal(reply.body).message if reply.code >= 300 else "",
            )
        except errors.ClusterError as error:
            code, words = 0, error.problem
        if code in PASSING or code == CONFLICT:
            self._wishes.setdefault(name, wish)
            self._next_at += CHANGED_SECONDS if code == CONFLICT else BUSY_SECONDS
        self._outlet.wrote("pod", path, code, words)
        if 200 <= code < 300 and wish.has_event:
            about = About("v1", "Pod", space, bare, wish.uid)
            message = wish.reason.message
            self._outlet.events.tell(
                about, kind=WARNING, reason="FailedScheduling", message=message
            )


def _label(reason: Reason) -> tuple[str, str]:
    return str(reason.stage), str(reason.kind)


def _says_already(pod: Pod, reason: Reason) -> bool:
    word = status.word_for_pods(reason)
    return any(
        told.type == status.POD_SCHEDULED and told.status == "False" and told.reason == word
        for told in pod.status.conditions
    )
