"""Whether several kinds of pods fit together is found out, not guessed."""

from __future__ import annotations

from itertools import product

import pytest
from core.columns import Ask, Pods, gang, placed, planned, snapshot, waiting
from hypothesis import given, settings
from hypothesis import strategies as st

sizes = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=3)
kinds = st.lists(
    st.tuples(st.integers(1, 3), st.tuples(st.integers(1, 4), st.integers(0, 2))),
    min_size=2,
    max_size=3,
)


def fits_somehow(nodes: list[Ask], pods: list[Ask]) -> bool:
    """Every way to put every pod on a node."""
    for way in product(range(len(nodes)), repeat=len(pods)):
        left = [list(node) for node in nodes]
        for node, (cpu, gpu) in zip(way, pods, strict=True):
            left[node][0] -= cpu
            left[node][1] -= gpu
        if all(amount >= 0 for node in left for amount in node):
            return True
    return False


@settings(max_examples=150)
@given(nodes=sizes, roles=kinds)
def test_a_gang_of_several_asks_starts_exactly_if_there_is_a_way(
    nodes: list[Ask], roles: list[tuple[int, Ask]]
) -> None:
    cluster = {f"n{at}": (110, *size) for at, size in enumerate(nodes)}

    plan = planned(snapshot(cluster, gang("g", *(Pods(*role) for role in roles))))

    pods = [ask for count, ask in roles for _ in range(count)]
    assert bool(plan.starts) == fits_somehow(nodes, pods)


@settings(max_examples=100)
@given(nodes=sizes, roles=kinds, data=st.data())
def test_any_members_may_make_up_the_minimum_if_roles_have_theirs(
    nodes: list[Ask], roles: list[tuple[int, Ask]], data: st.DataObject
) -> None:
    owed = [data.draw(st.integers(0, count)) for count, _ in roles]
    minimum = data.draw(st.integers(max(1, sum(owed)), sum(count for count, _ in roles)))
    cluster = {f"n{at}": (110, *size) for at, size in enumerate(nodes)}
    group = gang("g", *(Pods(*r) for r in roles), minimum=minimum, role_minimums=owed)

    plan = planned(snapshot(cluster, group))

    choices = product(*(range(least, r[0] + 1) for least, r in zip(owed, roles, strict=True)))
    can_start = any(
        fits_somehow(nodes, [r[1] for r, n in zip(roles, some, strict=True) for _ in range(n)])
        for some in choices
        if sum(some) == minimum
    )
    assert bool(plan.starts) == can_start


def test_what_greed_misses_is_found() -> None:
    """6+2 and 4+4 on two nodes of 8: the hungriest first, packed, would put a 4 beside the 2."""
    cluster = {"a": (110, 8, 0), "b": (110, 8, 0)}
    group = gang("g", Pods(1, (6, 0)), Pods(2, (4, 0)), Pods(1, (2, 0)))

    plan = planned(snapshot(cluster, group))

    assert sum(placed(plan)["g"].values()) == 4


def test_the_members_wanted_first_are_taken_if_they_fit_in_some_way() -> None:
    cluster = {"a": (110, 8, 0), "b": (110, 8, 0)}
    group = gang(
        "g", [Pods(1, (6, 0)), Pods(2, (4, 0)), Pods(1, (2, 0)), Pods(4, (1, 0))], minimum=4
    )

    plan = planned(snapshot(cluster, group))

    [start] = plan.starts
    assert sorted(b.pod for b in start.bindings[:4]) == [f"g-00{at}" for at in range(4)]


def test_beyond_the_bound_the_reason_says_that_the_search_ended() -> None:
    """Forty nodes, and each kind of pod alone would fit."""
    cluster = {f"n{at:02}": (110, 10, 2) for at in range(40)}
    kinds = [Pods(40, (5 + at, at % 3)) for at in range(5)]

    plan = planned(snapshot(cluster, gang("g", *kinds)))

    assert waiting(plan) == {"g": "placement search-ended"}


@pytest.mark.parametrize("kinds", [24, 70])
def test_a_gang_of_many_kinds_that_fit_nowhere_waits_and_nothing_is_searched(kinds: int) -> None:
    roles = [Pods(1, (1 + at, 0)) for at in range(kinds)]

    plan = planned(snapshot({}, gang("g", *roles)))

    assert waiting(plan) == {"g": "placement nowhere"}


def test_many_roles_with_minimums_end_the_search_before_it_begins() -> None:
    """Every set of pairs would be asked whether the roles can be served from it."""
    cluster = {f"n{at:02}": (110, 40, 0) for at in range(9)}
    roles = [Pods(1, (21 + at, 0)) for at in range(17)]

    plan = planned(snapshot(cluster, gang("g", *roles, role_minimums=[1] * 17)))

    assert waiting(plan) == {"g": "placement search-ended"}


def test_others_make_up_a_minimum_of_more_kinds_than_are_searched_best_ranks_first() -> None:
    roles = [*(Pods(1, (90 + at, 0)) for at in range(30)), *(Pods(1, (1, at)) for at in range(30))]

    plan = planned(snapshot({"n": (110, 50, 500)}, gang("g", roles, minimum=30)))

    assert [each.pod for each in plan.starts[0].bindings[:30]] == [
        f"g-{30 + at:03}" for at in range(30)
    ]
