"""A control plane with the same objects on it for each measurement.

What etcd holds once the objects are made is kept, and each measurement starts a new etcd and a new
API server on a copy of it: in seconds, with nothing that another measurement left behind, and with
the same objects down to their uids. Its only programs are these two: controllers would take a part
of the two cores that is another one in every run.
"""

from __future__ import annotations

import datetime
import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count, product
from pathlib import Path

from real import arranging, control_plane, rights
from real.control_plane import ControlPlane

from tools.e2e import shapes
from tools.e2e.wire import MERGE, Wire, Write

CONNECTIONS = 32
_FOREIGN = "the-benchmark"
_HELD_SECONDS = 24 * 3600
_LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"


@dataclass(frozen=True, slots=True)
class Ground:
    """What a measurement needs: the programs, the administrator's wire, the scheduler's rights."""

    cluster: ControlPlane
    wire: Wire
    kubeconfig: Path  # of the account in deploy/rbac.yaml: Fullcrew's and the bare client's
    nodes: int

    @property
    def folder(self) -> Path:
        """For logs and scripts."""
        return self.cluster.folder

    async def make(self, writes: Iterable[Write]) -> None:
        """All of them, many at a time."""
        await self.wire.send_all(writes)


@dataclass(frozen=True, slots=True)
class Leash:
    """A Lease that the benchmark holds, so that a scheduler is there, ready, and may not begin."""

    wire: Wire
    namespace: str
    name: str

    @property
    def leases(self) -> str:
        """The path of all leases beside it."""
        return _LEASES.format(self.namespace)

    async def hold(self) -> None:
        """Before the scheduler starts."""
        spec = {"holderIdentity": _FOREIGN, "leaseDurationSeconds": _HELD_SECONDS}
        times = {"acquireTime": _now(), "renewTime": _now()}
        body = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self.name, "namespace": self.namespace},
            "spec": {**spec, **times, "leaseTransitions": 0},
        }
        await self.wire.send(Write("POST", self.leases, json.dumps(body).encode()))

    async def take_back(self) -> None:
        """From a scheduler that ended, with or without giving it up."""
        spec = {"holderIdentity": _FOREIGN, "leaseDurationSeconds": _HELD_SECONDS}
        await self._patch({**spec, "renewTime": _now()})

    async def let_go(self) -> None:
        """Whoever asks next has it."""
        await self._patch({"holderIdentity": "", "leaseDurationSeconds": 1})

    def is_foreign(self, holder: str) -> bool:
        """Whether this is a holder, and not the benchmark."""
        return holder not in {"", _FOREIGN}

    async def _patch(self, spec: dict[str, object]) -> None:
        body = json.dumps({"spec": spec}).encode()
        await self.wire.send(Write("PATCH", f"{self.leases}/{self.name}", body, MERGE))


class Grounds:
    """Where all measurements take place. Children must be started by the main thread, so starting
    blocks the loop; nothing else runs on it then."""

    def __init__(self, binaries: Path, folder: Path, *, nodes: int) -> None:
        self._binaries = binaries
        self._folder = folder
        self._nodes = nodes
        self._made: dict[str, Path] = {}  # what etcd holds, by name
        self._numbers = count()

    @asynccontextmanager
    async def with_objects(
        self, name: str, objects: Callable[[], Iterable[Write]]
    ) -> AsyncIterator[Ground]:
        """Nodes, rights, and these objects, which are made the first time the name is asked for."""
        if name not in self._made:
            async with self._started(None) as ground:
                await ground.make(objects())
            self._made[name] = ground.folder / "etcd"
        async with self._started(self._made[name]) as ground:
            yield ground
        shutil.rmtree(ground.folder)

    @asynccontextmanager
    async def _started(self, held: Path | None) -> AsyncIterator[Ground]:
        place = self._folder / f"cluster-{next(self._numbers)}"
        if held is not None:
            shutil.copytree(held, place / "etcd")
        with control_plane.running(place, self._binaries, gangs=True) as cluster:
            if held is None:
                rights.install(cluster.api())
                arranging.add_namespace(cluster.api(), shapes.NAMESPACE)
            kubeconfig = cluster.kubeconfig_for_account(rights.NAMESPACE, rights.ACCOUNT)
            async with Wire(cluster.admin_kubeconfig, connections=CONNECTIONS) as wire:
                for group, kind in product(arranging.GROUPS, ("podgroups", "queues")):
                    await wire.until_served(f"{group}/{kind}")
                ground = Ground(cluster, wire, kubeconfig, self._nodes)
                if held is None:
                    await ground.make(shapes.nodes(self._nodes))
                    await ground.make(shapes.without_taints(self._nodes))
                yield ground


def _now() -> str:
    return datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="microseconds")[:-6] + "Z"
