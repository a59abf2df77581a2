"""What failed for good rests before it is planned again, each time longer."""

from __future__ import annotations

from fullcrew.launch import Rest, Resting
from fullcrew.model.gang import Gang, Member, Part, Role
from fullcrew.model.reason import Kind, Reason, Stage

WHY = Reason(Stage.BINDING, Kind.REFUSED, "no")
WHOLE = Rest((), WHY, keeps_room=False)


def one(*uids: str, keeps_room: bool = False) -> Rest:
    return Rest(tuple((f"ns/{uid}", uid) for uid in uids), WHY, keeps_room)


def gang(*uids: str, live: int = 0) -> Gang:
    members = tuple(Member(f"ns/{uid}", uid, rank) for rank, uid in enumerate(uids))
    role = Role("", 0, live, (Part(0, 0, members),))
    return Gang("ns/g", "volcano", "q", 1, 0, 0, (role,), live=live)


def test_each_failure_in_a_row_rests_longer_up_to_a_minute() -> None:
    resting = Resting()

    ends = [resting.add("ns/g", WHOLE, now=100.0 * n) - 100.0 * n for n in range(9)]

    assert ends == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]


def test_what_one_launch_lays_to_rest_in_parts_has_failed_once() -> None:
    resting = Resting()

    first = resting.add("ns/g", one("a"), now=5.0)

    assert resting.add("ns/g", one("b"), now=5.0) == first


def test_a_gang_that_stood_fails_for_the_first_time_again() -> None:
    resting = Resting()
    resting.add("ns/g", WHOLE, now=0.0)

    resting.stands("ns/g")

    assert resting.add("ns/g", WHOLE, now=10.0) == 10.5


def test_what_rested_enough_is_told_once() -> None:
    resting = Resting()
    resting.add("ns/g", WHOLE, now=0.0)

    assert resting.next_end == 0.5
    assert resting.over(0.4) == []
    assert resting.over(0.5) == [WHOLE]
    assert resting.over(9.0) == []
    assert resting.next_end is None


def test_a_fresh_gang_rests_whole_with_the_reason() -> None:
    resting = Resting()
    resting.add("ns/g", WHOLE, now=0.0)

    [held] = resting.applied_to([gang("a")])

    assert held.fault == WHY
    assert resting.reason("ns/g") == WHY


def test_members_that_rest_are_held_and_the_others_planned() -> None:
    resting = Resting()
    resting.add("ns/g", one("a"), now=0.0)

    [left] = resting.applied_to([gang("a", "b", live=1)])

    assert [held.pods for held in left.held] == [("ns/a",)]
    assert [m.pod for role in left.roles for part in role.parts for m in part.members] == ["ns/b"]


def test_what_keeps_its_room_is_not_planned_again_while_it_rests() -> None:
    resting = Resting()
    resting.add("ns/g", one("a", keeps_room=True), now=0.0)

    assert resting.applied_to([gang("b", live=1)]) == (gang("b", live=1),)


def test_what_is_let_go_rests_on_without_its_room() -> None:
    resting = Resting()
    resting.add("ns/g", one("a", keeps_room=True), now=0.0)

    kept = resting.keeps_room("ns/g")
    let_go = resting.let_go("ns/g")

    assert (kept, let_go, resting.keeps_room("ns/g")) == (True, (("ns/a", "a"),), False)
    assert [held.pods for held in resting.applied_to([gang("a", "b")])[0].held] == [("ns/a",)]
    assert resting.over(0.5) == [one("a")]


def test_a_gang_does_not_stand_while_a_member_of_it_rests_with_its_room() -> None:
    resting = Resting()
    resting.add("ns/g", one("a", keeps_room=True), now=0.0)

    resting.stands("ns/g")

    assert resting.add("ns/g", one("a", keeps_room=True), now=10.0) == 11.0
