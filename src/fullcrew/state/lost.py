"""What the lost members of a gang asked for, until somebody makes them again.

A kubelet refuses a pod, a node goes: the gang is wounded at once, and its controller makes the pod
again a moment later. In between nobody else may take the room, so what the pod was is remembered,
read from its object at the moment of the loss. Values, since numbers are given anew. Counts by
form only: they need not be exact, for no more is told as missing than the gang lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fullcrew.model.gang import Gang
from fullcrew.model.where import Where
from fullcrew.state.asks import Amounts

__all__ = ["Form", "made_again", "missing"]


class Form(NamedTuple):
    """What members have in common that are alike to a plan."""

    role: str
    amounts: Amounts
    where: Where


def made_again(lost: dict[Form, int], role: str, form: Form | None) -> None:
    """A new member stands for a lost one: an alike one, else any of its role."""
    if form not in lost:
        form = next((each for each in lost if each.role == role), None)
    if form is None:
        return
    lost[form] -= 1
    if not lost[form]:
        del lost[form]


def missing(
    lost: Mapping[Form, int], gang: Gang, waiting: Mapping[str, int]
) -> Iterator[tuple[Form, int]]:
    """Lost members that the gang lacks besides those that wait, which are counted by role. What
    its roles are owed comes first, then those that were lost first."""
    owed = {
        role.name: max(0, role.minimum - role.standing - waiting.get(role.name, 0))
        for role in gang.roles
    }
    left = max(gang.lacks - sum(waiting.values()), sum(owed.values()))
    for form, count in lost.items():
        first = min(count, owed.get(form.role, 0))
        owed[form.role] = owed.get(form.role, 0) - first
        spare = left - first - sum(owed.values())
        told = first + min(count - first, max(0, spare))
        left -= told
        if told:
            yield form, told
