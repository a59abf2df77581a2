"""On larger clusters with a known placement: how many gangs are found. It is printed at the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from differential import checks
from properties import puzzles
from properties.planning import planned

Report = Callable[[str], None]


def found(known: puzzles.Known) -> float:
    """The share of the gangs that one plan starts; all of them would fit."""
    plan = planned(known.documents)

    assert checks.violations(known.documents, plan) == []
    return len(plan["starts"]) / known.gangs


@pytest.mark.slow
@pytest.mark.parametrize(("fill", "floor"), [(0.8, 0.99), (0.9, 0.97), (1.0, 0.95)])
def test_most_gangs_of_a_known_placement_are_found(
    fill: float, floor: float, report: Report
) -> None:
    shares = [found(puzzles.known_placement(seed, fill=fill)) for seed in range(5)]

    mean = sum(shares) / len(shares)
    report(f"known placements, {fill:.0%} of each node cut up: {mean:.1%} of the gangs found")
    assert mean >= floor, shares
