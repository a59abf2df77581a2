"""Plays recorded events again, one after the other, so that the judge sees the cluster as it was
at each of them: what is bound where, what a group asks for, and what was still true a moment ago.

A scheduler knows what was delivered to it, which is a little behind the server. So what others
change counts against it only after `delivery_seconds`; what it does itself counts at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from real import history
from real.history import Amounts, Happened, Pod

ANY_NODE: Mapping[str, str] = {}
# The group of the project that the scheduler's name says; then these, in this order.
VOLCANO, KUBE_BATCH, SIGS = "scheduling.volcano.sh", "scheduling.incubator.k8s.io", "sigs.dev"
PREFERRED = {"volcano": VOLCANO, "kube-batch": KUBE_BATCH}


@dataclass(slots=True)
class Lately:
    """A value that changes, and what it was before."""

    told: list[tuple[float, Any]] = field(default_factory=list)

    def set(self, seconds: float, value: object) -> None:
        """From now on it is this; None stands for: it is gone."""
        self.told.append((seconds, value))

    @property
    def now(self) -> Any:  # noqa: ANN401 - whatever was set
        """What it is; None if it is not there."""
        return self.told[-1][1] if self.told else None

    def since(self, seconds: float) -> list[Any]:
        """Each value it had at that moment or later, without the times when it was gone."""
        first = 0
        for index, (began, _) in enumerate(self.told):
            if began <= seconds:
                first = index
        return [value for _, value in self.told[first:] if value is not None]


@dataclass(frozen=True, slots=True)
class Group:
    """What a group object asks for."""

    minimum: int
    roles: Mapping[str, int]
    queue: str


class Replay:
    """The cluster between two events."""

    def __init__(self, owned: frozenset[str], *, delivery_seconds: float) -> None:
        self._owned = owned
        self._delay = delivery_seconds
        self._bound_at: dict[str, float] = {}
        self._groups: dict[tuple[str, str], Lately] = {}
        self._queues: dict[tuple[str, str], Lately] = {}
        self._spaces: dict[str, str] = {}
        self._on_node: dict[str, dict[str, None]] = {}
        self._labels: dict[str, Mapping[str, str]] = {}
        self.nodes: dict[str, Lately] = {}
        self.pods: dict[str, Pod] = {}
        self.gangs: dict[str, dict[str, None]] = {}
        self.counted: dict[str, dict[str, int]] = {}  # by gang and role: what it has started with

    def apply(self, event: Happened) -> tuple[Pod | None, Pod | None]:
        """Goes on by one event. For a pod: what it was and what it is."""
        if event.path == history.PODS:
            return self._pod(event)
        told = None if event.what == "DELETED" else event.object
        if event.path == history.NODES:
            self._node(event, told)
        elif event.path == history.NAMESPACES:
            annotations = event.object["metadata"].get("annotations", {})
            self._spaces[event.name] = annotations.get(history.QUEUE, "default")
        elif event.path.endswith("/podgroups"):
            group = None if told is None else _group(told)
            self._groups.setdefault((event.path, event.name), Lately()).set(event.seconds, group)
        elif event.path.endswith("/queues"):
            limit = None if told is None else told.get("spec", {}).get("capability", {})
            amounts = None if limit is None else history.amounts_of(limit)
            self._queues.setdefault((event.path, event.name), Lately()).set(event.seconds, amounts)
        return None, None

    def is_ours(self, pod: Pod) -> bool:
        """Whether the scheduler that is judged serves this pod."""
        return pod.scheduler in self._owned

    def members(self, gang: str) -> list[Pod]:
        """Of a gang, the pods that exist, as they came."""
        return [self.pods[uid] for uid in self.gangs.get(gang, {})]

    def minimums(self, pod: Pod, seconds: float) -> list[Group]:
        """What the pod's group asks for, and asked for until a moment ago."""
        if pod.label_minimum:
            return [Group(int(pod.label_minimum), {}, "")]
        group = self._group_of(pod)
        if group is not None:
            return list(group.since(seconds - self._delay))
        return [Group(1, {}, "")] if pod.gang == pod.name else []

    def queue_of(self, pod: Pod) -> str:
        """By the group, or by a pod that has none; else by the namespace."""
        group = self._group_of(pod)
        named = group.now.queue if group is not None and group.now else pod.queue
        return named or self._spaces.get(pod.name.split("/", 1)[0], "default")

    def limits(self, queue: str, seconds: float) -> list[Amounts]:
        """A queue's hard limit, and what it was until a moment ago."""
        for project in (VOLCANO, KUBE_BATCH, SIGS):
            for (path, name), told in self._queues.items():
                if name == queue and project in path:
                    return told.since(seconds - self._delay)
        return []

    def sizes(self, node: str, seconds: float) -> list[Amounts]:
        """What a node may hold, and might hold until a moment ago."""
        return self.nodes.get(node, Lately()).since(seconds - self._delay)

    def used(self, node: str, seconds: float) -> dict[str, int]:
        """What the pods of a node ask for; foreign ones only after the delay."""
        total: dict[str, int] = {}
        for uid in self._on_node.get(node, {}):
            pod = self.pods[uid]
            if self.is_ours(pod) or self._bound_at[uid] <= seconds - self._delay:
                add(total, pod.asks)
        return total

    def free(self) -> dict[str, dict[str, int]]:
        """What is left on each node at this very moment."""
        left: dict[str, dict[str, int]] = {}
        for name, told in self.nodes.items():
            if told.now is not None:
                left[name] = dict(told.now)
                for uid in self._on_node.get(name, {}):
                    add(left[name], self.pods[uid].asks, times=-1)
        return left

    def free_before(self, seconds: float) -> dict[str, dict[str, int]]:
        """What was left on each node for one who had not yet heard of the latest changes."""
        left: dict[str, dict[str, int]] = {}
        for name in self.nodes:
            sizes = self.sizes(name, seconds)
            left[name] = {
                resource: max(size.get(resource, 0) for size in sizes)
                for resource in {resource for size in sizes for resource in size}
            }
            add(left[name], self.used(name, seconds), times=-1)
        return left

    def allows(self, node: str, pod: Pod) -> bool:
        """Whether the pod's node selector lets it go there."""
        return pod.node_labels.items() <= self._labels.get(node, ANY_NODE).items()

    def _pod(self, event: Happened) -> tuple[Pod | None, Pod | None]:
        pod = history.pod_of(event.object)
        before = self.pods.get(pod.uid)
        if before is not None:
            self._on_node.get(before.node, {}).pop(pod.uid, None)
            add(self.counted[before.gang], {before.role: int(before.is_counted)}, times=-1)
        if event.what == "DELETED":
            self.pods.pop(pod.uid, None)
            self.gangs.get(pod.gang, {}).pop(pod.uid, None)
            return before, None
        self.pods[pod.uid] = pod
        self.gangs.setdefault(pod.gang, {})[pod.uid] = None
        add(self.counted.setdefault(pod.gang, {}), {pod.role: int(pod.is_counted)})
        if pod.takes_room:
            self._on_node.setdefault(pod.node, {})[pod.uid] = None
            self._bound_at.setdefault(pod.uid, event.seconds)
        return before, pod

    def _node(self, event: Happened, told: Mapping[str, Any] | None) -> None:
        status = (told or {}).get("status", {})
        size = None if told is None else history.amounts_of(status.get("allocatable", {}))
        self.nodes.setdefault(event.name, Lately()).set(event.seconds, size)
        self._labels[event.name] = event.object["metadata"].get("labels", {})

    def _group_of(self, pod: Pod) -> Lately | None:
        found = {path: told for (path, name), told in self._groups.items() if name == pod.gang}
        for project in (PREFERRED.get(pod.scheduler, VOLCANO), VOLCANO, KUBE_BATCH, SIGS):
            for path, told in found.items():
                if project in path:
                    return told
        return None


def add(total: dict[str, int], amounts: Amounts, *, times: int = 1) -> None:
    """Adds amounts to a total, in place."""
    for resource, amount in amounts.items():
        total[resource] = total.get(resource, 0) + times * amount


def over(asked: Amounts, used: Amounts, sizes: list[Amounts]) -> Iterator[str]:
    """The resources, among those that were asked for, of which there was never enough."""
    for resource, amount in asked.items():
        most = max((size.get(resource, 0) for size in sizes), default=0)
        if amount and used.get(resource, 0) > most:
            yield f"{resource}: {used[resource]} of {most}"


def _group(body: Mapping[str, Any]) -> Group:
    spec = body.get("spec", {})
    minimum, roles = max(spec.get("minMember", 0), 1), spec.get("minTaskMember", {})
    binds = sum(roles.values()) <= minimum
    return Group(minimum, roles if binds else {}, spec.get("queue", ""))
