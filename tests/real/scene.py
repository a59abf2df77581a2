"""What a story on the real control plane is told with: nodes come, jobs are submitted, things
happen, and in the end the promises are judged."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from real import arranging, jobs, kubelet, promises
from real.api import Api, Object
from real.control_plane import ControlPlane
from real.jobs import GPU, Job, Question
from real.promises import Verdict
from real.recording import Key, Recorder
from real.serving import Schedulers

SECONDS = 30.0
Tell = Callable[[str], None]  # says something at the end of the run


@dataclass(slots=True)
class Scene:
    """One cluster for one test."""

    cluster: ControlPlane
    api: Api
    namespace: str
    record: Recorder
    schedulers: Schedulers
    nodes: int = 0

    @property
    def now(self) -> dict[Key, Object]:
        """The latest of each object that is recorded."""
        return self.record.now

    def add_nodes(self, count: int = 1, *, gpus: int = 1) -> list[str]:
        """More nodes, of so many GPUs each; cpu is never short."""
        names = [f"gpu-{n}" for n in range(self.nodes, self.nodes + count)]
        self.nodes += count
        return arranging.add_nodes(self.api, names, {"cpu": "32", GPU: str(gpus)})

    def submit(self, job: Job) -> Job:
        """As a user does it: with kubectl."""
        return self.create(job.listed(), job)

    def create(self, document: Object, job: Job) -> Job:
        """Only this part of a job, with kubectl."""
        told = self.cluster.kubectl("create", "-f", "-", given=json.dumps(document))
        assert told.returncode == 0, told.stderr
        return job

    def until(self, is_so: Question, *, seconds: float = SECONDS) -> None:
        """Waits for it, by the record."""
        self.record.until(is_so, seconds=seconds)

    def bound(self, job: Job) -> set[str]:
        """Those of its pods that have a node now."""
        with self.record.still() as now:
            return jobs.bound(job, now)

    def finish(self, job: Job) -> None:
        """All its pods have ended well."""
        for pod in job.pods:
            kubelet.finish(self.api, self.namespace, pod)

    def take(self, node: str, *, gpus: int = 1, name: str = "foreign") -> None:
        """Somebody else's pod takes room on a node, as another scheduler or a DaemonSet does it."""
        self.api.create(foreign(self.namespace, name, {GPU: str(gpus)}, node=node))

    def remove(self, pod: str) -> None:
        """The pod is gone at once."""
        path = f"/api/v1/namespaces/{self.namespace}/pods/{pod}"
        self.api.delete(path, grace_seconds=0)

    def judged(self, *, delivery_seconds: float = 1.0) -> Verdict:
        """The verdict on all that has happened; a broken promise fails the test here."""
        verdict = promises.judge(self.record.history(), delivery_seconds=delivery_seconds)
        assert not verdict.violations, verdict.in_words()
        return verdict


def foreign(namespace: str, name: str, asks: Mapping[str, str], *, node: str) -> Object:
    """A pod that is none of ours, made with its node."""
    resources = {"requests": dict(asks), "limits": dict(asks)}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "schedulerName": "somebody-else",
            "nodeName": node,
            "containers": [{"name": "main", "image": "any", "resources": resources}],
        },
    }
