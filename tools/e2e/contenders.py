"""Who fills the cluster: Fullcrew, a client that knows all answers, and kube-scheduler.

Each is started and made ready while it may not begin yet, is then released, and tells when its
clock starts: for all three when they had read the cluster and were free to bind.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Protocol

import msgspec
from real import children
from real.children import Child

from tools.e2e import measuring, shapes, statuses
from tools.e2e.bare import Script
from tools.e2e.ground import Ground, Leash
from tools.e2e.measuring import Stamps, Used
from tools.e2e.shapes import Shape
from tools.e2e.wire import Write

ROOT = Path(__file__).resolve().parents[2]
# kube-scheduler queues all pods of gangs before it asks for its Lease: minutes for ten thousand.
_PATIENCE_SECONDS = 600
# As short as the tests' own: who waits for a lease is asked again twice a second.
_LEASE = {"lease-duration": "3s", "renew-deadline": "2s", "retry-period": "500ms"}
_SYNCED = "synced"  # the event of Fullcrew's log that says: lease held, cluster read


class Contender(Protocol):
    """One that binds the benchmark's pods."""

    name: str
    dialect: str  # of the groups that it reads

    def form(self, shape: Shape) -> Iterator[Write]:
        """The pods and groups of a shape, in its own words."""

    def single(self, name: str) -> Write:
        """A pod without a group."""

    async def start(self, ground: Ground) -> Child:
        """Its process, ready, and held back."""

    async def release(self) -> float:
        """Lets it begin; the moment from which its clock runs."""


class Fullcrew:
    """The scheduler of this repository, with the rights of deploy/rbac.yaml and no others. With a
    file for its profile it is slower, and tells there what its main thread was busy with."""

    name = "fullcrew"
    dialect = "volcano"

    def __init__(self, profile: Path | None = None) -> None:
        self._profile = profile

    def form(self, shape: Shape) -> Iterator[Write]:
        """PodGroups of Volcano, pods of `fullcrew`."""
        return shapes.volcano(shape)

    def single(self, name: str) -> Write:
        """A pod of `fullcrew`."""
        return shapes.single(name, scheduler="fullcrew")

    async def start(self, ground: Ground) -> Child:
        """Held back by its own Lease."""
        self.leash = Leash(ground.wire, "fullcrew-system", "fullcrew")
        await self.leash.hold()
        return self.started(ground)

    def started(self, ground: Ground) -> Child:
        """The process alone, for who holds the Lease already."""
        flags = [f"--leader-elect-{name}={value}" for name, value in _LEASE.items()]
        profiling = ["-m", "cProfile", "-o", str(self._profile)] if self._profile else []
        self._child = children.start(
            "fullcrew",
            [
                sys.executable,
                *profiling,
                str(Path(sys.executable).with_name("fullcrew")),
                "scheduler",
                f"--kubeconfig={ground.kubeconfig}",
                "--log-format=json",
                "--listen-address=127.0.0.1:0",
                *flags,
            ],
            logs=ground.folder,
        )
        return self._child

    async def release(self) -> float:
        """When its log says that it leads and has read the cluster."""
        await self.leash.let_go()
        return await _told(self._child, _moment_of_event)


class Bare:
    """The ceiling. Give it the uids of the pods and the writes that Fullcrew made besides binds."""

    name = "bare client"
    dialect = "volcano"

    def __init__(self, shape: Shape | None, told: Mapping[str, int]) -> None:
        self._shape = shape
        self._told_by_fullcrew = told

    def form(self, shape: Shape) -> Iterator[Write]:
        """The very objects that Fullcrew gets."""
        return shapes.volcano(shape)

    def single(self, name: str) -> Write:
        """The very pod that Fullcrew gets."""
        return shapes.single(name, scheduler="fullcrew")

    async def start(self, ground: Ground) -> Child:
        """With a script, or to answer to what comes where there is no shape."""
        more = ["react", str(ground.kubeconfig), str(ground.nodes)]
        if self._shape is not None:
            script = ground.folder / "script.json"
            script.write_bytes(msgspec.json.encode(await self._script(ground, self._shape)))
            more = ["fill", str(ground.kubeconfig), str(script)]
        self._child = children.start(
            "bare",
            [sys.executable, "-m", "tools.e2e.bare", *more],
            logs=ground.folder,
            environment={"PYTHONPATH": str(ROOT)},
        )
        await _told(self._child, lambda line: _moment_of_word(line, "ready"))
        return self._child

    async def release(self) -> float:
        """A signal; it reads nothing before it binds."""
        os.kill(self._child.pid, signal.SIGUSR1)
        return await _told(self._child, lambda line: _moment_of_word(line, "released"))

    async def _script(self, ground: Ground, shape: Shape) -> Script:
        pods = (await measuring.listed(ground.wire, shapes.PODS)).items
        binds = [
            (pod.metadata.name, pod.metadata.uid, shapes.node_name(number % ground.nodes))
            for number, pod in enumerate(pods)
        ]
        return Script(binds, list(statuses.statuses(shape, self._told_by_fullcrew)))


