"""The short form that scenarios are written in, and the manifests that it stands for.

    nodes: {n1..n4: {cpu: 1}}                 names or runs of names, and what each has
    others: {rs: {cpu: 1, at: [n1, n2]}}      pods of somebody else, one on each
    gangs: {a: {minimum: 4, pods: [{count: 4, cpu: 1}]}}

A field that is not known here is an error: a scenario that is not understood must not pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import given
from given import Manifest

__all__ = ["documents", "names"]

Short = Mapping[str, Any]

_AMOUNTS: Final = ("cpu", "memory", "gpu")
_RUN = re.compile(r"(\D*)(\d+)\.\.\D*(\d+)")


def documents(told: Short) -> list[Manifest]:
    """All manifests of a `given`, or of what a step adds."""
    makers: Mapping[str, Callable[[str, Any], Iterator[Manifest]]] = {
        "nodes": _node,
        "others": _others,
        "queues": _queue,
        "classes": _class,
        "namespaces": _namespace,
        "claims": _claim,
        "gangs": _gang,
    }
    _only(told, makers)
    return [
        made
        for kind, entries in told.items()
        for run, entry in entries.items()
        for name in names(run)
        for made in makers[kind](name, entry)
    ]


def names(run: str) -> list[str]:
    """`n1..n3` is n1, n2, n3; any other name is itself."""
    found = _RUN.fullmatch(run)
    if found is None:
        return [run]
    stem, first, last = found.groups()
    return [f"{stem}{number}" for number in range(int(first), int(last) + 1)]


def _only(told: Short, known: Any) -> None:  # noqa: ANN401
    unknown = sorted(set(told) - set(known))
    assert not unknown, f"nobody knows {unknown} here; known are {sorted(known)}"


def _node(name: str, told: Short) -> Iterator[Manifest]:
    _only(told, [*_AMOUNTS, "pods", "labels", "taints", "unschedulable", "ready"])
    amounts = {key: told[key] for key in (*_AMOUNTS, "pods") if key in told}
    parts = [given.having(**amounts), given.labelled(told.get("labels") or {})]
    if "taints" in told or "unschedulable" in told:
        taints, off = told.get("taints") or [], told.get("unschedulable", False)
        parts.append(given.spec(taints=taints, unschedulable=off))
    if "ready" in told:
        parts.append(given.status(conditions=[{"type": "Ready", "status": told["ready"]}]))
    yield given.node(name, *parts)


def _others(name: str, told: Short) -> Iterator[Manifest]:
    """Bound pods of another scheduler, one on each node named."""
    _only(told, [*_AMOUNTS, "at", "port", "phase", "leaving", "labels", "keeps off"])
    for number, place in enumerate(each for run in told["at"] for each in names(run)):
        parts = [given.served_by("other"), *_asks(told)]
        parts.append(given.on_node(place, phase=told.get("phase", "Running")))
        parts.append(given.labelled(told.get("labels") or {}))
        if told.get("leaving"):
            parts.append(given.leaving())
        if "keeps off" in told:
            parts.append(_keeping_off(told["keeps off"]))
        yield given.pod(f"others/{name}-{number}", *parts)


def _keeping_off(labels: Short) -> Manifest:
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": dict(labels)},
        "namespaceSelector": {},
    }
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    return given.spec(affinity={"podAntiAffinity": required})


def _queue(name: str, told: Short) -> Iterator[Manifest]:
    _only(told, ["weight", "capability", "state", "dialect"])
    limit = {key: str(much) for key, much in (told.get("capability") or {}).items()}
    parts = [given.spec(capability=limit), given.status(state=told.get("state", "Open"))]
    weight, dialect = told.get("weight", 1), told.get("dialect", "volcano")
    yield given.queue(name, *parts, weight=weight, dialect=dialect)


def _class(name: str, told: int) -> Iterator[Manifest]:
    yield given.priority_class(name, told)


def _namespace(name: str, told: Short) -> Iterator[Manifest]:
    _only(told, ["queue"])
    yield given.namespace(
        name, given.annotated({"scheduling.volcano.sh/queue-name": told["queue"]})
    )


def _claim(name: str, told: Short) -> Iterator[Manifest]:
    """A claim, with its volume where it is bound to one."""
    _only(told, ["bound", "zone"])
    if not told.get("bound", True):
        yield given.claim(name)
        return
    rule = {"key": "zone", "operator": "In", "values": [told.get("zone", "")]}
    required = {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}
    yield given.volume(
        f"of-{name}", given.spec(nodeAffinity={"required": required}) if "zone" in told else {}
    )
    yield given.claim(name, volume_name=f"of-{name}")


def _gang(name: str, told: Short) -> Iterator[Manifest]:
    _only(
        told,
        ["dialect", "minimum", "queue", "priority", "created", "roles", "needs", "pods", "group"],
    )
    dialect = told.get("dialect", "volcano")
    if dialect in {"volcano", "kube-batch", "sigs"} and told.get("group", True):
        yield given.pod_group(name, told["minimum"], *_group_parts(told), dialect=dialect)
    marks = []
    if dialect == "labels":
        marks.append(given.in_labelled_group(name.rpartition("/")[2], told["minimum"]))
    elif dialect != "single":
        marks.append(given.in_group(name.rpartition("/")[2]))
    if dialect in {"labels", "single"} and "created" in told:
        marks.append(given.created(told["created"]))
    if dialect in {"labels", "single"} and "priority" in told:
        marks.append(given.spec(priorityClassName=told["priority"]))
    count = 0
    for pods in told["pods"]:
        for number in range(pods.get("count", 1)):
            stem = f"{name}-{pods['name']}-{number}" if "name" in pods else f"{name}-{count}"
            yield given.pod(stem, *marks, *_pod_parts(pods, number))
            count += 1


def _group_parts(told: Short) -> list[Manifest]:
    parts = [given.created(told["created"])] if "created" in told else []
    parts += [given.spec(queue=told["queue"])] if "queue" in told else []
    parts += [given.spec(priorityClassName=told["priority"])] if "priority" in told else []
    parts += [given.spec(minTaskMember=told["roles"])] if "roles" in told else []
    parts += [given.spec(minResources=told["needs"])] if "needs" in told else []
    return parts


def _pod_parts(told: Short, number: int) -> list[Manifest]:
    known = ["count", "name", "role", "created", "priority", "class", "gated", "at", "phase"]
    known += ["leaving", "scheduler", "spec", "labels", "annotations", "port"]
    _only(told, [*_AMOUNTS, *known])
    parts = [*_asks(told), given.spec(**(told.get("spec") or {}))]
    parts += [given.annotated({"volcano.sh/task-spec": told["role"]})] if "role" in told else []
    parts += [given.created(told["created"][number])] if "created" in told else []
    parts += [given.spec(priority=told["priority"])] if "priority" in told else []
    parts += [given.spec(priorityClassName=told["class"])] if "class" in told else []
    parts += [given.spec(schedulingGates=[{"name": "gate"}])] if told.get("gated") else []
    parts += [given.leaving()] if told.get("leaving") else []
    parts += [given.served_by(told["scheduler"])] if "scheduler" in told else []
    parts += [given.labelled(told["labels"])] if "labels" in told else []
    parts += [given.annotated(told["annotations"])] if "annotations" in told else []
    if "at" in told:
        places = [each for run in told["at"] for each in names(run)]
        parts.append(given.on_node(places[number], phase=told.get("phase", "Running")))
    return parts


def _asks(told: Short) -> list[Manifest]:
    amounts = {key: told[key] for key in _AMOUNTS if key in told}
    parts = [given.asking(**amounts)] if amounts else []
    if "port" in told:
        ports = [{"containerPort": told["port"], "hostPort": told["port"]}]
        (container,) = parts[0]["spec"]["containers"] if parts else [{"name": "main"}]
        parts = [given.spec(containers=[{**container, "ports": ports}])]
    return parts
