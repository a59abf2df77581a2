"""What the checks look at: nodes, pods, gangs, queues as plain rows, and what follows from them.

It is a second reading of the same documents, by another hand than `fullcrew.state`. What the words
of the issue leave open is marked `is_unclear`, and no check judges it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from differential.amounts import Amounts, Port

__all__ = ["Cluster", "Gang", "Manifest", "Node", "Pod", "Queue"]

Manifest = Mapping[str, Any]

OWNED: Final = frozenset({"", "fullcrew", "kube-batch", "volcano", "default-scheduler"})


@dataclass(frozen=True)
class Node:
    """A node, with what it has and what keeps pods off."""

    name: str
    labels: Mapping[str, str]
    taints: tuple[tuple[str, str, str], ...]
    has: Amounts
    is_usable: bool


@dataclass(frozen=True)
class Pod:
    """A pod. `rule` names a rule that is not built, `fault` what is wrong with it; what a murky
    one takes of its node nobody can know."""

    name: str  # namespace/name
    told: Manifest
    namespace: str
    labels: Mapping[str, str]
    scheduler: str
    node: str
    phase: str
    asks: Amounts
    ports: frozenset[Port]
    is_leaving: bool
    is_gated: bool
    role: str
    gang: tuple[str, str]  # the marker that wins, and namespace/name
    rule: str = ""
    fault: str = ""
    is_unclear: bool = False
    is_murky: bool = False

    @property
    def is_finished(self) -> bool:
        """It takes no room any more."""
        return self.phase in {"Succeeded", "Failed"}

    @property
    def is_owned(self) -> bool:
        """Ours to place."""
        return self.scheduler in OWNED

    @property
    def takes_room(self) -> bool:
        """On its node, until it is gone."""
        return self.node != "" and not self.is_finished

    @property
    def is_pending(self) -> bool:
        """Ours, and waiting for a node."""
        return self.is_owned and not self.node and not self.is_finished and not self.is_leaving

    @property
    def anti_affinity(self) -> Sequence[Mapping[str, Any]]:
        """Its required rules against other pods."""
        affinity = (self.told.get("spec") or {}).get("affinity") or {}
        rules = affinity.get("podAntiAffinity") or {}
        return rules.get("requiredDuringSchedulingIgnoredDuringExecution") or ()

    @property
    def is_best_effort(self) -> bool:
        """It asks for nothing but to be one pod, and perhaps for a port."""
        return set(self.asks) == {"pods"}


@dataclass(frozen=True)
class Queue:
    """A queue. Without a limit on a resource it may use all of it."""

    name: str
    weight: int = 1
    is_open: bool = True
    capability: Amounts = field(default_factory=dict)


@dataclass(frozen=True)
class Gang:
    """A gang and its owned pods. `fault` keeps all of it waiting."""

    key: tuple[str, str]
    queue: str
    minimum: int
    roles: Mapping[str, int]
    priority: int
    created: int
    pods: tuple[Pod, ...]
    fault: str = ""
    has_group: bool = False
    is_finished: bool = False
    asks_beforehand: Amounts = field(default_factory=dict)
    is_unclear: bool = False
    is_order_unclear: bool = False

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.key[1]

    @property
    def waiting(self) -> tuple[Pod, ...]:
        """All its pods without a node."""
        return tuple(pod for pod in self.pods if pod.is_pending)

    @property
    def startable(self) -> tuple[Pod, ...]:
        """Those of them that may be placed now."""
        return tuple(pod for pod in self.waiting if not (pod.is_gated or pod.rule or pod.fault))

    @property
    def live(self) -> tuple[Pod, ...]:
        """Bound members that neither leave nor have ended."""
        return tuple(pod for pod in self.pods if pod.takes_room and not pod.is_leaving)

    @property
    def standing(self) -> tuple[Pod, ...]:
        """Members that count already: live ones, and succeeded ones once the gang has started."""
        succeeded = [pod for pod in self.pods if pod.phase == "Succeeded"]
        return (*self.live, *(succeeded if self.live else ()))

    @property
    def owed(self) -> dict[str, int]:
        """What each role lacks of its own minimum."""
        there = [pod.role for pod in self.standing]
        return {
            role: least - there.count(role)
            for role, least in self.roles.items()
            if least > there.count(role)
        }

    @property
    def lacks(self) -> int:
        """How many members it needs yet."""
        return max(0, self.minimum - len(self.standing), sum(self.owed.values()))

    @property
    def is_wounded(self) -> bool:
        """Some member lives, and not enough of them."""
        return bool(self.live) and self.lacks > 0

    @property
    def stands(self) -> bool:
        """It has its minimum: whatever starts now is growth."""
        return bool(self.live) and self.lacks == 0

    @property
    def has_enough_pods(self) -> bool:
        """Whether the pods that may be placed would make up what it lacks."""
        roles = [pod.role for pod in self.startable]
        return len(roles) >= self.lacks and all(
            roles.count(role) >= owed for role, owed in self.owed.items()
        )

    @property
    def order(self) -> tuple[int, int, str]:
        """Its place in its queue: priority, age, name."""
        return (-self.priority, self.created, self.title)


@dataclass(frozen=True)
class Cluster:
    """All that the checks look at."""

    nodes: Mapping[str, Node]
    pods: Mapping[str, Pod]
    queues: Mapping[str, Queue]
    gangs: Mapping[tuple[str, str], Gang]
    namespaces: Mapping[str, Mapping[str, str]]  # labels
    documents: Sequence[Manifest]

    @cached_property
    def keepers(self) -> list[Pod]:
        """Bound pods that keep others out of their domains."""
        return [
            pod
            for pod in self.pods.values()
            if pod.takes_room and pod.node in self.nodes and pod.anti_affinity
        ]

    @cached_property
    def ours(self) -> dict[str, Pod]:
        """The pods that are ours to place."""
        return {name: pod for name, pod in self.pods.items() if pod.is_owned}

    def gang_of(self, pod: str) -> Gang:
        """The gang of an owned pod."""
        return self.gangs[self.pods[pod].gang]
