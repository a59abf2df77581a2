"""A plan beside the manifests it was made from, so that each check can ask plain questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from differential import fitting, reading, usable
from differential.amounts import Amounts, total
from differential.fitting import Left
from differential.rows import Cluster, Gang, Manifest, Pod

__all__ = ["Case", "Key", "case"]

Key = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """The cluster, and what the plan says of it: the JSON of `fullcrew plan -o json`."""

    cluster: Cluster
    plan: Mapping[str, Any]

    @cached_property
    def started(self) -> dict[str, str]:
        """Pods that start, and where."""
        return {pod: node for entry in self.plan["starts"] for pod, node in entry["pods"].items()}

    @cached_property
    def starts(self) -> dict[Key, list[str]]:
        """By gang the pods that start, gangs in the order of the plan."""
        found: dict[Key, list[str]] = {}
        for pod in self.started:
            if pod in self.cluster.ours:
                found.setdefault(self.cluster.pods[pod].gang, []).append(pod)
        return found

    @cached_property
    def left(self) -> Left:
        """The room that the plan leaves."""
        known = {pod: node for pod, node in self.started.items() if pod in self.cluster.pods}
        return fitting.room_left(self.cluster, known)

    def gangs_that_wait(self) -> list[Gang]:
        """Gangs with something to place of which the plan starts nothing."""
        gangs = self.cluster.gangs.values()
        return [gang for gang in gangs if gang.waiting and gang.key not in self.starts]

    def started_before_fresh(self) -> dict[str, str]:
        """What wounded gangs get, which is decided before anything else."""
        return {
            pod: self.started[pod]
            for key, pods in self.starts.items()
            if self.cluster.gangs[key].is_wounded
            for pod in pods
        }

    def room_after(self, started: Mapping[str, str]) -> tuple[Left, Callable[[str], Amounts]]:
        """The room, and the use of a queue, if only some of what starts had started."""
        without = [pod for pod in self.started if pod not in started]
        left = fitting.room_left(self.cluster, started)
        return left, lambda queue: self.used(queue, without=without)

    def used(self, queue: str, *, without: Sequence[str] = ()) -> Amounts:
        """What a queue uses, with what starts but for some pods."""
        there = [
            pod.asks
            for gang in self.cluster.gangs.values()
            if gang.queue == queue
            for pod in gang.pods
            if pod.takes_room or (pod.name in self.started and pod.name not in without)
        ]
        return total(there)

    def may_place(self, gang: Gang) -> bool:
        """Whether its own documents and its queue let it start, room aside."""
        queue = self.cluster.queues.get(gang.queue)
        return (
            not gang.fault
            and not gang.is_unclear
            and not gang.is_finished
            and queue is not None
            and queue.is_open
            and gang.has_enough_pods
            and gang.lacks > 0
        )

    def has_quota(self, gang: Gang, pods: Sequence[Pod], *, count: int, used: Amounts) -> bool:
        """Whether any `count` of these pods stay below the queue's limit, whichever are chosen."""
        limit = self.cluster.queues[gang.queue].capability
        if any(
            used.get(name, 0) + gang.asks_beforehand.get(name, 0) > limit[name] for name in limit
        ):
            return False
        for name in limit:
            dearest = sorted((pod.asks.get(name, 0) for pod in pods), reverse=True)[:count]
            if sum(dearest) and used.get(name, 0) + sum(dearest) > limit[name]:
                return False
        return True

    def fits(self, gang: Gang, left: Left, used: Amounts) -> bool:
        """Whether what the gang lacks certainly fits, where a plan must find it.

        False also where it need not: more than four kinds of pods, or more than one of them on
        more than eight nodes or for more than 24 pods.
        """
        pods = gang.startable
        if not self.has_quota(gang, pods, count=gang.lacks, used=used):
            return False
        kinds = {self.kind_of(pod) for pod in pods}
        if len(kinds) > 4 or (len(kinds) > 1 and (len(self.cluster.nodes) > 8 or gang.lacks > 24)):
            return False
        sorts = fitting.sorts_of(self.cluster, pods)
        return fitting.fits(left, sorts, count=gang.lacks, roles=gang.owed) is True

    def kind_of(self, pod: Pod) -> object:
        """What tells pods apart for the planner: what they ask for, and all their constraints."""
        spec = pod.told.get("spec") or {}
        rules = ("nodeSelector", "affinity", "tolerations", "volumes")
        named = repr([spec.get(rule) for rule in rules])
        seen = repr(sorted(pod.labels.items())) if self.has_rules_between_pods else ""
        return (tuple(sorted(pod.asks.items())), pod.ports, pod.namespace, named, seen)

    @cached_property
    def has_rules_between_pods(self) -> bool:
        """Whether labels of pods matter to anybody."""
        told = (pod.told.get("spec") or {} for pod in self.cluster.pods.values())
        return any("podAntiAffinity" in (spec.get("affinity") or {}) for spec in told)


def case(documents: Sequence[Manifest], plan: Mapping[str, Any]) -> Case:
    """Manifests read, with what claims say of their pods."""
    cluster = reading.read(documents)
    return Case(reading.with_rules(cluster, lambda pod: usable.claims_fault(cluster, pod)), plan)
