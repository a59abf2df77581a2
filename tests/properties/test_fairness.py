"""Alike gangs in several queues end at the exact water-filled shares, to within one gang."""

from __future__ import annotations

import pytest
from differential.case import case
from differential.shares import Due, alike_gangs_end_at_their_shares, shares
from given import Manifest
from hypothesis import HealthCheck, given, settings
from properties import puzzles
from properties.planning import planned

QUIET = settings(suppress_health_check=list(HealthCheck))
Documents = list[Manifest]


def is_fair(documents: Documents) -> None:
    """Each queue's gangs against its share."""
    judged = case(documents, planned(documents))

    assert list(alike_gangs_end_at_their_shares(judged)) == []


def test_water_rises_by_weight_until_a_queue_has_all_it_asks_for() -> None:
    dues = {"heavy": Due(3, 0, 10), "light": Due(1, 0, 10), "modest": Due(1, 0, 1)}

    found = shares(9, dues)

    assert found == {"heavy": 6, "light": 2, "modest": 1}


def test_water_does_not_take_away_what_runs() -> None:
    found = shares(6, {"old": Due(1, 5, 8), "new": Due(1, 0, 8)})

    assert found == {"old": 5, "new": 1}


@pytest.mark.slow
@settings(QUIET, max_examples=150)
@given(puzzles.alike_gangs())
def test_alike_gangs_end_within_one_gang_of_their_shares(documents: Documents) -> None:
    is_fair(documents)


@pytest.mark.soak
@settings(QUIET, max_examples=10_000, derandomize=False)
@given(puzzles.alike_gangs())
def test_many_more_alike_gangs_end_within_one_gang_of_their_shares(documents: Documents) -> None:
    is_fair(documents)
