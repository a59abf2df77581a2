"""docs/compat.md is made from the scenario files, and speaks of every number once."""

from __future__ import annotations

from collections import Counter

from accepted import Accepted
from scenarios import playing
from tidy import source

from docs import compat_page

PLAYED = list(playing.scenarios())
TOLD = compat_page.read(compat_page.TOLD)


def test_every_number_is_told_of_once() -> None:
    counted = Counter(row.number for row in compat_page.rows(PLAYED, TOLD))

    assert {number for number, times in counted.items() if times > 1} == set()
    assert set(compat_page.NUMBERS) - counted.keys() == set()


def test_what_passes_in_part_is_played() -> None:
    played = {number for scenario in PLAYED for number in scenario.numbers}

    assert {*TOLD["partly"], *TOLD["also"]} - played == set()


def test_what_is_played_elsewhere_is_there() -> None:
    places = [*(each["by"] for each in TOLD["elsewhere"]), *TOLD["also"].values()]

    assert [place for place in places if not is_there(place)] == []


def is_there(place: str) -> bool:
    path, _, name = place.partition("::")
    file = source.ROOT / path
    return file.is_file() and f"def {name}(" in file.read_text("utf-8") if name else file.is_file()


def test_the_page_of_compatible_scenarios_is_what_the_files_say(accepted: Accepted) -> None:
    page = compat_page.page(compat_page.rows(PLAYED, TOLD))

    accepted.compare(source.ROOT / "docs" / "compat.md", page)
