"""Which groups to read before their gangs start, one by one where few, else a namespace at once;
and what a plan took for granted of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from fullcrew import dialects
from fullcrew.launch.answers import Terms
from fullcrew.objects.group import PodGroup

__all__ = ["GroupKey", "Reads", "gathered", "terms_of"]

FEW = 8
"""A LIST costs the server about as much as this many GETs, as long as the rest is small."""


class GroupKey(NamedTuple):
    """A group object: its dialect's word for the kind, namespace and name."""

    dialect: str
    namespace: str
    name: str


class Reads(NamedTuple):
    """What to read: single groups, and all groups of a dialect in a namespace."""

    single: tuple[GroupKey, ...]
    whole: tuple[tuple[str, str], ...]  # dialect, namespace


def gathered(
    wanted: Iterable[GroupKey], *, pages: Mapping[tuple[str, str], int] = MappingProxyType({})
) -> Reads:
    """The cheapest requests that read these groups, in the order in which they were wanted.

    `pages`: how many a list of a dialect and namespace has, where that is known; else one.
    """
    keys = tuple(dict.fromkeys(wanted))
    counts = Counter((key.dialect, key.namespace) for key in keys)
    many = {place: None for place, n in counts.items() if n > FEW * pages.get(place, 1)}
    single = tuple(key for key in keys if (key.dialect, key.namespace) not in many)
    return Reads(single, tuple(many))


def terms_of(group: PodGroup) -> Terms | None:
    """What a plan may count on while the group says this; None for a group that no plan is made
    for, since something in it cannot be or cannot be kept.

    The queue is the group's own field, empty where its namespace or the default decides. Who makes
    a plan and who checks it later both ask here.
    """
    facts = dialects.facts(group)
    if facts.fault or facts.not_built:
        return None
    return Terms(facts.minimum, facts.roles, facts.queue, facts.is_leaving)
