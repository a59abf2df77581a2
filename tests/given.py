"""The words that tests are told in: manifests made of parts, and the objects they decode to.

    pod("team/w-0", asking(cpu="1", gpu=2), in_group("train"), on_node("n1"))

A manifest is a plain dict, merged from what the kind needs and the parts that the sentence names.
Whatever a sentence does not mention has a value that does not matter to it. A name may carry its
namespace; without one it is `default`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from fullcrew import objects

__all__ = [
    "GPU",
    "Manifest",
    "Object",
    "annotated",
    "asking",
    "changed",
    "claim",
    "created",
    "decoded",
    "having",
    "in_group",
    "in_labelled_group",
    "labelled",
    "leaving",
    "meta",
    "namespace",
    "node",
    "on_node",
    "pod",
    "pod_group",
    "priority_class",
    "queue",
    "served_by",
    "spec",
    "status",
    "volume",
    "with_uid",
]

Manifest = dict[str, Any]
Object = objects.KubernetesObject | objects.Faulty[Any]

GPU: Final = "nvidia.com/gpu"

_VERSIONS: Final = {
    "volcano": "scheduling.volcano.sh/v1beta1",
    "kube-batch": "scheduling.incubator.k8s.io/v1alpha1",
    "sigs": "scheduling.sigs.dev/v1alpha2",
}


def decoded(manifest: Manifest) -> Object:
    """The object of a manifest, through the decoder that watches and files use."""
    kind = objects.kind_of(manifest["apiVersion"], manifest["kind"])
    assert kind is not None, f"nobody reads {manifest['apiVersion']} {manifest['kind']}"
    return _decoder(kind).one(manifest)


@cache
def _decoder(kind: type[objects.KubernetesObject]) -> objects.Decoder[objects.KubernetesObject]:
    return objects.Decoder(kind)


def node(name: str, *parts: Manifest) -> Manifest:
    """A ready node with room for 110 pods, and plenty of cpu and memory."""
    plenty = {"cpu": "64", "memory": "256Gi", "pods": "110"}
    return _of("v1", "Node", name, {"status": {"allocatable": plenty}}, *parts, is_global=True)


def pod(name: str, *parts: Manifest) -> Manifest:
    """A pending pod that asks for nothing and names our scheduler."""
    serving = {"schedulerName": "fullcrew", "containers": [{"name": "main"}]}
    return _of("v1", "Pod", name, {"spec": serving, "status": {"phase": "Pending"}}, *parts)


def pod_group(name: str, minimum: int, *parts: Manifest, dialect: str = "volcano") -> Manifest:
    """A group of the project: volcano, kube-batch or sigs (kube-batch's second form)."""
    return _of(_VERSIONS[dialect], "PodGroup", name, spec(minMember=minimum), *parts)


def queue(name: str, *parts: Manifest, weight: int = 1, dialect: str = "volcano") -> Manifest:
    """An open queue without a limit."""
    version = _VERSIONS[dialect]
    return _of(version, "Queue", name, spec(weight=weight), *parts, is_global=True)


def priority_class(name: str, value: int, *parts: Manifest) -> Manifest:
    """A priority under a name."""
    told = {"value": value}
    return _of("scheduling.k8s.io/v1", "PriorityClass", name, told, *parts, is_global=True)


def namespace(name: str, *parts: Manifest) -> Manifest:
    """An active namespace."""
    return _of("v1", "Namespace", name, status(phase="Active"), *parts, is_global=True)


def volume(name: str, *parts: Manifest) -> Manifest:
    """A volume that can be reached from anywhere."""
    return _of("v1", "PersistentVolume", name, *parts, is_global=True)


def claim(name: str, *parts: Manifest, volume_name: str = "") -> Manifest:
    """A claim; bound where it has the name of a volume."""
    bound = {"volumeName": volume_name} if volume_name else {}
    state = status(phase="Bound" if volume_name else "Pending")
    return _of("v1", "PersistentVolumeClaim", name, {"spec": bound}, state, *parts)


def changed(manifest: Manifest, *parts: Manifest) -> Manifest:
    """The same object with these parts in it."""
    return _merged(manifest, *parts)


def meta(**fields: object) -> Manifest:
    """Fields of the metadata."""
    return {"metadata": fields}


def spec(**fields: object) -> Manifest:
    """Fields of the spec, in the manifest's own spelling."""
    return {"spec": fields}


def status(**fields: object) -> Manifest:
    """Fields of the status, in the manifest's own spelling."""
    return {"status": fields}


def labelled(labels: Mapping[str, str]) -> Manifest:
    """Labels."""
    return meta(labels=dict(labels))


def annotated(annotations: Mapping[str, str]) -> Manifest:
    """Annotations."""
    return meta(annotations=dict(annotations))


def created(timestamp: str) -> Manifest:
    """When it was made: a time, or seconds of one minute as two digits."""
    whole = timestamp if "T" in timestamp else f"2026-01-01T00:00:{timestamp}Z"
    return meta(creationTimestamp=whole)


def with_uid(uid: str) -> Manifest:
    """The uid that a server gave."""
    return meta(uid=uid)


def leaving() -> Manifest:
    """Deleted, and not gone yet."""
    return meta(deletionTimestamp="2026-01-01T00:01:00Z")


def having(*, gpu: int = 0, **amounts: object) -> Manifest:
    """What is allocatable on a node, beside or in the place of plenty."""
    return status(allocatable=_amounts(gpu, amounts))


def asking(*, gpu: int = 0, **amounts: object) -> Manifest:
    """What the one container of a pod requests."""
    requests = _amounts(gpu, amounts)
    return spec(containers=[{"name": "main", "resources": {"requests": requests}}])


def in_group(name: str) -> Manifest:
    """The annotation that kube-batch and Volcano share."""
    return annotated({"scheduling.k8s.io/group-name": name})


def in_labelled_group(name: str, minimum: int | str) -> Manifest:
    """ACK's two labels."""
    prefix = "pod-group.scheduling.sigs.k8s.io"
    return labelled({f"{prefix}/name": name, f"{prefix}/min-available": str(minimum)})


def served_by(scheduler: str) -> Manifest:
    """Whose pod it is."""
    return spec(schedulerName=scheduler)


def on_node(name: str, *, phase: str = "Running") -> Manifest:
    """Bound there, and running or ended."""
    return {"spec": {"nodeName": name}, "status": {"phase": phase}}


def _of(version: str, kind: str, name: str, *parts: Manifest, is_global: bool = False) -> Manifest:
    place, _, own = name.rpartition("/")
    metadata = {"name": own} if is_global else {"name": own, "namespace": place or "default"}
    return _merged({"apiVersion": version, "kind": kind, "metadata": metadata}, *parts)


def _merged(*parts: Manifest) -> Manifest:
    """Maps are merged, anything else is replaced by the later part."""
    whole: Manifest = {}
    for part in parts:
        for key, told in part.items():
            before = whole.get(key)
            both = isinstance(before, dict) and isinstance(told, dict)
            whole[key] = _merged(before, told) if both else told  # type: ignore[arg-type]
    return whole


def _amounts(gpu: int, amounts: Mapping[str, object]) -> Manifest:
    told = {name.replace("_", "-"): str(much) for name, much in amounts.items()}
    return {**told, GPU: str(gpu)} if gpu else told
