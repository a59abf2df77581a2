"""The scenarios of the originals, told as data; each step keeps every promise besides."""

from __future__ import annotations

import pytest
from scenarios import playing

ALL = list(playing.scenarios())


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.title)
def test_a_scenario_plays_as_it_is_told(scenario: playing.Scenario) -> None:
    playing.play(scenario)


def test_no_two_scenarios_have_one_title() -> None:
    titles = [scenario.title for scenario in ALL]

    assert sorted(titles) == sorted(set(titles))
