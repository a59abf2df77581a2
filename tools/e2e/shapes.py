"""What is to be placed: so many gangs of so many pods, in the words of each scheduler."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tools.e2e.wire import MERGE, Write

NAMESPACE = "bench"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
ALL_VOLCANO = "/apis/scheduling.volcano.sh/v1beta1/podgroups"
VOLCANO = f"/apis/scheduling.volcano.sh/v1beta1/namespaces/{NAMESPACE}/podgroups"
IN_TREE = f"/apis/scheduling.k8s.io/v1beta1/namespaces/{NAMESPACE}/podgroups"
QUEUE = "/apis/scheduling.volcano.sh/v1beta1/queues/default"
NODE = {"cpu": "32", "memory": "256Gi", "pods": "110"}
_POD_ASKS = {"cpu": "1", "memory": "1Gi"}


@dataclass(frozen=True, slots=True)
class Shape:
    """GANGS x MEMBERS; pods without a group where a gang has one member."""

    gangs: int
    members: int

    @property
    def pods(self) -> int:
        """How many there are in all."""
        return self.gangs * self.members

    @property
    def has_groups(self) -> bool:
        """Whether there are group objects."""
        return self.members > 1

    def __str__(self) -> str:
        return f"{self.gangs:,} x {self.members:,}"


def parsed(text: str) -> list[Shape]:
    """`10000x1,500x20` as shapes."""
    pairs = [part.split("x") for part in text.split(",")]
    return [Shape(int(gangs), int(members)) for gangs, members in pairs]


def group_of(gang: int) -> str:
    """The name of a gang's group."""
    return f"gang-{gang:05}"


def pod_of(gang: int, member: int) -> str:
    """The name of a pod."""
    return f"pod-{gang:05}-{member:05}"


def volcano(shape: Shape) -> Iterator[Write]:
    """For Fullcrew and the bare client: PodGroups of Volcano, then the pods of `fullcrew`."""
    yield from _groups(shape, VOLCANO, "scheduling.volcano.sh/v1beta1", _volcano_spec(shape))
    for gang, member in _each_pod(shape):
        annotations = {"scheduling.k8s.io/group-name": group_of(gang)} if shape.has_groups else {}
        yield _pod(pod_of(gang, member), annotations, {"schedulerName": "fullcrew"})


def in_tree(shape: Shape) -> Iterator[Write]:
    """For kube-scheduler: its own PodGroups, then its own pods."""
    gang_policy = {"schedulingPolicy": {"gang": {"minCount": shape.members}}}
    yield from _groups(shape, IN_TREE, "scheduling.k8s.io/v1beta1", gang_policy)
    for gang, member in _each_pod(shape):
        group = {"schedulingGroup": {"podGroupName": group_of(gang)}} if shape.has_groups else {}
        yield _pod(pod_of(gang, member), {}, {"schedulerName": "default-scheduler", **group})


def bound(count: int, *, nodes: int) -> Iterator[Write]:
    """Pods that stand on their nodes already, spread evenly; of nobody's gang."""
    for number in range(count):
        spec = {"schedulerName": "fullcrew", "nodeName": node_name(number % nodes)}
        yield _pod(f"standing-{number:06}", {}, spec, asks={"cpu": "100m"})


def nodes(count: int) -> Iterator[Write]:
    """Ready ones, each of `NODE`."""
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "played"}
    status = {"capacity": NODE, "allocatable": NODE, "conditions": [ready]}
    for number in range(count):
        name = node_name(number)
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
        body = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}
        yield Write("POST", "/api/v1/nodes", json.dumps(body).encode())


def without_taints(count: int) -> Iterator[Write]:
    """Admission taints every new node as not ready; with a kubelet a controller takes it off."""
    body = json.dumps({"spec": {"taints": None}}).encode()
    for number in range(count):
        yield Write("PATCH", f"/api/v1/nodes/{node_name(number)}", body, MERGE)


def node_name(number: int) -> str:
    """The name of a node."""
    return f"node-{number:05}"


def single(name: str, *, scheduler: str) -> Write:
    """One pod without a group."""
    return _pod(name, {}, {"schedulerName": scheduler})


def _volcano_spec(shape: Shape) -> dict[str, Any]:
    return {"minMember": shape.members, "queue": "default"}


def _groups(shape: Shape, path: str, version: str, spec: dict[str, Any]) -> Iterator[Write]:
    for gang in range(shape.gangs if shape.has_groups else 0):
        metadata = {"name": group_of(gang), "namespace": NAMESPACE}
        body = {"apiVersion": version, "kind": "PodGroup", "metadata": metadata, "spec": spec}
        yield Write("POST", path, json.dumps(body).encode())


def _each_pod(shape: Shape) -> Iterator[tuple[int, int]]:
    return ((gang, member) for gang in range(shape.gangs) for member in range(shape.members))


def _pod(
    name: str,
    annotations: dict[str, str],
    spec: dict[str, Any],
    *,
    asks: dict[str, str] | None = None,
) -> Write:
    requests = _POD_ASKS if asks is None else asks
    container = {"name": "main", "image": "none", "resources": {"requests": requests}}
    metadata = {"name": name, "namespace": NAMESPACE, "annotations": annotations}
    body = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [container], **spec},
    }
    return Write("POST", PODS, json.dumps(body).encode())
