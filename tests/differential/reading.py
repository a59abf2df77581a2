"""Plain manifests to plain rows, by the words of the issue alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from differential import amounts
from differential.rows import Cluster, Gang, Manifest, Node, Pod, Queue

__all__ = ["read", "with_rules"]

GROUP_NAME: Final = "scheduling.k8s.io/group-name"
QUEUE_NAME: Final = "scheduling.volcano.sh/queue-name"
LABEL_NAME: Final = "pod-group.scheduling.sigs.k8s.io/name"
LABEL_MINIMUM: Final = "pod-group.scheduling.sigs.k8s.io/min-available"
X_K8S: Final = "scheduling.x-k8s.io/pod-group"
REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
OPERATORS: Final = frozenset({"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"})
VOLCANO: Final = "scheduling.volcano.sh"
INCUBATOR: Final = "scheduling.incubator.k8s.io"
SIGS: Final = "scheduling.sigs.dev"
BUILT_IN_CLASSES: Final = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}
NEVER: Final = 1 << 62  # the time of what has none: it is youngest


def read(documents: Sequence[Manifest]) -> Cluster:
    """All documents, in any order."""
    pods = {pod.name: pod for pod in map(_pod, _of(documents, "Pod"))}
    queues = {"default": Queue("default")}
    queues.update({queue.name: queue for queue in map(_queue, _of(documents, "Queue"))})
    nodes = {node.name: node for node in map(_node, _of(documents, "Node"))}
    gangs = _gangs(documents, pods.values(), queues)
    labels = {
        told["metadata"]["name"]: told["metadata"].get("labels") or {}
        for told in _of(documents, "Namespace")
    }
    return Cluster(nodes, pods, queues, gangs, labels, documents)


def with_rules(cluster: Cluster, rule_of: Callable[[Pod], str]) -> Cluster:
    """The same, where more rules keep pods waiting than can be read from the pod alone."""
    pods = {pod.name: replace(pod, rule=pod.rule or rule_of(pod)) for pod in cluster.pods.values()}
    gangs = {
        key: replace(gang, pods=tuple(pods[pod.name] for pod in gang.pods))
        for key, gang in cluster.gangs.items()
    }
    return replace(cluster, pods=pods, gangs=gangs)


def _of(documents: Iterable[Manifest], kind: str) -> list[Manifest]:
    return [told for told in documents if told["kind"] == kind]


def seconds(told: str | None) -> int:
    """A time of the API as seconds; what has none is youngest."""
    if not told:
        return NEVER
    return int(datetime.fromisoformat(told.replace("Z", "+00:00")).timestamp())


def _node(told: Manifest) -> Node:
    metadata, spec = told["metadata"], told.get("spec") or {}
    taints = [
        (each.get("key", ""), each.get("value", ""), each["effect"])
        for each in spec.get("taints") or ()
    ]
    if spec.get("unschedulable"):
        taints.append(("node.kubernetes.io/unschedulable", "", "NoSchedule"))
    status = told.get("status") or {}
    ready = [each["status"] for each in status.get("conditions") or () if each["type"] == "Ready"]
    return Node(
        name=metadata["name"],
        labels=metadata.get("labels") or {},
        taints=tuple(taints),
        has=amounts.has(status.get("allocatable") or {}),
        is_usable=ready in ([], ["True"]) and "deletionTimestamp" not in metadata,
    )


def _queue(told: Manifest) -> Queue:
    spec, status = told.get("spec") or {}, told.get("status") or {}
    state = status.get("state") or spec.get("state") or "Open"
    return Queue(
        name=told["metadata"]["name"],
        weight=spec.get("weight") or 1,
        is_open=state == "Open",
        capability=amounts.has(spec.get("capability") or {}),
    )


def _pod(told: Manifest) -> Pod:
    metadata, spec = told["metadata"], told.get("spec") or {}
    namespace = metadata.get("namespace") or "default"
    labels = metadata.get("labels") or {}
    annotations = metadata.get("annotations") or {}
    name = f"{namespace}/{metadata['name']}"
    marker, gang, fault, rule = _membership(name, namespace, told)
    is_murky = False
    try:
        asks = amounts.asked(told)
    except ValueError:
        asks, fault, is_murky = {"pods": 1}, fault or "an amount that is none", True
    fault = fault or _affinity_fault(spec)
    task = "volcano.sh/task-spec"
    hard, is_unclear = _rule(spec)
    return Pod(
        name=name,
        told=told,
        namespace=namespace,
        labels=labels,
        scheduler=spec.get("schedulerName") or "",
        node=spec.get("nodeName") or "",
        phase=(told.get("status") or {}).get("phase") or "Pending",
        asks=asks,
        ports=amounts.ports(told),
        is_leaving="deletionTimestamp" in metadata,
        is_gated=bool(spec.get("schedulingGates")),
        role=annotations.get(task) or labels.get(task) or "",
        gang=(marker, gang),
        rule=rule or hard,
        fault=fault,
        is_unclear=is_unclear,
        is_murky=is_murky,
    )


def _membership(name: str, namespace: str, told: Manifest) -> tuple[str, str, str, str]:
    """The marker that wins, the gang, a fault and a rule that is not built."""
    metadata, spec = told["metadata"], told.get("spec") or {}
    labels = metadata.get("labels") or {}
    annotated = (metadata.get("annotations") or {}).get(GROUP_NAME)
    if (spec.get("schedulingGroup") or {}).get("podGroupName"):
        return "single", name, "", "schedulingGroup"
    if annotated:
        return "group", f"{namespace}/{annotated}", "", ""
    if labels.get(X_K8S):
        return "single", name, "", X_K8S
    if LABEL_NAME in labels or LABEL_MINIMUM in labels:
        return *_labelled(name, namespace, labels), ""
    return "single", name, "", ""


def _labelled(name: str, namespace: str, labels: Mapping[str, str]) -> tuple[str, str, str]:
    group, least = labels.get(LABEL_NAME), labels.get(LABEL_MINIMUM, "")
    if not group:
        return "single", name, "labels of a gang without its name"
    is_number = least.isascii() and least.isdecimal() and int(least) >= 1
    return "labels", f"{namespace}/{group}", "" if is_number else "no minimum in the labels"


def _affinity_fault(spec: Manifest) -> str:
    """An operator that nobody knows."""
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED) or {}
    terms = required.get("nodeSelectorTerms") or ()
    rules = [rule for term in terms for rule in term.get("matchExpressions") or ()]
    unknown = [rule["operator"] for rule in rules if rule["operator"] not in OPERATORS]
    return f"an operator {unknown[0]}" if unknown else ""


def _rule(spec: Manifest) -> tuple[str, bool]:
    """The rule of a pod that is not built, and whether it is unclear if there is one."""
    affinity = spec.get("affinity") or {}
    between = [affinity.get("podAffinity") or {}, affinity.get("podAntiAffinity") or {}]
    if any(each.get(REQUIRED) for each in between):
        return "affinity between pods", False
    spread = spec.get("topologySpreadConstraints") or ()
    if any(each.get("whenUnsatisfiable") == "DoNotSchedule" for each in spread):
        return "spread", False
    if spec.get("resourceClaims"):
        return "resource claims", False
    return "", bool(spread) or any(between)


def _gangs(
    documents: Sequence[Manifest], pods: Iterable[Pod], queues: Mapping[str, Queue]
) -> dict[tuple[str, str], Gang]:
    members: dict[tuple[str, str], list[Pod]] = {}
    for pod in sorted(pods, key=lambda pod: pod.name):
        if pod.is_owned:
            members.setdefault(pod.gang, []).append(pod)
    groups: dict[str, list[Manifest]] = {}
    for told in _of(documents, "PodGroup"):
        metadata = told["metadata"]
        name = f"{metadata.get('namespace') or 'default'}/{metadata['name']}"
        groups.setdefault(name, []).append(told)
        members.setdefault(("group", name), [])
    surroundings = _Surroundings(documents, queues)
    return {
        key: surroundings.gang(key, tuple(mine), groups.get(key[1], []))
        for key, mine in sorted(members.items())
    }


class _Surroundings:
    """What a gang is judged by besides its own documents: classes, queues, namespaces."""

    def __init__(self, documents: Sequence[Manifest], queues: Mapping[str, Queue]) -> None:
        classes = _of(documents, "PriorityClass")
        self.queues = queues
        self.classes = BUILT_IN_CLASSES | {
            told["metadata"]["name"]: int(told["value"]) for told in classes
        }
        self.default = max(
            (int(told["value"]) for told in classes if told.get("globalDefault")), default=0
        )
        self.namespace_queues = {
            told["metadata"]["name"]: (told["metadata"].get("annotations") or {}).get(QUEUE_NAME)
            for told in _of(documents, "Namespace")
        }

    def gang(self, key: tuple[str, str], pods: tuple[Pod, ...], groups: list[Manifest]) -> Gang:
        """A gang from its pods, and from the group object that wins if its marker speaks of one."""
        gang = Gang(
            key=key,
            queue="",
            minimum=1,
            roles={},
            priority=0,
            created=min((_created(pod.told) for pod in pods), default=NEVER),
            pods=pods,
            fault=next((pod.fault for pod in pods if pod.is_pending and pod.fault), ""),
            is_unclear=any(pod.is_unclear for pod in pods),
        )
        if key[0] == "labels":
            told = sorted({int(pod.labels[LABEL_MINIMUM]) for pod in pods if not pod.fault})
            gang = replace(gang, minimum=max(told, default=1))
            gang = replace(gang, is_unclear=gang.is_unclear or len(told) > 1)
        if key[0] == "group" and groups:
            return self._with_group(gang, _winner(groups, pods))
        if key[0] == "group":
            gang = replace(gang, fault=gang.fault or "there is no such group")
        return self._in_its_place(gang, queue="", priority_class="")

    def _with_group(self, gang: Gang, told: Manifest) -> Gang:
        spec, status = told.get("spec") or {}, told.get("status") or {}
        is_volcano = told["apiVersion"].startswith(VOLCANO)
        least = spec.get("minMember") or 0
        roles = (spec.get("minTaskMember") or {}) if is_volcano else {}
        topology = (spec.get("networkTopology") or {}) if is_volcano else {}
        fault = gang.fault
        if least < 0 or any(number < 0 for number in roles.values()):
            fault = "less than nothing"
        if (topology and topology.get("mode") != "soft") or spec.get("subGroupPolicy"):
            fault = "a rule of topology"
        found = replace(
            gang,
            minimum=max(1, least),
            fault=fault,
            roles={} if sum(roles.values()) > least else roles,
            created=_created(told),
            has_group=True,
            is_finished=status.get("phase") in {"Completed", "Finished"},
            is_unclear=gang.is_unclear or "deletionTimestamp" in told["metadata"],
            asks_beforehand=amounts.has(spec.get("minResources") or {}) if is_volcano else {},
        )
        return self._in_its_place(
            found,
            queue=spec.get("queue") or "",
            priority_class=spec.get("priorityClassName") or "",
        )

    def _in_its_place(self, gang: Gang, *, queue: str, priority_class: str) -> Gang:
        """With its queue and its priority, and what is wrong with them."""
        namespace = gang.title.partition("/")[0]
        if gang.key[0] != "group":
            annotations = [pod.told["metadata"].get("annotations") or {} for pod in gang.pods]
            queue = min(
                (told[QUEUE_NAME] for told in annotations if QUEUE_NAME in told), default=""
            )
        found = queue or self.namespace_queues.get(namespace) or "default"
        fault = gang.fault
        if found not in self.queues:
            fault = fault or "there is no such queue"
        of_pods = [_class_of(pod) for pod in gang.waiting if _class_of(pod)]
        asked = [priority_class] if priority_class else of_pods
        if any(name not in self.classes for name in asked):
            fault = fault or "there is no such priority class"
        elif any(name not in self.classes for name in of_pods):
            gang = replace(gang, is_unclear=True)  # the group's class decides, a pod's is unknown
        numbers = {self._priority(pod) for pod in gang.pods if not pod.is_finished}
        priority = self.classes.get(priority_class, max(numbers, default=self.default))
        is_unclear = gang.is_unclear or (not priority_class and len(numbers) > 1)
        return replace(
            gang, queue=found, fault=fault, priority=priority, is_order_unclear=is_unclear
        )

    def _priority(self, pod: Pod) -> int:
        told = (pod.told.get("spec") or {}).get("priority")
        return int(told) if told is not None else self.classes.get(_class_of(pod), self.default)


def _class_of(pod: Pod) -> str:
    """The class that decides a pod's priority, if it is not told as a number."""
    spec = pod.told.get("spec") or {}
    named = spec.get("priorityClassName") if spec.get("priority") is None else ""
    return str(named or "")


def _created(told: Manifest) -> int:
    return seconds(told["metadata"].get("creationTimestamp"))


def _winner(groups: Sequence[Manifest], pods: Iterable[Pod]) -> Manifest:
    """Of several group objects: that of the project which the pods name, else in a fixed order."""
    schedulers = {pod.scheduler for pod in pods}
    order = [VOLCANO, INCUBATOR, SIGS]
    if "kube-batch" in schedulers and "volcano" not in schedulers:
        order = [INCUBATOR, SIGS, VOLCANO]
    return min(groups, key=lambda told: order.index(told["apiVersion"].partition("/")[0]))
