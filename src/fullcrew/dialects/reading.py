"""What kube-batch's and Volcano's group objects have in common when they are read."""

from __future__ import annotations

from collections.abc import Mapping

from fullcrew.dialects.facts import GroupFacts
from fullcrew.errors import BadQuantity
from fullcrew.objects import quantity
from fullcrew.objects.group import PodGroup
from fullcrew.objects.metadata import seconds
from fullcrew.objects.shape import Quantity

__all__ = ["amounts", "binding_roles", "facts"]


def facts(group: PodGroup, *, dialect: str) -> GroupFacts:
    """The fields that both projects have. A minimum of 0, or none, reads as 1."""
    told = group.spec.min_member
    return GroupFacts(
        dialect=dialect,
        minimum=max(1, told),
        queue=group.spec.queue,
        priority_class=group.spec.priority_class_name,
        created=seconds(group.metadata.creation_timestamp),
        is_leaving=group.metadata.is_leaving,
        fault=f"spec.minMember is {told}, less than nothing" if told < 0 else "",
    )


def binding_roles(minimums: Mapping[str, int], *, minimum: int) -> tuple[tuple[str, int], ...]:
    """Minimums of roles bind only where the group's own minimum is at least their sum."""
    if sum(minimums.values()) > minimum:
        return ()
    return tuple(sorted((role, least) for role, least in minimums.items() if least > 0))


def amounts(told: Mapping[str, Quantity]) -> tuple[dict[str, int], str]:
    """Amounts in whole units, and the first fault among them (by name) in words."""
    found: dict[str, int] = {}
    for resource in sorted(told):
        try:
            found[resource] = quantity.total(resource, told[resource])
        except BadQuantity as bad:
            return {}, f"{resource}: {bad.problem}"
    return found, ""
