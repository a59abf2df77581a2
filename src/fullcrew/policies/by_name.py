"""The built-in policies under the names that the command line and the configuration use."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fullcrew import errors
from fullcrew.core.ports import Policies, Scorer
from fullcrew.model.offered import Score
from fullcrew.policies.pack import Pack
from fullcrew.policies.predicates import Predicates
from fullcrew.policies.proportion import Proportion
from fullcrew.policies.spread import Spread

__all__ = ["built_in"]

_SCORES: Final[Mapping[str, Scorer]] = MappingProxyType(
    {Score.PACK: Pack(), Score.SPREAD: Spread()}
)


def built_in(*, score: str = Score.PACK) -> Policies:
    """The policies, with the score of this name. Raises `UnknownName` for one that is none."""
    if score not in _SCORES:
        raise errors.UnknownName("score", score, known=map(str, Score))
    return Policies(_SCORES[score], Predicates(), Proportion())
