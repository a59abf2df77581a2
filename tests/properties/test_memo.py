"""What a cycle remembers of the one before changes nothing but its speed."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from given import Manifest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties import clusters
from properties.histories import History, contract, with_uids
from properties.planning import planned

QUIET = settings(suppress_health_check=list(HealthCheck))
Documents = list[Manifest]
lives = st.lists(clusters.clusters(), min_size=2, max_size=3)
seeds = st.integers(0, 1 << 16)


def outcome(plan: Mapping[str, Any]) -> object:
    """Who starts where, who waits and for what kind of reason.

    Not its figures: a state that lived on may tell pods apart by labels that a rule spoke of when
    it was there, and then says of two kinds of pods what a fresh one says of both together.
    """
    reasons = [(wait["reason"]["stage"], wait["reason"]["kind"]) for wait in plan["waits"]]
    waits = [(wait["gang"], wait["queue"], wait["minimum"], wait["pods"]) for wait in plan["waits"]]
    return plan["starts"], waits, reasons


def is_of_others(told: Manifest) -> bool:
    """Whether it is a pod of somebody else: it uses nodes and no queue."""
    return bool(told["kind"] == "Pod" and told["metadata"]["namespace"] == "others")


def remembers_rightly(several: list[Documents], chance: Random) -> None:
    """One state becomes one cluster after the other, planned on the way; to each more gangs come
    while all else stays as it was, since what failed is remembered then."""
    history = History()
    for life, documents in enumerate(several):
        goal = with_uids(documents, f"life{life}")
        half = goal[: len(goal) // 2]
        for step in (half, goal):
            history.become(step, chance=chance)
            moment, used, fresh = history.plans()
            assert used == fresh
            assert outcome(contract(used)) == outcome(planned(step))
        for gang in clusters.latecomers(chance, goal):
            for late in with_uids(gang, f"late{life}"):
                history.put(late)
            moment, used, fresh = history.plans()
            assert used == fresh
        for other in [told for told in history.told.values() if is_of_others(told)]:
            history.drop(other)
            moment, used, fresh = history.plans()
            assert used == fresh
        history.carry_out(moment, used, chance=chance)
        _, used, fresh = history.plans()
        assert used == fresh
        assert outcome(contract(used)) == outcome(planned(list(history.told.values())))


@pytest.mark.slow
@settings(QUIET, max_examples=70)
@given(lives, seeds)
def test_a_used_memo_and_a_fed_state_plan_as_fresh_ones_do(
    several: list[Documents], seed: int
) -> None:
    remembers_rightly(several, Random(seed))


@pytest.mark.soak
@settings(QUIET, max_examples=10_000, derandomize=False)
@given(lives, seeds)
def test_many_more_histories_plan_as_fresh_ones_do(several: list[Documents], seed: int) -> None:
    remembers_rightly(several, Random(seed))
