"""The structs of every rule that selects nodes or pods; `selecting` says what they mean."""

from __future__ import annotations

from fullcrew.objects.shape import NO_STRINGS, Int32, Shape, Strings

__all__ = [
    "Affinity",
    "LabelSelector",
    "NodeAffinity",
    "NodeSelector",
    "NodeSelectorTerm",
    "PodAffinity",
    "PodAffinityTerm",
    "PreferredSchedulingTerm",
    "SelectorRequirement",
    "TopologySpreadConstraint",
    "WeightedPodAffinityTerm",
]


class SelectorRequirement(Shape, frozen=True):
    """The operator stays text here: one that nobody knows is told with its place by `selecting`."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class LabelSelector(Shape, frozen=True):
    """One that is absent selects nothing, an empty one everything: never fold None into this."""

    match_labels: Strings = NO_STRINGS
    match_expressions: tuple[SelectorRequirement, ...] = ()


class NodeSelectorTerm(Shape, frozen=True):
    """All of it must hold; an empty term matches no node."""

    match_expressions: tuple[SelectorRequirement, ...] = ()
    match_fields: tuple[SelectorRequirement, ...] = ()


class NodeSelector(Shape, frozen=True):
    """One of the terms must hold."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()


class PreferredSchedulingTerm(Shape, frozen=True):
    """A wish, with its weight among others."""

    weight: Int32 = 0
    preference: NodeSelectorTerm = NodeSelectorTerm()


class NodeAffinity(Shape, frozen=True):
    """Rules and wishes about nodes."""

    required_during_scheduling_ignored_during_execution: NodeSelector | None = None
    preferred_during_scheduling_ignored_during_execution: tuple[PreferredSchedulingTerm, ...] = ()


class PodAffinityTerm(Shape, frozen=True):
    """Which pods, of which namespaces, over which kind of domain."""

    topology_key: str = ""
    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


class WeightedPodAffinityTerm(Shape, frozen=True):
    """A wish about other pods."""

    weight: Int32 = 0
    pod_affinity_term: PodAffinityTerm = PodAffinityTerm()


class PodAffinity(Shape, frozen=True):
    """Near other pods, or (as `podAntiAffinity`) away from them."""

    required_during_scheduling_ignored_during_execution: tuple[PodAffinityTerm, ...] = ()
    preferred_during_scheduling_ignored_during_execution: tuple[WeightedPodAffinityTerm, ...] = ()


class Affinity(Shape, frozen=True):
    """A pod's rules and wishes about where it runs."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class TopologySpreadConstraint(Shape, frozen=True):
    """How unevenly pods may lie over domains."""

    max_skew: Int32 = 1
    topology_key: str = ""
    when_unsatisfiable: str = "DoNotSchedule"
    label_selector: LabelSelector | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: str = "Honor"
    node_taints_policy: str = "Ignore"
    match_label_keys: tuple[str, ...] = ()
