"""What a test needs before it begins: nodes, namespaces; and an empty cluster after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from real.api import Api, ApiRefused, Object

GROUPS = (
    "/apis/scheduling.volcano.sh/v1beta1",
    "/apis/scheduling.incubator.k8s.io/v1alpha1",
    "/apis/scheduling.sigs.dev/v1alpha2",
)
KEPT = frozenset({"default", "kube-system", "kube-public", "kube-node-lease", "fullcrew-system"})
AT_A_TIME = 8

T = TypeVar("T")


def add_nodes(
    api: Api,
    names: Iterable[str],
    amounts: Mapping[str, str],
    labels: Mapping[str, str] | None = None,
) -> list[str]:
    """Ready nodes of these amounts. A node without `pods` among them holds 110."""
    wanted = list(names)
    filled = {"pods": "110", **amounts}

    def add(name: str) -> None:
        api.create(_node(name, filled, {"kubernetes.io/hostname": name, **(labels or {})}))
        # Admission taints every new node as not ready; with a kubelet a controller takes it off.
        api.patch(f"/api/v1/nodes/{name}", {"spec": {"taints": None}})

    _each(add, wanted)
    return wanted


def resize_node(api: Api, name: str, amounts: Mapping[str, str]) -> None:
    """Another capacity, as when a device fails or is plugged in; the rest stays."""
    change = {"status": {"capacity": dict(amounts), "allocatable": dict(amounts)}}
    api.patch(f"/api/v1/nodes/{name}/status", change)


def add_namespace(api: Api, name: str, annotations: Mapping[str, str] | None = None) -> str:
    """A namespace in which pods can be made at once: with its default ServiceAccount, for which
    one would wait for a controller otherwise."""
    metadata = {"name": name, "annotations": dict(annotations or {})}
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    account = {"name": "default", "namespace": name}
    with suppress(ApiRefused):  # the controller was faster
        api.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account})
    return name


def create_all(api: Api, documents: Sequence[Object]) -> None:
    """Many objects, several at a time; the order in which they appear is any."""
    if documents:
        api.path_of(documents[0])  # discovery once, before the threads ask for it
    _each(api.create, documents)


def clear(api: Api) -> None:
    """Takes away what tests make: namespaces and pods, groups, queues, nodes, volumes, priority
    classes, and the scheduler's Lease, which the next test's scheduler would else wait for."""
    spaces = [item["metadata"]["name"] for item in api.list("/api/v1/namespaces").items]
    for space in spaces:
        if space not in KEPT:
            api.delete(f"/api/v1/namespaces/{space}")
        api.delete(f"/api/v1/namespaces/{space}/pods", grace_seconds=0)
    leases = "/apis/coordination.k8s.io/v1/namespaces/fullcrew-system/leases"
    volumes = "/api/v1/persistentvolumes"
    collections = [leases, volumes, "/api/v1/nodes", *(f"{group}/queues" for group in GROUPS)]
    for path in [*collections, *_group_objects(spaces), *_priority_classes(api)]:
        api.delete(path)


def _group_objects(spaces: Sequence[str]) -> Iterator[str]:
    for group in GROUPS:
        for space in spaces:
            yield f"{group}/namespaces/{space}/podgroups"


def _priority_classes(api: Api) -> Iterator[str]:
    path = "/apis/scheduling.k8s.io/v1/priorityclasses"
    for item in api.list(path).items:
        if not item["metadata"]["name"].startswith("system-"):
            yield f"{path}/{item['metadata']['name']}"


def _node(name: str, amounts: Mapping[str, str], labels: Mapping[str, str]) -> Object:
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "played"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": dict(labels)},
        "status": {
            "capacity": dict(amounts),
            "allocatable": dict(amounts),
            "conditions": [ready],
        },
    }


def _each(act: Callable[[T], object], items: Iterable[T]) -> None:
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        for _ in threads.map(act, items):
            pass
