"""How many requests are under way follows what the server's answers tell."""

from __future__ import annotations

import pytest

from fullcrew.kube import Pace
from fullcrew.kube.pacing import Restraint


def answered(pace: Pace, count: int, *, seconds: float) -> None:
    """So many good answers, one a millisecond, each after the same time."""
    for number in range(count):
        now = number / 1000
        pace.answered(sent_at=now - seconds, now=now, is_full=True)


def test_a_push_back_halves_the_limit_once_for_all_that_were_under_way() -> None:
    pace = Pace(start=64)

    for _ in range(64):
        pace.refused(sent_at=1.0, now=1.1)

    assert pace.limit == 32
    assert pace.pushed_back == 64


def test_a_push_back_of_what_was_sent_later_halves_it_again_down_to_the_floor() -> None:
    pace = Pace(start=64, floor=4)

    for second in range(10):
        pace.refused(sent_at=second + 0.5, now=second + 0.6)

    assert pace.limit == 4


def test_faults_in_quick_succession_halve_it_once() -> None:
    pace = Pace(start=64, floor=4)

    for number in range(1000):
        pace.failed(sent_at=number / 1000, now=number / 1000 + 0.0005)

    assert pace.limit == 32


def test_the_servers_pause_holds_for_all_and_the_longest_counts() -> None:
    pace = Pace()

    pace.refused(sent_at=0, now=1, after_seconds=5)
    pace.refused(sent_at=0, now=2, after_seconds=1)

    assert pace.paused_until == 6


def test_no_pause_is_longer_than_a_minute() -> None:
    pace = Pace()

    pace.refused(sent_at=0, now=0, after_seconds=99_999)

    assert pace.paused_until == 60


def test_on_a_distant_server_the_limit_grows_until_the_line_is_full() -> None:
    pace = Pace(start=32, ceiling=400)

    answered(pace, 100_000, seconds=0.2)

    assert pace.limit == 400


def test_where_answers_get_slower_as_more_are_asked_the_limit_settles() -> None:
    pace = Pace(start=300)

    for number in range(50_000):  # it carries out one request a millisecond
        now = number / 1000
        took = max(0.002, pace.limit / 1000) if number else 0.002
        pace.answered(sent_at=now - took, now=now, is_full=True)

    assert 32 <= pace.limit <= 68


def test_a_limit_that_is_not_felt_does_not_grow() -> None:
    pace = Pace(start=32)

    for now in range(1000):
        pace.answered(sent_at=now, now=now + 0.1, is_full=False)

    assert pace.limit == 32


@pytest.mark.parametrize("waiting", [0.5, 0.98])
def test_what_waits_at_the_server_decides(waiting: float) -> None:
    pace = Pace(start=100)
    pace.answered(sent_at=-(1 - waiting), now=0, is_full=True)

    answered(pace, 2000, seconds=1.0)

    assert (pace.limit < 100) == (waiting > 0.64)


def test_a_lane_that_was_never_refused_is_held_back_by_nothing() -> None:
    restraint = Restraint()

    restraint.answered(enough=400)

    assert restraint.allows(10_000, now=0.0)


def test_a_lane_that_is_refused_pauses_and_then_tries_with_half() -> None:
    restraint = Restraint()

    for _ in range(8):
        restraint.refused(8, sent_at=0.0, now=1.0, after_seconds=3.0)

    assert not restraint.allows(0, now=3.9)
    assert restraint.allows(3, now=4.0)
    assert not restraint.allows(4, now=4.0)


def test_without_a_word_of_the_server_each_pause_is_longer_than_the_last() -> None:
    restraint, pauses, now = Restraint(), [], 0.0

    for _ in range(10):
        restraint.refused(1, sent_at=now, now=now + 0.1)
        pauses.append(restraint.paused_until - (now + 0.1))
        now = restraint.paused_until

    assert pauses[:3] == pytest.approx([0.1, 0.2, 0.4])
    assert pauses[-1] == pytest.approx(10.0)


def test_good_answers_let_a_lane_off_its_restraint() -> None:
    restraint = Restraint()
    restraint.refused(2, sent_at=0.0, now=1.0)

    for _ in range(100_000):
        restraint.answered(enough=400)

    assert restraint.allows(10_000, now=5.0)
