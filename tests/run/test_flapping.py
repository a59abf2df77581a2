"""What changes to and fro is told ever more seldom."""

from __future__ import annotations

from fullcrew.run.flapping import LONGEST_SECONDS, REMEMBERED_SECONDS, Flapping


def paused(flapping: Flapping, told: str, now: float) -> float:
    """Says it; how long that had to wait."""
    seconds = flapping.pause("a", told, now)
    flapping.said("a", told, now)
    return seconds


def test_each_return_waits_twice_as_long_up_to_a_minute() -> None:
    flapping = Flapping()

    pauses = [paused(flapping, "short" if turn % 2 else "held", turn) for turn in range(12)]

    assert pauses == [0, 0, 0.5, 1, 2, 4, 8, 16, 32, LONGEST_SECONDS, *[LONGEST_SECONDS] * 2]


def test_what_is_new_or_stays_waits_for_nothing() -> None:
    flapping = Flapping()

    assert [paused(flapping, told, 1.0) for told in ("a", "b", "b", "c", "c")] == [0.0] * 5
    assert flapping.pause("another", "a", 1.0) == 0


def test_a_change_to_something_new_makes_the_next_return_a_first_one() -> None:
    flapping = Flapping()

    pauses = [paused(flapping, told, 1.0) for told in ("a", "b", "a", "b", "c", "a")]

    assert pauses == [0, 0, 0.5, 1, 0, 0.5]


def test_what_was_not_said_for_long_is_as_new() -> None:
    flapping = Flapping()
    for turn in range(9):
        paused(flapping, "ab"[turn % 2], 0.0)

    assert paused(flapping, "b", REMEMBERED_SECONDS) == 0
    assert paused(flapping, "a", REMEMBERED_SECONDS) == 0


def test_one_warning_of_a_kind_in_five_minutes() -> None:
    flapping = Flapping()

    told = [flapping.may_warn("a", kind, now) for now in (0, 299, 300) for kind in ("x", "y")]

    assert told == [True, True, False, False, True, True]
    assert flapping.may_warn("b", "x", 1)
