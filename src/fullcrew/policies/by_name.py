"""The built-in policies under the names that the command line and the configuration use."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fullcrew import errors
from fullcrew.core.ports import Fairness, Policies, Scorer
from fullcrew.policies.pack import Pack
from fullcrew.policies.predicates import Predicates
from fullcrew.policies.proportion import Proportion
from fullcrew.policies.spread import Spread

__all__ = ["FAIRNESS", "SCORES", "built_in"]

# Which nodes suit an ask better.
SCORES: Final[Mapping[str, Scorer]] = MappingProxyType({"pack": Pack(), "spread": Spread()})

# Whose turn it is among queues.
FAIRNESS: Final[Mapping[str, Fairness]] = MappingProxyType({"proportion": Proportion()})


def built_in(*, score: str = "pack", fairness: str = "proportion") -> Policies:
    """The policies of these names. Raises `UnknownName` for others."""
    if score not in SCORES:
        raise errors.UnknownName("score", score, known=SCORES)
    if fairness not in FAIRNESS:
        raise errors.UnknownName("fairness", fairness, known=FAIRNESS)
    return Policies(SCORES[score], Predicates(), FAIRNESS[fairness])
