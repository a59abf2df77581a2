"""What the judge of the promises reads: events of a cluster, and what each pod in them means.

Nothing here shares code with Fullcrew, on purpose: what a pod asks, which gang it belongs to and
what its binding was stamped with are told a second time, from Kubernetes' own documentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

NODES = "/api/v1/nodes"
NAMESPACES = "/api/v1/namespaces"
PODS = "/api/v1/pods"
PLAN = "fullcrew.io/plan"
MINIMUM = "fullcrew.io/minimum"
GROUP_NAME = "scheduling.k8s.io/group-name"
QUEUE = "scheduling.volcano.sh/queue-name"
ROLE = "volcano.sh/task-spec"
LABEL_NAME = "pod-group.scheduling.sigs.k8s.io/name"
LABEL_MINIMUM = "pod-group.scheduling.sigs.k8s.io/min-available"

Amounts = Mapping[str, int]
_UNITS = {
    **{unit: Fraction(10) ** power for unit, power in zip("num", (-9, -6, -3), strict=True)},
    **{unit: Fraction(10) ** (3 * n + 3) for n, unit in enumerate("kMGTPE")},
    **{f"{unit}i": Fraction(1024) ** (n + 1) for n, unit in enumerate("KMGTPE")},
    "": Fraction(1),
}


@dataclass(frozen=True, slots=True)
class Happened:
    """One watch event: LISTED, ADDED, MODIFIED or DELETED; `seconds` is when it was received."""

    path: str
    what: str
    object: Mapping[str, Any]
    seconds: float

    @property
    def revision(self) -> int:
        """The store's own count of changes: one order for objects of all kinds."""
        return int(self.object["metadata"]["resourceVersion"])

    @property
    def name(self) -> str:
        """Namespace and name."""
        metadata = self.object["metadata"]
        return f"{metadata.get('namespace', '')}/{metadata['name']}".removeprefix("/")


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod at one revision, as far as the promises speak of it."""

    name: str
    uid: str
    gang: str
    scheduler: str
    node: str
    phase: str
    is_leaving: bool
    is_gated: bool
    asks: Amounts
    plan: str
    minimum: str  # as stamped
    label_minimum: str
    role: str
    node_labels: Mapping[str, str]
    queue: str  # its own wish, which counts where it has no group

    @property
    def takes_room(self) -> bool:
        """Bound, and not finished: also while it is leaving."""
        return bool(self.node) and self.phase not in {"Succeeded", "Failed"}

    @property
    def is_counted(self) -> bool:
        """Whether it counts to what its gang has started with."""
        return bool(self.node) and (self.phase == "Succeeded" or self.is_standing)

    @property
    def is_standing(self) -> bool:
        """Bound, neither finished nor leaving."""
        return self.takes_room and not self.is_leaving

    @property
    def is_placeable(self) -> bool:
        """Could be bound now, as far as the pod is concerned."""
        finished = self.phase in {"Succeeded", "Failed"}
        return not (self.node or finished or self.is_leaving or self.is_gated)


def pod_of(body: Mapping[str, Any]) -> Pod:
    """Reads a pod object."""
    metadata, spec, status = body["metadata"], body["spec"], body.get("status", {})
    labels, annotations = metadata.get("labels", {}), metadata.get("annotations", {})
    name = f"{metadata['namespace']}/{metadata['name']}"
    is_labelled = LABEL_NAME in labels and LABEL_MINIMUM in labels
    group = annotations.get(GROUP_NAME) or (labels[LABEL_NAME] if is_labelled else "")
    by_label = is_labelled and GROUP_NAME not in annotations
    return Pod(
        name=name,
        uid=metadata["uid"],
        gang=f"{metadata['namespace']}/{group}" if group else name,
        scheduler=spec.get("schedulerName", "default-scheduler"),
        node=spec.get("nodeName", ""),
        phase=status.get("phase", "Pending"),
        is_leaving="deletionTimestamp" in metadata,
        is_gated=bool(spec.get("schedulingGates")),
        asks=asks_of(spec, status),
        plan=annotations.get(PLAN, ""),
        minimum=annotations.get(MINIMUM, ""),
        label_minimum=labels[LABEL_MINIMUM] if by_label else "",
        role=annotations.get(ROLE) or labels.get(ROLE, ""),
        node_labels=spec.get("nodeSelector", {}),
        queue="" if group else annotations.get(QUEUE, ""),
    )


def asks_of(spec: Mapping[str, Any], status: Mapping[str, Any]) -> dict[str, int]:
    """What the scheduler must count for a pod: the sum of its containers, or the most that its
    start takes; sidecars run beside all that starts after them."""
    allocated = {
        told["name"]: told.get("allocatedResources", {})
        for told in status.get("containerStatuses", [])
    }
    running = [_most(_requests(c), _read(allocated.get(c["name"], {}))) for c in spec["containers"]]
    beside: dict[str, int] = {}
    most: dict[str, int] = {}
    for container in spec.get("initContainers", []):
        asks = _sum([beside, _requests(container)])
        most = _most(most, asks)
        if container.get("restartPolicy") == "Always":
            beside = asks
    total = _most(_sum([beside, *running]), most)
    whole_pod = _requests(spec)
    return _sum([{**total, **whole_pod}, _read(spec.get("overhead", {})), {"pods": 1}])


def amounts_of(written: Mapping[str, Any]) -> dict[str, int]:
    """Quantities as whole numbers: millicores of cpu, rounded up; units of anything else."""
    return _read(written)


def _requests(owner: Mapping[str, Any]) -> dict[str, int]:
    resources = owner.get("resources", {})
    return _read({**resources.get("limits", {}), **resources.get("requests", {})})


def _read(written: Mapping[str, Any]) -> dict[str, int]:
    return {name: _whole(name, str(amount)) for name, amount in written.items()}


def _whole(resource: str, quantity: str) -> int:
    number = quantity.rstrip("numkMGTPEi")
    amount = Fraction(number) * _UNITS[quantity[len(number) :]]
    return -int(-(amount * 1000 if resource == "cpu" else amount) // 1)


def _sum(amounts: Iterable[Amounts]) -> dict[str, int]:
    total: dict[str, int] = {}
    for each in amounts:
        for resource, amount in each.items():
            total[resource] = total.get(resource, 0) + amount
    return total


def _most(one: Amounts, other: Amounts) -> dict[str, int]:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in {**one, **other}}
