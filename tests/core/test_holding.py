"""A wounded gang keeps room for members that nobody has made again yet, as for those that wait."""

from __future__ import annotations

from dataclasses import replace

from core.columns import NOW, Ask, Pods, gang, placed, planned, snapshot, waiting

from fullcrew.model.gang import Gang, Missing, Queue

Given = tuple[Gang, list[Ask]]

SOON = NOW + 60
OTHER = gang("other", Pods(1, (1, 0)))


def missing(given: Given, pods: Pods, *, role: str = "role-0") -> Given:
    """The gang has lost these besides."""
    made, asks = given
    lost = Missing(role, len(asks), pods.where, pods.count)
    return replace(made, missing=(*made.missing, lost)), [*asks, pods.ask]


def test_room_is_kept_for_members_that_are_not_made_again_yet() -> None:
    hurt = missing(gang("hurt", [], live=2, minimum=3, hold_until=SOON), Pods(1, (1, 0)))

    plan = planned(snapshot({"n": (110, 1, 0)}, hurt, OTHER))

    assert placed(plan) == {}
    assert waiting(plan) == {"hurt": "admission too-few-pods", "other": "reserved held"}
    assert plan.waits[1].reason.in_the_way == ("hurt",)
    assert plan.valid_until == SOON


def test_who_comes_besides_the_room_that_is_kept_starts() -> None:
    hurt = missing(gang("hurt", [], live=2, minimum=3, hold_until=SOON), Pods(1, (1, 0)))

    assert placed(planned(snapshot({"n": (110, 2, 0)}, hurt, OTHER))) == {"other": {"n": 1}}


def test_without_a_deadline_or_past_it_nothing_is_kept() -> None:
    for until in (None, NOW):
        hurt = missing(gang("hurt", [], live=2, minimum=3, hold_until=until), Pods(1, (1, 0)))

        assert placed(planned(snapshot({"n": (110, 1, 0)}, hurt, OTHER))) == {"other": {"n": 1}}


def test_those_that_wait_do_not_start_before_the_others_are_made() -> None:
    hurt = gang("hurt", Pods(1, (1, 0)), live=1, minimum=3, hold_until=SOON)
    nodes = {"n": (110, 2, 0)}

    plan = planned(snapshot(nodes, missing(hurt, Pods(1, (1, 0))), OTHER))

    assert placed(plan) == {}
    assert waiting(plan) == {"hurt": "admission too-few-pods", "other": "reserved held"}


def test_of_those_that_do_not_all_fit_room_is_kept_for_some() -> None:
    hurt = gang("hurt", Pods(1, (2, 0)), live=1, minimum=4, hold_until=SOON)
    nodes = {"n": (110, 5, 0)}

    plan = planned(snapshot(nodes, missing(hurt, Pods(2, (2, 0))), OTHER))
    tight = planned(snapshot(nodes, missing(hurt, Pods(2, (2, 0))), gang("o", Pods(2, (1, 0)))))

    assert placed(plan) == {"other": {"n": 1}}
    assert waiting(tight)["o"] == "reserved held"


def test_room_is_kept_where_all_of_them_fit() -> None:
    hurt = gang("hurt", Pods(1, (1, 0)), live=1, minimum=3, hold_until=SOON)
    given = snapshot(
        {"a": (110, 3, 0), "b": (110, 2, 0)},
        missing(hurt, Pods(1, (3, 0))),
        gang("big", Pods(1, (3, 0))),
        gang("small", Pods(1, (1, 0))),
    )

    plan = planned(given, score="spread")

    assert placed(plan) == {"small": {"b": 1}}
    assert waiting(plan)["big"] == "reserved held"


def test_room_is_kept_for_the_role_that_is_owed() -> None:
    hurt = gang(
        "hurt", Pods(2, (1, 0)), [], live=2, minimum=3, role_minimums=(0, 1), hold_until=SOON
    )
    lost = missing(hurt, Pods(1, (0, 1)), role="role-1")
    given = snapshot({"n": (110, 1, 1)}, lost, OTHER, gang("gpu", Pods(1, (0, 1))))

    plan = planned(given)

    assert placed(plan) == {"other": {"n": 1}}
    assert waiting(plan)["gpu"] == "reserved held"


def test_what_is_kept_counts_in_its_queue() -> None:
    hurt = gang("hurt", [], live=1, minimum=2, queue="capped", hold_until=SOON)
    given = snapshot(
        {"n": (110, 9, 0)},
        missing(hurt, Pods(1, (2, 0))),
        gang("other", Pods(1, (2, 0)), queue="capped"),
        queues=[Queue("capped")],
        limits={"capped": (3, 9)},
    )

    assert waiting(planned(given))["other"] == "reserved held"
