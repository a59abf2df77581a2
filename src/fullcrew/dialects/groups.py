"""Which dialect reads a group object and has the words for it, by the object's kind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fullcrew.dialects import kube_batch, volcano
from fullcrew.dialects.facts import GroupFacts
from fullcrew.dialects.words import Words
from fullcrew.objects.group import IncubatorPodGroup, PodGroup, SigsPodGroup, VolcanoPodGroup
from fullcrew.objects.metadata import Kind

__all__ = ["WORDS", "facts"]

_READERS: Final = MappingProxyType(
    {
        IncubatorPodGroup.KIND: kube_batch.facts,
        SigsPodGroup.KIND: kube_batch.facts,
        VolcanoPodGroup.KIND: volcano.facts,
    }
)

# What to write on the group objects of each kind.
WORDS: Final[Mapping[Kind, Words]] = MappingProxyType(
    {
        IncubatorPodGroup.KIND: kube_batch.WORDS,
        SigsPodGroup.KIND: kube_batch.WORDS,
        VolcanoPodGroup.KIND: volcano.WORDS,
    }
)


def facts(group: PodGroup) -> GroupFacts:
    """What a group object says, whichever project's it is."""
    return _READERS[group.KIND](group)
