"""Deadlines of wounded gangs."""

from __future__ import annotations

from dataclasses import replace

from fullcrew.model.gang import Gang, Member, Part, Role
from fullcrew.model.reason import Kind, Reason, Stage
from fullcrew.run.wounds import Wounds


def gang(name: str, *, live: int, minimum: int = 3) -> Gang:
    waiting = (Member(f"{name}-w", "u", 0),) if live < minimum else ()
    parts = (Part(0, 0, waiting),) if waiting else ()
    role = Role("", 0, live, parts)
    return Gang(name, "volcano", "q", minimum, 0, 0, (role,), live=live, counted=live)


def deadlines(
    wounds: Wounds, *gangs: Gang, now: float, settling: str = ""
) -> dict[str, int | None]:
    """By gang. `settling` are names of gangs whose members are on their way."""
    told = wounds.applied_to(gangs, now=now, is_settling=lambda name: name in settling)
    return {each.name: each.hold_until for each in told}


def overdue(wounds: Wounds, now: float, *, spared: str = "") -> list[str]:
    """Those that are to be let go, but for the spared."""
    return wounds.take_overdue(now, is_spared=lambda name: name in spared)


def next_deadline(wounds: Wounds, *, spared: str = "") -> float | None:
    """Of all but the spared."""
    return wounds.next_deadline(is_spared=lambda name: name in spared)


def test_a_deadline_is_set_when_the_wound_is_first_seen() -> None:
    wounds = Wounds(300)

    first = deadlines(wounds, gang("a", live=2), gang("b", live=3), gang("c", live=0), now=1000)
    later = deadlines(wounds, gang("a", live=1), now=1100)

    assert first == {"a": 1300, "b": None, "c": None}
    assert later == {"a": 1300}


def test_a_gang_that_stood_whole_in_between_has_a_new_one() -> None:
    wounds = Wounds(300)
    deadlines(wounds, gang("a", live=2), now=1000)

    deadlines(wounds, gang("a", live=3), now=1100)

    assert deadlines(wounds, gang("a", live=2), now=1200) == {"a": 1500}


def test_a_gang_that_waits_for_more_than_room_has_no_deadline_until_it_does_not() -> None:
    wounds = Wounds(300)
    rival = Reason(Stage.BINDING, Kind.RIVAL, "another serves it")
    held = replace(gang("a", live=2), fault=rival)

    assert deadlines(wounds, held, now=1000) == {"a": None}
    assert (len(wounds), overdue(wounds, 2000), next_deadline(wounds)) == (1, [], None)
    assert deadlines(wounds, gang("a", live=2), now=2000) == {"a": 2300}


def test_a_gang_is_overdue_once_and_again_when_it_had_as_much_time_once_more() -> None:
    wounds = Wounds(300)
    deadlines(wounds, gang("a", live=2), gang("b", live=2), now=1000)

    assert overdue(wounds, 1299) == []
    assert next_deadline(wounds) == 1300
    assert overdue(wounds, 1300) == ["a", "b"]
    assert overdue(wounds, 1400) == []
    assert next_deadline(wounds) == 1600
    assert overdue(wounds, 1600) == ["a", "b"]


def test_a_wound_that_healed_is_not_overdue() -> None:
    wounds = Wounds(300)
    deadlines(wounds, gang("a", live=2), now=1000)

    deadlines(wounds, gang("a", live=3), now=1100)

    assert overdue(wounds, 2000) == []
    assert len(wounds) == 0


def test_a_gang_that_only_looks_whole_keeps_its_deadline() -> None:
    wounds = Wounds(300)
    deadlines(wounds, gang("a", live=2), now=1000)

    deadlines(wounds, gang("a", live=3), now=1100, settling="a")

    assert len(wounds) == 1
    assert overdue(wounds, 1300, spared="a") == []
    assert next_deadline(wounds, spared="a") is None
    assert overdue(wounds, 1300) == ["a"]


def test_a_gang_that_stood_between_two_looks_has_a_new_deadline() -> None:
    wounds = Wounds(300)
    deadlines(wounds, gang("a", live=2), now=1000)

    wounds.stood("a")

    assert deadlines(wounds, gang("a", live=2), now=1200) == {"a": 1500}
