"""A cluster as those who write statuses see it: the real state, fed by a small server that takes
patches as the real one does, and that counts every write."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, NamedTuple

import given
from run import virtual

from fullcrew import errors, kube, objects
from fullcrew.launch import HeldUp, Resting
from fullcrew.model.gang import Gang
from fullcrew.model.reason import Kind, Reason, Stage, numbers
from fullcrew.room import Plan, Wait
from fullcrew.run.events import Events
from fullcrew.run.group_statuses import GroupStatuses
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics
from fullcrew.run.outlet import Outlet
from fullcrew.run.pod_conditions import PodConditions
from fullcrew.run.queue_statuses import QueueStatuses
from fullcrew.run.telling import Teller
from fullcrew.run.verdicts import Verdict, judged
from fullcrew.state import State

__all__ = ["Cluster", "Written", "short", "told_to"]

_PLURALS = {"podgroups": "PodGroup", "pods": "Pod", "queues": "Queue"}


class Written(NamedTuple):
    """A write that was accepted."""

    path: str
    body: dict[str, Any]
    at: float

    @property
    def phase(self) -> str:
        """The phase that it wrote."""
        return str(self.body.get("status", {}).get("phase", ""))


class Cluster:
    """Objects by path, the state that they are fed to, and what was written."""

    def __init__(self, *, has_status: bool) -> None:
        self.state = State()
        self.writes: list[Written] = []
        self.events: list[dict[str, Any]] = []
        self.answers: list[int] = []  # codes to give instead, one after the other
        self.loses_answers = 0  # of so many writes that tell a start, though they are done
        self.launching: dict[str, HeldUp | None] = {}
        self.resting = Resting()
        self.resources = {kind: _resource(kind, has_status=has_status) for kind in _kinds()}
        self.metrics = Metrics()
        self.log = io.StringIO()
        self.teller = self._telling()
        self.lag_seconds = 0.0  # of what we watch behind what the server has
        self._objects: dict[str, given.Manifest] = {}
        self._verdicts: dict[str, Verdict] = {}
        self._waits: tuple[Wait, ...] = ()
        self.is_planning = True  # after each change, as the loop does it
        self._revision = 100

    def put(self, *manifests: given.Manifest) -> None:
        """Somebody makes or changes these."""
        for manifest in manifests:
            self._keep(self._path_of(manifest), manifest)
        self._fed()

    def drop(self, *manifests: given.Manifest) -> None:
        """Somebody deletes these."""
        for manifest in manifests:
            self._objects.pop(self._path_of(manifest))
            self.state.drop(given.decoded(manifest))
        self._fed()

    def plan(self, *waits: Wait, stale: str = "") -> None:
        """A plan that lets these wait, and nobody else; `stale` was to start and was dropped."""
        self._waits = waits
        told = judged(Plan((), waits), self._verdicts, version=self.state.version)
        self._verdicts = dict(told.by_gang)
        self.teller.judged(replace(told, stale=frozenset({stale} - {""})), "plan-1")

    def wait(self, gang: str, reason: Reason, *pods: str, minimum: int = 3) -> Wait:
        """That a gang waits, with these pods."""
        value = Gang(gang, "volcano", "default", minimum, 0, 0, ())
        return Wait(value, tuple(f"default/{pod}" for pod in pods), reason)

    def written(self, what: str = "podgroups") -> list[Written]:
        """Writes to this kind of object."""
        return [each for each in self.writes if f"/{what}/" in each.path]

    def is_open(self, gang: str) -> bool:
        """As the binder tells it."""
        return gang in self.launching

    def unsettled(self, gang: str) -> HeldUp | None:
        """As the binder tells it."""
        return self.launching.get(gang)

    async def request(
        self,
        lane: kube.Lane,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        content: str = kube.JSON,
    ) -> kube.Reply:
        """As the flow does it."""
        assert (lane, method) == (kube.Lane.STATUS, "PATCH")
        await virtual.passing(0.01)
        if self.answers and (answer := self.answers.pop(0)) != 200:
            return kube.Reply(answer, b"{}")
        change = json.loads(body or b"{}")
        code = self._patched(path, change, is_strategic="strategic" in content)
        if code == 200:
            now = asyncio.get_running_loop().time()
            self.writes.append(Written(path, change, now))
            self._fed()
        if self.loses_answers and change.get("status", {}).get("phase") == "Running":
            self.loses_answers -= 1
            raise errors.Unreachable("the server", problem="no answer")
        found = self._objects.get(path.removesuffix("/status"), {})
        return kube.Reply(code, json.dumps(found).encode())

    def submit(self, lane: kube.Lane, errand: kube.Errand) -> None:
        """As the flow does it, for events."""
        assert lane in {kube.Lane.EVENT, kube.Lane.POD_EVENT}
        wish = errand.wish()
        assert wish is not None
        self.events.append(json.loads(wish.body or b"{}"))
        errand.told(kube.Reply(201, b"{}"))

    def _telling(self) -> Teller:
        metrics = self.metrics
        outlet = Outlet(
            self, Events(self, metrics), metrics, Log(self.log), lambda: 1_767_225_600.0
        )
        teller = Teller(self.state.answers, self, self.resting)
        teller.groups = GroupStatuses(teller, self.resources, outlet, teller.look_at)
        teller.pods = PodConditions(self.state.answers, outlet)
        teller.queues = QueueStatuses(self.state, self.resources, outlet)
        return teller

    def restart(self) -> None:
        """Another process takes over and knows nothing but what stands in the cluster."""
        self.teller = self._telling()
        self._verdicts = {}

    def _patched(self, path: str, change: dict[str, Any], *, is_strategic: bool) -> int:
        place = path.removesuffix("/status")
        found = self._objects.get(place)
        if found is None:
            return 404
        metadata = change.get("metadata", {})
        revision = metadata.pop("resourceVersion", None)
        if revision not in {None, found["metadata"]["resourceVersion"]}:
            return 409
        if metadata.pop("uid") != found["metadata"]["uid"]:
            return 409
        if place != path and not is_strategic:
            change = {"status": change["status"]}
        elif self._has_status(found):
            change = {"metadata": change["metadata"]}
        self._keep(place, _merged(found, change))
        return 200

    def _has_status(self, document: given.Manifest) -> bool:
        kind = objects.Kind(objects.group_of(document["apiVersion"]), document["kind"])
        return kind in self.resources and self.resources[kind].has_status

    def _keep(self, path: str, document: given.Manifest) -> None:
        self._revision += 1
        marks = {"resourceVersion": str(self._revision)}
        marks["uid"] = document["metadata"].get("uid") or f"uid-{path.rpartition('/')[2]}"
        document = {**document, "metadata": {**document["metadata"], **marks}}
        self._objects[path] = document
        if not self.lag_seconds:
            self.state.put(given.decoded(document))
            return
        asyncio.get_running_loop().call_later(self.lag_seconds, self._deliver, document)

    def _fed(self) -> None:
        self.teller.changed()
        if self.is_planning:
            self.plan(*self._waits)

    def _deliver(self, document: given.Manifest) -> None:
        self.state.put(given.decoded(document))
        self._fed()

    def _path_of(self, document: given.Manifest) -> str:
        name, version = document["metadata"]["name"], document["apiVersion"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        space = document["metadata"].get("namespace")
        plural = next((p for p, kind in _PLURALS.items() if kind == document["kind"]), "nodes")
        return f"{root}{f'/namespaces/{space}' if space else ''}/{plural}/{name}"


@asynccontextmanager
async def told_to(*, has_status: bool = False) -> AsyncIterator[Cluster]:
    """A cluster whose statuses are written while this lasts."""
    cluster = Cluster(has_status=has_status)
    running = asyncio.create_task(cluster.teller.run())
    try:
        yield cluster
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def short(gpus: int = 2, *, kind: Kind = Kind.SHORT) -> Reason:
    """That so many GPUs are missing."""
    return Reason(Stage.PLACEMENT, kind, f"{gpus} gpus are missing", numbers(gpu=gpus))


def _kinds() -> list[objects.Kind]:
    return [objects.VolcanoPodGroup.KIND, objects.IncubatorPodGroup.KIND, objects.VolcanoQueue.KIND]


def _resource(kind: objects.Kind, *, has_status: bool) -> kube.Resource:
    version = "v1alpha1" if "incubator" in kind.group else "v1beta1"
    plural = next(plural for plural, name in _PLURALS.items() if name == kind.name)
    return kube.Resource(kind, version, plural, kind.name != "Queue", has_status)


def _merged(before: given.Manifest, change: Mapping[str, Any]) -> given.Manifest:
    """RFC 7386."""
    merged = dict(before)
    for key, told in change.items():
        if told is None:
            merged.pop(key, None)
        elif isinstance(told, dict):
            merged[key] = _merged(merged.get(key) or {}, told)
        else:
            merged[key] = told
    return merged
