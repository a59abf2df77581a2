"""A restart on a full cluster: from the lease to the first bind, beside a bare paged LIST."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from urllib.parse import quote

import msgspec

from tools.e2e import measuring, shapes
from tools.e2e.contenders import Fullcrew, taken
from tools.e2e.ground import Ground, Leash
from tools.e2e.measuring import Stamps
from tools.e2e.wire import Wire

PAGE = 500
_EVERYTHING = ("/api/v1/nodes", "/api/v1/pods", shapes.ALL_VOLCANO)
_LONGEST_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Restarted:
    """Medians, in seconds."""

    nodes: int
    pods: int
    first_bind_seconds: float
    list_seconds: float

    @property
    def ratio(self) -> float:
        """How many lists a start takes."""
        return self.first_bind_seconds / self.list_seconds


class _Metadata(msgspec.Struct):
    go_on: str = msgspec.field(default="", name="continue")


class _Page(msgspec.Struct):
    metadata: _Metadata


async def restarted(ground: Ground, *, pods: int, rounds: int) -> Restarted:
    """The list and the start in turns, on a ground that holds so many bound pods; each start finds
    one pod that waits."""
    leash = Leash(ground.wire, "fullcrew-system", "fullcrew")
    await leash.hold()
    binds, lists = [], []
    for number in range(rounds):
        lists.append(await _list_seconds(ground))
        binds.append(await _start_seconds(ground, leash, f"first-{number}"))
    return Restarted(ground.nodes, pods, median(binds), median(lists))


async def _list_seconds(ground: Ground) -> float:
    """With the scheduler's own rights."""
    async with Wire(ground.kubeconfig, connections=1) as wire:
        started = time.time()
        for path in _EVERYTHING:
            await _read_through(wire, path)
        return time.time() - started


async def _read_through(wire: Wire, path: str) -> None:
    """Page by page, and nothing understood but the way to the next."""
    more = ""
    while True:
        body = await wire.get(f"{path}?limit={PAGE}{more}")
        go_on = msgspec.json.decode(body, type=_Page).metadata.go_on
        if not go_on:
            return
        more = f"&continue={quote(go_on)}"


async def _start_seconds(ground: Ground, leash: Leash, pod: str) -> float:
    await leash.take_back()
    contender = Fullcrew()
    await ground.wire.send(contender.single(pod))
    leases, pods = Stamps(leash.leases), Stamps(shapes.PODS)
    async with measuring.following(ground.wire, leases, pods):
        child = contender.started(ground)
        try:
            await leash.let_go()
            began = await taken(leases, leash)
            await measuring.until(lambda: pod in pods.look().bound, seconds=_LONGEST_SECONDS)
        finally:
            child.stop()
    return pods.bound[pod] - began
