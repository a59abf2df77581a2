"""The planner and the brute force agree on whether a gang can start."""

from __future__ import annotations

import pytest
from differential import brute
from given import Manifest
from hypothesis import HealthCheck, assume, given, settings
from properties import puzzles
from properties.planning import planned

QUIET = settings(suppress_health_check=list(HealthCheck))
Documents = list[Manifest]


def agrees(documents: Documents) -> None:
    """The plan starts the gang if and only if there is a way."""
    can_start = brute.can_start(documents, puzzles.GANG)
    assume(can_start is not None)

    starts = [start["gang"] for start in planned(documents)["starts"]]

    assert starts == ([puzzles.GANG] if can_start else [])


@pytest.mark.slow
@settings(QUIET, max_examples=800)
@given(puzzles.puzzles(most_nodes=4, most_pods=10))
def test_brute_force_agrees_on_whether_a_gang_can_start(documents: Documents) -> None:
    agrees(documents)


@pytest.mark.slow
@settings(QUIET, max_examples=200)
@given(puzzles.puzzles())
def test_brute_force_agrees_on_bigger_gangs_too(documents: Documents) -> None:
    agrees(documents)


@pytest.mark.soak
@settings(QUIET, max_examples=20_000, derandomize=False)
@given(puzzles.puzzles())
def test_brute_force_agrees_on_many_more(documents: Documents) -> None:
    agrees(documents)