class KubeScheduler:
    """Kubernetes' own, of the same release, its client's limits raised, its own gangs on."""

    name = "kube-scheduler"
    dialect = "in-tree"

    def form(self, shape: Shape) -> Iterator[Write]:
        """PodGroups of `scheduling.k8s.io`, pods of `default-scheduler`."""
        return shapes.in_tree(shape)

    def single(self, name: str) -> Write:
        """A pod of `default-scheduler`."""
        return shapes.single(name, scheduler="default-scheduler")

    async def start(self, ground: Ground) -> Child:
        """It reads the cluster before it asks for its Lease, so that is where it is held back."""
        self._leash = Leash(ground.wire, "kube-system", "kube-scheduler")
        self._wire = ground.wire
        await self._leash.hold()
        election = {
            "leaderElect": True,
            "resourceName": "kube-scheduler",
            "resourceNamespace": "kube-system",
            "leaseDuration": "15s",  # it ends when it cannot renew in time, busy as it may be
            "renewDeadline": "10s",
            "retryPeriod": "500ms",
        }
        ground.cluster.start_scheduler({"leaderElection": election})
        child = ground.cluster.child("kube-scheduler")
        await _told(child, lambda line: 1.0 if "to acquire leader lease" in line else None)
        return child

    async def release(self) -> float:
        """When the Lease is its own."""
        leases = Stamps(self._leash.leases)
        async with measuring.following(self._wire, leases):
            await self._leash.let_go()
            return await taken(leases, self._leash)


@asynccontextmanager
async def at_work(contender: Contender, ground: Ground) -> AsyncIterator[Used]:
    """The contender, ready to be released, watched while it works and ended after it."""
    child = await contender.start(ground)
    used = Used(child.pid)
    try:
        async with used.sampling():
            yield used
    finally:
        child.stop()


async def taken(leases: Stamps, leash: Leash) -> float:
    """When somebody else than the benchmark had the Lease."""

    def when() -> list[float]:
        leases.look()
        return [at for at, holder in leases.held if leash.is_foreign(holder)]

    if not await measuring.until(lambda: bool(when()), seconds=_PATIENCE_SECONDS):
        raise RuntimeError(f"nobody took the lease {leash.name}")
    return when()[0]


async def _told(child: Child, moment_of: Callable[[str], float | None]) -> float:
    """The moment that a process tells of in its log."""

    def moments() -> Iterator[float]:
        for line in child.log.read_text(encoding="utf-8", errors="replace").splitlines():
            if (moment := moment_of(line)) is not None:
                yield moment

    def is_told() -> bool:
        if not child.is_running:
            raise RuntimeError(f"{child.name} ended:\n{child.last_words()}")
        return any(True for _ in moments())

    if not await measuring.until(is_told, seconds=_PATIENCE_SECONDS):
        raise RuntimeError(f"{child.name} is not ready:\n{child.last_words()}")
    return next(moments())


def _moment_of_word(line: str, word: str) -> float | None:
    told, _, moment = line.partition(" ")
    return float(moment) if told == word else None


def _moment_of_event(line: str) -> float | None:
    if f'"{_SYNCED}"' not in line:
        return None
    told = json.loads(line)
    return datetime.fromisoformat(told["time"]).timestamp() if told["event"] == _SYNCED else None
