"""Nodes, hard limits of queues and room held for the wounded are never overdrawn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from core.columns import NOW, Pods, gang, placed, planned, snapshot, waiting

from fullcrew.model.amounts import MOST_AMOUNT, NO_LIMIT
from fullcrew.model.gang import Queue

CAPPED = Queue("capped")


def test_a_hard_limit_holds_back_what_nodes_could_hold() -> None:
    given = snapshot(
        {"n": (110, 9, 9)},
        gang("fits", Pods(2, (1, 1)), queue="capped"),
        gang("over", Pods(2, (1, 1)), queue="capped", created=5),
        queues=[CAPPED],
        limits={"capped": (100, 3)},
    )

    plan = planned(given)

    assert placed(plan) == {"fits": {"n": 2}}
    [wait] = plan.waits
    assert dict(wait.reason.numbers) == {"asked": 2, "limit": 3, "minimum": 2, "pods": 2, "used": 2}
    assert waiting(plan) == {"over": "quota limit"}


def test_growth_stops_at_the_hard_limit() -> None:
    given = snapshot(
        {"n": (110, 9, 9)},
        gang("g", Pods(5, (1, 1)), minimum=1, queue="capped"),
        queues=[CAPPED],
        limits={"capped": (100, 3)},
    )

    plan = planned(given)

    assert placed(plan) == {"g": {"n": 3}}
    assert waiting(plan) == {"g": "quota limit"}


def test_others_of_a_gang_stand_in_where_the_limit_forbids_the_first() -> None:
    given = snapshot(
        {"n": (110, 20, 9)},
        gang("g", [Pods(1, (8, 0)), Pods(2, (1, 0))], minimum=2, queue="capped"),
        queues=[CAPPED],
        limits={"capped": (3, 100)},
    )

    [start] = planned(given).starts

    assert [binding.pod for binding in start.bindings] == ["g-001", "g-002"]


def test_a_wounded_gang_keeps_what_fits_of_it_until_its_deadline() -> None:
    hurt = gang("hurt", Pods(3, (1, 0)), live=1, hold_until=NOW + 60)
    given = snapshot({"n": (110, 2, 0)}, hurt, gang("other", Pods(1, (1, 0))))

    plan = planned(given)

    assert placed(plan) == {}
    assert waiting(plan) == {"hurt": "placement short", "other": "reserved held"}
    assert plan.waits[1].reason.in_the_way == ("hurt",)
    assert plan.valid_until == NOW + 60


def test_past_its_deadline_the_room_is_given_back() -> None:
    hurt = gang("hurt", Pods(3, (1, 0)), live=1, hold_until=NOW)
    given = snapshot({"n": (110, 2, 0)}, hurt, gang("other", Pods(1, (1, 0))))

    plan = planned(given)

    assert placed(plan) == {"other": {"n": 1}}
    assert plan.valid_until is None


def test_packing_fills_the_fullest_node_and_spreading_the_emptiest() -> None:
    given = snapshot(
        {"big": (110, 8, 0), "mid": (110, 6, 0), "tiny": (110, 4, 0)}, gang("g", Pods(6, (1, 0)))
    )

    assert placed(planned(given)) == {"g": {"tiny": 4, "mid": 2}}
    assert placed(planned(given, score="spread")) == {"g": {"big": 3, "mid": 2, "tiny": 1}}


def test_a_group_whose_pods_are_not_made_yet_waits_for_the_limit_that_forbids_them() -> None:
    made, asks = gang("g", Pods(0, (1, 1)), minimum=4, queue="capped")
    told = replace(made, roles=(), min_resources=(("gpu", 4),))
    given = snapshot({"n": (110, 9, 9)}, (told, asks), queues=[CAPPED], limits={"capped": (9, 3)})

    [wait] = planned(given).waits

    assert (wait.reason.stage, wait.reason.kind) == ("quota", "limit")


def test_pods_without_devices_leave_the_cpu_beside_free_devices_to_those_who_need_it() -> None:
    given = snapshot({"gpus": (110, 4, 2), "plain": (110, 8, 0)}, gang("g", Pods(9, (1, 0))))

    assert placed(planned(given)) == {"g": {"plain": 8, "gpus": 1}}


@pytest.mark.parametrize("roles", [1, 2])
def test_a_sum_of_demand_beyond_every_column_is_no_matter_of_a_limit_on_another_resource(
    roles: int,
) -> None:
    """Together they ask for more than 2^62, which is also what an absent limit is written as."""
    queues = [Queue("other"), CAPPED]
    huge = [Pods(5000 // roles, (1 + at, MOST_AMOUNT)) for at in range(roles)]
    given = snapshot(
        {"n": (110, 9, 9)},
        gang("small", Pods(1, (1, 1)), queue="capped"),
        gang("huge", *huge, queue="capped", created=5),
        gang("b", Pods(1, (1, 1)), queue="other"),
        queues=queues,
        limits={"capped": (1 << 40, NO_LIMIT)},
    )

    plan = planned(given)

    assert set(placed(plan)) == {"small", "b"}
    assert waiting(plan) == {"huge": "placement nowhere"}


def test_who_waits_for_a_limit_that_held_room_fills_is_told_for_whom_it_is_held() -> None:
    given = snapshot(
        {"n": (110, 3, 0)},
        gang("hurt", Pods(3, (2, 0)), live=1, hold_until=NOW + 60, queue="capped"),
        gang("other", Pods(1, (2, 0)), queue="capped"),
        queues=[CAPPED],
        limits={"capped": (3, 9)},
    )

    plan = planned(given)

    assert waiting(plan) == {"hurt": "quota limit", "other": "reserved held"}
    [_, other] = plan.waits
    assert other.reason.in_the_way == ("hurt",)
