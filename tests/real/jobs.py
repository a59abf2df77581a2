"""What users submit in the tests: a parameter server and workers, in each dialect, as documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from real import history
from real.api import Object
from real.recording import Key

GPU = "nvidia.com/gpu"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a project names a gang: by a group object and an annotation, or by labels alone."""

    name: str
    scheduler: str
    api_version: str = ""

    @property
    def collection(self) -> str:
        """The path of all its group objects; nothing where it has none."""
        return f"/apis/{self.api_version}/podgroups" if self.api_version else ""


INCUBATOR = Dialect("incubator", "kube-batch", "scheduling.incubator.k8s.io/v1alpha1")
SIGS = Dialect("sigs", "kube-batch", "scheduling.sigs.dev/v1alpha2")
VOLCANO = Dialect("volcano", "volcano", "scheduling.volcano.sh/v1beta1")
LABELS = Dialect("labels", "fullcrew")
DIALECTS = (INCUBATOR, SIGS, VOLCANO, LABELS)
NO_GROUP = Dialect("no group", "fullcrew")
NO_GANGS = Dialect("no gangs", "default-scheduler")


@dataclass(frozen=True, slots=True)
class Job:
    """So many workers with so many GPUs each, and parameter servers without any; all of them, or
    `minimum`, start together."""

    namespace: str
    name: str
    dialect: Dialect = VOLCANO
    workers: int = 1
    servers: int = 0
    gpus: int = 1
    minimum: int = 0
    queue: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)  # for each pod's spec

    @property
    def gang(self) -> str:
        """As the judge names it."""
        return f"{self.namespace}/{self.name}"

    @property
    def pods(self) -> tuple[str, ...]:
        """The names of its pods, parameter servers first."""
        servers = [f"{self.name}-ps-{n}" for n in range(self.servers)]
        return (*servers, *(f"{self.name}-worker-{n}" for n in range(self.workers)))

    @property
    def needed(self) -> int:
        """How many have to start together."""
        return self.minimum or len(self.pods)

    def documents(self) -> list[Object]:
        """The group, where there is one, and the pods."""
        return [*self.group(), *self.pod_documents()]

    def listed(self) -> Object:
        """All of it as one document, for kubectl."""
        return {"apiVersion": "v1", "kind": "List", "items": self.documents()}

    def group(self) -> Iterator[Object]:
        """The group object alone; none for labels."""
        if self.dialect.api_version:
            spec: Object = {"minMember": self.needed}
            yield {
                "apiVersion": self.dialect.api_version,
                "kind": "PodGroup",
                "metadata": {"name": self.name, "namespace": self.namespace},
                "spec": {**spec, "queue": self.queue} if self.queue else spec,
            }

    @property
    def group_path(self) -> str:
        """Of its group object."""
        root = f"/apis/{self.dialect.api_version}/namespaces/{self.namespace}"
        return f"{root}/podgroups/{self.name}"

    def pod_documents(self) -> list[Object]:
        """The pods alone."""
        return [self.pod(name) for name in self.pods]

    def pod(self, name: str) -> Object:
        """One pod, of those it has or one more."""
        gpus = 0 if "-ps-" in name else self.gpus
        asks = {"cpu": "100m", **({GPU: str(gpus)} if gpus else {})}
        resources = {"requests": asks, "limits": asks}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": self.namespace, **self._marks()},
            "spec": {
                "schedulerName": self.dialect.scheduler,
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "training", "resources": resources}],
                **self.extra,
            },
        }

    def _marks(self) -> Object:
        if self.dialect.api_version:
            return {"annotations": {history.GROUP_NAME: self.name}}
        if self.dialect.name != LABELS.name:
            return {}
        needed = str(self.needed)
        return {"labels": {history.LABEL_NAME: self.name, history.LABEL_MINIMUM: needed}}


Now = Mapping[Key, Object]
Question = Callable[[dict[Key, Object]], bool]


def bound(job: Job, now: Now) -> set[str]:
    """Those of its pods that have a node."""
    found = ((name, now.get((history.PODS, job.namespace, name))) for name in job.pods)
    return {name for name, pod in found if pod is not None and pod["spec"].get("nodeName")}


def unplaceable(job: Job, now: Now) -> set[str]:
    """Those of its pods of which a scheduler said that it finds no node for them."""
    found = ((name, now.get((history.PODS, job.namespace, name), {})) for name in job.pods)
    return {name for name, pod in found if _told(pod, "PodScheduled", "False")}


def runs(*jobs: Job) -> Question:
    """Whether each of them is whole, and its pods run."""

    def is_so(now: Now) -> bool:
        pods = (now.get((history.PODS, job.namespace, name)) for job in jobs for name in job.pods)
        return all(pod is not None and pod["status"].get("phase") == "Running" for pod in pods)

    return is_so


def is_bound(*jobs: Job) -> Question:
    """Whether each of them has a node for every pod."""

    def is_so(now: Now) -> bool:
        return all(len(bound(job, now)) == len(job.pods) for job in jobs)

    return is_so


def reason(job: Job, now: Now) -> str:
    """What people are told: by the condition of the group, or that of each pod; nothing if not all
    pods were told."""
    if job.dialect.collection:
        group = now.get((job.dialect.collection, job.namespace, job.name), {})
        return _told(group, "Unschedulable", "True")
    words = {
        _told(now.get((history.PODS, job.namespace, name), {}), "PodScheduled", "False")
        for name in job.pods
    }
    return "" if "" in words else sorted(words)[0]


def waits(job: Job) -> Question:
    """Whether it was told why it waits."""
    return lambda now: bool(reason(job, now))


def phase(job: Job, now: Now) -> str:
    """Of the group object."""
    group = now.get((job.dialect.collection, job.namespace, job.name), {})
    return str(group.get("status", {}).get("phase", ""))


def _told(thing: Object, kind: str, status: str) -> str:
    conditions = thing.get("status", {}).get("conditions", [])
    found = (c for c in conditions if (c["type"], c["status"]) == (kind, status))
    return next((str(c.get("message", "")) for c in found), "")
