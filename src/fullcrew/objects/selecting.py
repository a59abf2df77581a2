"""Which pods a rule between pods selects: label selectors, and the terms that use them.

What Kubernetes leaves to two empty spellings is kept apart here: a selector that is absent selects
nothing, an empty one everything; a term without namespaces means its own pod's, an empty namespace
selector means all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fullcrew.errors import BadManifest
from fullcrew.model.where import Operator, Requirement
from fullcrew.objects.affinity import LabelSelector, PodAffinityTerm, SelectorRequirement
from fullcrew.objects.pod import Pod
from fullcrew.objects.requirements import requirement, unknown_operator

__all__ = [
    "EVERYTHING",
    "NOTHING",
    "PodTerm",
    "Selector",
    "required_anti_affinity",
    "selector",
]

_FOR_LABELS: Final = (Operator.IN, Operator.NOT_IN, Operator.EXISTS, Operator.DOES_NOT_EXIST)


@dataclass(frozen=True, slots=True)
class Selector:
    """A label selector, ready to be asked; alike ones are equal, whatever order they came in."""

    requirements: tuple[Requirement, ...] = ()
    selects_nothing: bool = False

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether something with these labels is selected."""
        return not self.selects_nothing and all(_holds(each, labels) for each in self.requirements)

    @property
    def keys(self) -> tuple[str, ...]:
        """The labels that it looks at; others make no difference to it."""
        return tuple(sorted({each.key for each in self.requirements}))


NOTHING: Final = Selector(selects_nothing=True)  # what an absent selector means
EVERYTHING: Final = Selector()  # what an empty one means


@dataclass(frozen=True, slots=True)
class PodTerm:
    """One rule about other pods: which ones, in which namespaces, over which kind of domain."""

    topology_key: str
    pods: Selector
    namespaces: tuple[str, ...] = ()
    namespace_selector: Selector = NOTHING

    def selects(
        self, *, namespace: str, namespace_labels: Mapping[str, str], labels: Mapping[str, str]
    ) -> bool:
        """Whether the rule speaks of a pod with these labels in this namespace."""
        is_there = namespace in self.namespaces or self.namespace_selector.matches(namespace_labels)
        return is_there and self.pods.matches(labels)


def selector(told: LabelSelector | None, *, where: str) -> Selector:
    """The selector as a value. Raises `BadManifest` with the place of what is no selector."""
    if told is None:
        return NOTHING
    exact = (
        Requirement(key, Operator.IN, (value,)) for key, value in sorted(told.match_labels.items())
    )
    rules = (
        _requirement(each, where=f"{where}.matchExpressions[{at}]")
        for at, each in enumerate(told.match_expressions)
    )
    return _sorted(*exact, *rules)


def required_anti_affinity(pod: Pod) -> tuple[PodTerm, ...]:
    """Whom this pod must not share a domain with. Raises `BadManifest` with the place."""
    affinity = pod.spec.affinity
    if affinity is None or affinity.pod_anti_affinity is None:
        return ()
    told = affinity.pod_anti_affinity.required_during_scheduling_ignored_during_execution
    place = "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    return tuple(_term(each, pod, where=f"{place}[{at}]") for at, each in enumerate(told))


def _term(told: PodAffinityTerm, pod: Pod, *, where: str) -> PodTerm:
    if not told.topology_key:
        raise BadManifest(
            "a rule between pods names no topology key",
            try_this="topologyKey: kubernetes.io/hostname",
            where=f"{where}.topologyKey",
        )
    at_home = not told.namespaces and told.namespace_selector is None
    return PodTerm(
        topology_key=told.topology_key,
        pods=_with_own_labels(told, pod, where=where),
        namespaces=(pod.namespace,) if at_home else tuple(sorted(set(told.namespaces))),
        namespace_selector=selector(told.namespace_selector, where=f"{where}.namespaceSelector"),
    )


def _with_own_labels(told: PodAffinityTerm, pod: Pod, *, where: str) -> Selector:
    """The selector with `matchLabelKeys` in it, as the API server writes it on creation.

    What it wrote is not written again: the pod's labels may have changed since.
    """
    found = selector(told.label_selector, where=f"{where}.labelSelector")
    if found.selects_nothing or not (told.match_label_keys or told.mismatch_label_keys):
        return found
    labels = pod.metadata.labels
    ways = ((Operator.IN, told.match_label_keys), (Operator.NOT_IN, told.mismatch_label_keys))
    there = {(each.key, each.operator) for each in found.requirements}
    more = (
        Requirement(key, operator, (labels[key],))
        for operator, keys in ways
        for key in keys
        if key in labels and (key, operator) not in there
    )
    return _sorted(*found.requirements, *more)


def _sorted(*requirements: Requirement) -> Selector:
    """A selector whose lines stand in one order, however it came by them."""
    return Selector(
        tuple(sorted(requirements, key=lambda rule: (rule.key, rule.operator, rule.values)))
    )


def _requirement(told: SelectorRequirement, *, where: str) -> Requirement:
    if told.operator not in _FOR_LABELS:
        raise unknown_operator(told.operator, known=_FOR_LABELS, where=where)
    return requirement(told, where=where)


def _holds(rule: Requirement, labels: Mapping[str, str]) -> bool:
    match rule.operator:
        case Operator.IN:
            return rule.key in labels and labels[rule.key] in rule.values
        case Operator.NOT_IN:
            return rule.key not in labels or labels[rule.key] not in rule.values
        case Operator.EXISTS:
            return rule.key in labels
    return rule.key not in labels
