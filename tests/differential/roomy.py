"""Checks on room: nodes, queues, constraints, and that nothing is left idle that could be used."""

from __future__ import annotations

from collections.abc import Iterator

from differential import fitting
from differential.amounts import total
from differential.case import Case
from differential.rows import Gang, Pod
from differential.usable import allowed

__all__ = [
    "growth_leaves_nothing_idle",
    "never_over_nodes",
    "never_over_queues",
    "nodes_are_allowed",
    "nothing_idle",
    "ports_do_not_clash",
]


def nodes_are_allowed(case: Case) -> Iterator[str]:
    """Selectors, affinity, taints, volumes, other pods' rules."""
    for name, node in case.started.items():
        if name not in case.cluster.pods:
            continue
        if node not in case.cluster.nodes:
            yield f"{name} starts on {node}, which is no node"
        elif node not in allowed(case.cluster, case.cluster.pods[name]):
            yield f"{name} starts on {node}, which it may not use"


def never_over_nodes(case: Case) -> Iterator[str]:
    """No start brings a node above what is allocatable, in anything that it asks for."""
    before = fitting.room_left(case.cluster, {})
    for node in sorted(set(case.started.values())):
        if node not in before.free:
            continue
        pods = [case.cluster.pods[pod] for pod, at in case.started.items() if at == node]
        for name, much in total(pod.asks for pod in pods).items():
            if much and before.free[node].get(name, 0) < much:
                yield f"{node} has {before.free[node].get(name, 0)} {name} left, {much} start there"


def ports_do_not_clash(case: Case) -> Iterator[str]:
    """A host port is taken once."""
    left = fitting.room_left(case.cluster, {})
    for name, node in case.started.items():
        pod = case.cluster.pods.get(name)
        if pod is None or node not in left.free:
            continue
        if pod.ports and fitting.clash(pod.ports, left.ports.get(node, set())):
            yield f"{name} starts on {node}, where a port of it is taken"
        left.take(pod, node)


def never_over_queues(case: Case) -> Iterator[str]:
    """No start brings a queue above its capability, in anything that it asks for."""
    for queue in case.cluster.queues.values():
        used = case.used(queue.name)
        started = total(
            case.cluster.pods[pod].asks
            for pod in case.started
            if pod in case.cluster.ours and case.cluster.gang_of(pod).queue == queue.name
        )
        for name, limit in queue.capability.items():
            if started.get(name) and used[name] > limit:
                yield f"queue {queue.name} uses {used[name]} {name} of {limit}"


def nothing_idle(case: Case) -> Iterator[str]:
    """No gang waits whose minimum fits in the room that the plan leaves."""
    for gang in case.gangs_that_wait():
        if case.may_place(gang) and case.fits(gang, case.left, case.used(gang.queue)):
            yield f"{gang.title} waits, though its minimum fits in the room that is left"


def growth_leaves_nothing_idle(case: Case) -> Iterator[str]:
    """No pod above the minimum of a gang that stands or starts waits, though it fits."""
    for gang in case.cluster.gangs.values():
        if not (gang.stands or gang.key in case.starts) or gang.fault or gang.is_unclear:
            continue
        queue = case.cluster.queues.get(gang.queue)
        if queue is None or not queue.is_open:
            continue
        for pod in gang.startable:
            if pod.name not in case.started and (node := _place_for(case, gang, pod)):
                yield f"{pod.name} waits, though it fits on {node}"


def _place_for(case: Case, gang: Gang, pod: Pod) -> str:
    if not case.has_quota(gang, [pod], count=1, used=case.used(gang.queue)):
        return ""
    for sort in fitting.sorts_of(case.cluster, [pod]):
        for node in sorted(sort.nodes):
            if fitting.on_node(case.left, node, sort):
                return node
    return ""
