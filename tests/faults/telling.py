"""Histories made by hand, event by event, to try the judge on: what is told here never happened.

    told = History()
    told.node("n1", gpus=2)
    told.group("g", minimum=2)
    told.pods("g", "a", "b", gpus=1)
    told.bind("a", "n1", minimum=2)

Each event is one revision and a second later than the one before, so that everybody knows of all
that was before it; in `told.at_once()` they follow within a hundredth of a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from real import history
from real.history import Happened

__all__ = ["GROUPS", "QUEUES", "SPACE", "History", "started", "two_of_two", "wounded"]

GROUPS = "/apis/scheduling.volcano.sh/v1beta1/podgroups"
QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"
SPACE = "ns"
GPU = "nvidia.com/gpu"


class History:
    """What a `Recorder` would have written down."""

    def __init__(self) -> None:
        self.events: list[Happened] = []
        self._now: dict[tuple[str, str], dict[str, Any]] = {}
        self._seconds = 0.0
        self._step = 1.0

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """What is told in this block happens faster than anybody hears of it."""
        self._step = 0.01
        try:
            yield
        finally:
            self._step = 1.0

    def node(self, name: str, *, gpus: int) -> None:
        """A node of so many GPUs; told again, its size has changed."""
        allocatable = {GPU: str(gpus), "cpu": "32", "pods": "110"}
        self._put(
            history.NODES, {"metadata": {"name": name}, "status": {"allocatable": allocatable}}
        )

    def group(self, name: str, *, minimum: int, queue: str = "", **roles: int) -> None:
        """A group of Volcano; told again, it has changed. `roles` are its minTaskMember."""
        spec = {"minMember": minimum, "queue": queue, "minTaskMember": roles}
        self._put(GROUPS, {"metadata": {"name": name, "namespace": SPACE}, "spec": spec})

    def queue(self, name: str, *, gpus: int) -> None:
        """A queue that may have so many GPUs."""
        self._put(QUEUES, {"metadata": {"name": name}, "spec": {"capability": {GPU: gpus}}})

    def pods(self, group: str, *names: str, gpus: int = 1, role: str = "") -> None:
        """Pods of a group, or without one, that wait."""
        marks = {history.GROUP_NAME: group} if group else {}
        for name in names:
            self.pod(name, {**marks, **({history.ROLE: role} if role else {})}, gpus=gpus)

    def pod(
        self,
        name: str,
        annotations: Mapping[str, str],
        *,
        gpus: int = 1,
        labels: Mapping[str, str] | None = None,
        **spec: object,
    ) -> None:
        """One pod with these marks; `spec` is added to its own."""
        asks = {"resources": {"requests": {GPU: str(gpus)}}}
        metadata = {
            "name": name,
            "namespace": SPACE,
            "uid": f"{name}-{len(self.events)}",
            "annotations": dict(annotations),
            "labels": dict(labels or {}),
        }
        whole = {"schedulerName": "fullcrew", "containers": [{"name": "c", **asks}], **spec}
        self._put(history.PODS, {"metadata": metadata, "spec": whole, "status": {}})

    def bind(self, name: str, node: str, *, minimum: int | None = None, plan: str = "p1") -> None:
        """The pod gets its node, and the stamp of a plan."""
        with self._changed(name) as pod:
            pod["spec"]["nodeName"] = node
            if minimum is not None:
                stamp = {history.PLAN: plan, history.MINIMUM: str(minimum)}
                pod["metadata"]["annotations"].update(stamp)

    def end(self, name: str, *, phase: str = "Succeeded") -> None:
        """The pod has ended; it keeps its node."""
        with self._changed(name) as pod:
            pod["status"]["phase"] = phase

    def leave(self, name: str) -> None:
        """The pod is being deleted, and still there."""
        with self._changed(name) as pod:
            pod["metadata"]["deletionTimestamp"] = "2026-11-19T21:00:00Z"

    def gone(self, name: str) -> None:
        """The pod is deleted."""
        self._tell(history.PODS, "DELETED", deepcopy(self._now.pop((history.PODS, name))))

    @contextmanager
    def _changed(self, name: str) -> Iterator[dict[str, Any]]:
        pod = deepcopy(self._now[history.PODS, name])
        yield pod
        self._put(history.PODS, pod)

    def _put(self, path: str, body: dict[str, Any]) -> None:
        key = (path, body["metadata"]["name"])
        what = "MODIFIED" if key in self._now else "ADDED"
        self._now[key] = body
        self._tell(path, what, deepcopy(body))

    def _tell(self, path: str, what: str, body: dict[str, Any]) -> None:
        self._seconds += self._step
        body["metadata"]["resourceVersion"] = str(len(self.events) + 1)
        self.events.append(Happened(path, what, body, self._seconds))


def two_of_two() -> History:
    """Two GPUs on two nodes, and a gang of two that waits for them."""
    told = History()
    told.node("n1", gpus=1)
    told.node("n2", gpus=1)
    told.group("g", minimum=2)
    told.pods("g", "a", "b")
    return told


def started() -> History:
    """The same gang, whole."""
    told = two_of_two()
    told.bind("a", "n1", minimum=2)
    told.bind("b", "n2", minimum=2)
    return told


def wounded() -> History:
    """A gang of two that lost a member, which was made again and fits on n2."""
    told = started()
    told.gone("b")
    told.pods("g", "b")
    return told
