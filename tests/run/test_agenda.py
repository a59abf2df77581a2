"""The agenda: each name once, at the earliest time that somebody wanted."""

from __future__ import annotations

from fullcrew.run.agenda import Agenda


def test_what_is_due_comes_by_time() -> None:
    agenda = Agenda()
    agenda.put("late", 3.0)
    agenda.put("soon", 1.0)
    agenda.put("then", 2.0)

    assert agenda.take(2.0, most=10) == ["soon", "then"]
    assert agenda.next == 3.0


def test_an_earlier_wish_stands() -> None:
    agenda = Agenda()
    agenda.put("a", 1.0)
    agenda.put("a", 5.0)

    assert agenda.take(1.0, most=10) == ["a"]
    assert agenda.next is None


def test_a_later_wish_gives_way_to_an_earlier_one_and_comes_once() -> None:
    agenda = Agenda()
    agenda.put("a", 5.0)
    agenda.put("a", 1.0)

    assert agenda.take(9.0, most=10) == ["a"]
    assert agenda.take(9.0, most=10) == []


def test_no_more_are_taken_than_can_be_dealt_with() -> None:
    agenda = Agenda()
    for name in "abc":
        agenda.put(name, 1.0)

    assert agenda.take(1.0, most=2) == ["a", "b"]
    assert len(agenda) == 1


def test_what_was_dropped_does_not_come() -> None:
    agenda = Agenda()
    agenda.put("a", 1.0)

    agenda.drop("a")

    assert agenda.next is None
    assert agenda.take(9.0, most=10) == []
