"""Policies by the names that users give them."""

from __future__ import annotations

import pytest

from fullcrew import errors, policies
from fullcrew.model.offered import Score


@pytest.mark.parametrize("score", list(Score))
def test_every_score_that_is_offered_is_there(score: Score) -> None:
    found = policies.built_in(score=score)

    assert type(found.scorer).__module__ == f"fullcrew.policies.{score}"


def test_a_score_that_nobody_knows_is_answered_with_those_there_are() -> None:
    with pytest.raises(errors.UnknownName, match="did you mean 'pack'"):
        policies.built_in(score="pak")
