"""A whole cluster for one process: the small API server of tests/kube, which also tells what it
serves and takes patches, and a scheduler that runs beside it in the same loop."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import given
from kube.server import FakeApi, serving

from fullcrew import kube
from fullcrew.run import Scheduler, Settings
from fullcrew.run.logs import Log
from fullcrew.run.settings import Address, Terms

__all__ = ["LEASE", "Playing", "Process", "playing", "started"]

LEASE = "/apis/coordination.k8s.io/v1/namespaces/fullcrew-system/leases/fullcrew"
SECONDS = 20.0

_ALWAYS = {
    "": {"Node": "nodes", "Pod": "pods", "Namespace": "namespaces"}
    | {"PersistentVolume": "persistentvolumes", "PersistentVolumeClaim": "persistentvolumeclaims"},
    "scheduling.k8s.io": {"PriorityClass": "priorityclasses"},
    "storage.k8s.io": {"CSINode": "csinodes"},
}
_VOLCANO = {"scheduling.volcano.sh": {"PodGroup": "podgroups", "Queue": "queues"}}
_VERSIONS = {
    "": "v1",
    "scheduling.k8s.io": "v1",
    "storage.k8s.io": "v1",
    "scheduling.volcano.sh": "v1beta1",
}
_GLOBAL = {"CSINode", "Node", "Namespace", "PersistentVolume", "PriorityClass", "Queue"}


@dataclass
class Playing(FakeApi):
    """`has_groups` tells whether Volcano's kinds are served, with statuses of their own."""

    has_groups: bool = True
    url: str = ""

    def put(self, *manifests: given.Manifest) -> None:
        """Somebody makes these; uids are made of names."""
        for manifest in manifests:
            metadata = manifest["metadata"]
            marked = {"uid": f"uid-{metadata['name']}", **metadata}
            self.add(self._path(manifest), {**manifest, "metadata": marked})

    def group(self, name: str) -> dict[str, Any]:
        """A group of the default namespace as it stands."""
        path = f"/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups/{name}"
        return self.objects[path]

    def act(self, wish: kube.Wish) -> kube.Reply:
        """What the server does."""
        path = wish.path.partition("?")[0]
        if path in {"/api", "/apis"}:
            return kube.Reply(200, json.dumps(self._discovery(path)).encode())
        if wish.method == "PATCH":
            return self._patch(path, json.loads(wish.body or b"{}"))
        if wish.method == "GET" and path.rpartition("/")[2] in self._plurals().values():
            return self._list(path, {})
        return super().act(wish)

    def wrote(self, what: str) -> int:
        """How many writes went to paths with this in them."""
        return sum(what in wish.path for wish in self.heard if wish.method != "GET")

    def _patch(self, path: str, change: dict[str, Any]) -> kube.Reply:
        place = path.removesuffix("/status")
        found = self.objects.get(place)
        if found is None:
            return kube.Reply(404, b"{}")
        change.get("metadata", {}).pop("resourceVersion", None)
        self._put(place, _merged(found, change), "MODIFIED")
        return kube.Reply(200, json.dumps(self.objects[place]).encode())

    def _served(self) -> Mapping[str, Mapping[str, str]]:
        return {**_ALWAYS, **(_VOLCANO if self.has_groups else {})}

    def _plurals(self) -> Mapping[str, str]:
        return {kind: plural for kinds in self._served().values() for kind, plural in kinds.items()}

    def _discovery(self, root: str) -> dict[str, Any]:
        groups = [name for name in self._served() if (name == "") == (root == "/api")]
        return {
            "kind": "APIGroupDiscoveryList",
            "items": [_told(name, self._served()[name]) for name in groups],
        }

    def _path(self, manifest: given.Manifest) -> str:
        version, kind = manifest["apiVersion"], manifest["kind"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        metadata = manifest["metadata"]
        space = "" if kind in _GLOBAL else f"/namespaces/{metadata['namespace']}"
        plural = {**_ALWAYS[""], **_VOLCANO["scheduling.volcano.sh"]}[kind]
        return f"{root}{space}/{plural}/{metadata['name']}"


@dataclass
class Process:
    """A scheduler that runs, its log, and the ways to ask it."""

    scheduler: Scheduler
    running: asyncio.Task[None]
    stream: io.StringIO = field(default_factory=io.StringIO)

    @property
    def log(self) -> str:
        """All that it has logged."""
        return self.stream.getvalue()

    async def ask(self, path: str) -> tuple[int, str]:
        """Health or metrics, as a kubelet asks."""
        host, port = self.scheduler.addresses[0]
        url = f"http://{host}:{port}{path}"
        async with aiohttp.ClientSession() as session, session.get(url) as answer:
            return answer.status, await answer.text()

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Waits for it; fails at once if the process ends."""
        try:
            async with asyncio.timeout(SECONDS):
                while not is_so():
                    assert not self.running.done(), self.log
                    await asyncio.sleep(0)
        except TimeoutError:
            raise AssertionError(self.log) from None

    async def stop(self) -> None:
        """As SIGTERM does it; raises what ended the process."""
        self.scheduler.stop()
        await self.ended()

    async def ended(self) -> None:
        """Returns when it has ended; raises what ended it."""
        async with asyncio.timeout(SECONDS):
            await self.running


@asynccontextmanager
async def playing(*, has_groups: bool = True) -> AsyncIterator[Playing]:
    """A cluster without any object."""
    api = Playing(has_groups=has_groups)
    async with serving(api) as http:
        api.url = http.access.server
        yield api


@asynccontextmanager
async def started(api: Playing, **settings: Any) -> AsyncIterator[Process]:  # noqa: ANN401
    """A scheduler of this cluster, while this lasts; its lease lasts a second."""
    stream = io.StringIO()
    told = {
        "master": api.url,
        "listen": Address("127.0.0.1", 0),
        "lease": Terms(1.0, 0.6, 0.05),
        **settings,
    }
    scheduler = Scheduler(Settings(**told), Log(stream, verbosity=1))
    running = asyncio.create_task(scheduler.run())
    process = Process(scheduler, running, stream)
    try:
        yield process
    finally:
        scheduler.stop()
        await asyncio.wait([running], timeout=SECONDS)


def _told(group: str, kinds: Mapping[str, str]) -> dict[str, Any]:
    resources = [
        {
            "resource": plural,
            "responseKind": {"kind": kind},
            "scope": "Cluster" if kind in _GLOBAL else "Namespaced",
            "verbs": ["get", "list", "watch"],
            "subresources": [{"subresource": "status"}],
        }
        for kind, plural in kinds.items()
    ]
    versions = [{"version": _VERSIONS[group], "resources": resources}]
    return {"metadata": {"name": group}, "versions": versions}


def _merged(before: dict[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(before)
    for key, told in change.items():
        if told is None:
            merged.pop(key, None)
        elif isinstance(told, dict):
            merged[key] = _merged(merged.get(key) or {}, told)
        else:
            merged[key] = told
    return merged
