"""The promises of a launch, whatever the server does and in whatever order its answers come."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from launch.world import TERMS, TIMEOUT, Blow, World, launch, start

from fullcrew.launch import Answer, Forget, Outcome, Phase, TermsSeen, answer_of

pytestmark = pytest.mark.slow

BLOWS = st.builds(
    Blow,
    acts=st.booleans(),
    code=st.sampled_from([201, 201, 0, 0, 400, 403, 409, 422, 429, 500, 503]),
    act_seconds=st.sampled_from([0.0, 0.0, 0.5, TIMEOUT]),
    cut_seconds=st.sampled_from([0.01, TIMEOUT]),
    pod=st.sampled_from(["", "", "", "gone", "leaving", "gated", "elsewhere"]),
).filter(lambda blow: blow.code not in {409, 400, 403, 422, 429} or not blow.acts)
GROUPS = st.sampled_from(
    [
        TermsSeen(TERMS),
        TermsSeen(None, answer_of(500)),
        TermsSeen(None, answer_of(429)),
        TermsSeen(None, answer_of(403)),
        TermsSeen(None, Answer(Outcome.GONE)),
        TermsSeen(TERMS._replace(minimum=3)),
    ]
)
WORLDS = st.fixed_dictionaries(
    {
        "pods": st.integers(1, 5),
        "spare": st.integers(0, 2),
        "live": st.sampled_from([0, 0, 1]),
        "blows": st.lists(BLOWS, max_size=12),
        "groups": st.lists(GROUPS, max_size=2),
        "denied": st.sets(st.integers(0, 12), max_size=3),
        "seed": st.integers(0, 1 << 30),
    }
)


def played(told: dict[str, object]) -> World:
    """A world of these faults, played to its end."""
    pods, spare, live = (int(str(told[name])) for name in ("pods", "spare", "live"))
    chance = random.Random(str(told["seed"]))
    begun = launch(start(pods + spare, minimum=pods, live=live), terms=TERMS)
    world = World(begun, latency=lambda: chance.choice([0.001, 0.01, 0.2]))
    world.blows = list(told["blows"])  # type: ignore[call-overload]
    world.groups = list(told["groups"])  # type: ignore[call-overload]
    world.denied = set(told["denied"])  # type: ignore[call-overload]
    world.play()
    return world


@given(WORLDS)
def test_every_launch_ends(told: dict[str, object]) -> None:
    assert played(told).launch.is_over


@given(WORLDS)
def test_no_uid_is_ever_sent_to_two_nodes(told: dict[str, object]) -> None:
    world = played(told)

    nodes = {uid: node for _, uid, node in world.sent}

    assert all(nodes[uid] == node for _, uid, node in world.sent)


@given(WORLDS)
def test_every_pod_has_one_fate(told: dict[str, object]) -> None:
    world = played(told)

    every = {f"u{number}" for number in range(int(str(told["pods"])) + int(str(told["spare"])))}

    assert set(world.fates) == every
    assert [uid for uid, fates in world.fates.items() if len(fates) != 1] == []


@given(WORLDS)
def test_the_room_of_what_may_yet_be_bound_is_never_let_go(told: dict[str, object]) -> None:
    world = played(told)

    forgotten = {uid for uid, fates in world.fates.items() if isinstance(fates[0], Forget)}

    assert [uid for uid in forgotten if world.pods.get(uid, "") == world.ours.get(uid)] == []


@given(WORLDS)
def test_nothing_is_sent_before_the_group_was_read(told: dict[str, object]) -> None:
    world = played(told)

    assert world.group_read_at is not None
    assert [when for when, _, _ in world.sent if when < world.group_read_at] == []


@given(WORLDS)
def test_a_launch_that_was_dropped_has_bound_nothing(told: dict[str, object]) -> None:
    world = played(told)

    bound = {uid for uid, node in world.ours.items() if world.pods[uid] == node}

    assert world.launch.phase is not Phase.DROPPED or not bound


@given(WORLDS)
def test_a_launch_that_stands_has_bound_all_that_was_planned(told: dict[str, object]) -> None:
    world = played(told)

    unbound = [uid for uid, fates in world.fates.items() if isinstance(fates[0], Forget)]
    needed = [uid for uid in unbound if int(uid[1:]) < int(str(told["pods"]))]

    assert world.launch.phase is not Phase.STANDING or not needed
