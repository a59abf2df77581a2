"""One line of a selector, read and checked alike for labels of pods and of nodes."""

from __future__ import annotations

from typing import Final

from fullcrew.errors import BadManifest
from fullcrew.model.where import Operator, Requirement
from fullcrew.objects.affinity import SelectorRequirement

__all__ = ["named", "requirement", "unknown_operator"]

_WITH_VALUES: Final = (Operator.IN, Operator.NOT_IN)


def requirement(told: SelectorRequirement, *, where: str) -> Requirement:
    """`In`, `NotIn`, `Exists` or `DoesNotExist`; values sorted, since their order says nothing."""
    named(told, where=where)
    operator = Operator(told.operator)
    if (operator in _WITH_VALUES) != bool(told.values):
        raise BadManifest(
            f"{operator} with {'values' if told.values else 'no values'}",
            try_this="values for In and NotIn, none for Exists and DoesNotExist",
            where=f"{where}.values",
        )
    return Requirement(told.key, operator, tuple(sorted(set(told.values))))


def named(told: SelectorRequirement, *, where: str) -> None:
    """That a line names what it looks at: without that, `NotIn` would hold everywhere."""
    if not told.key:
        raise BadManifest(
            "a line of a selector without a key",
            try_this="key: the name of a label",
            where=f"{where}.key",
        )


def unknown_operator(name: str, *, known: tuple[str, ...], where: str) -> BadManifest:
    """The fault of an operator that this place does not have."""
    return BadManifest(
        f"there is no operator {name!r} here",
        try_this=f"one of: {', '.join(known)}",
        where=f"{where}.operator",
    )
