"""What a wounded gang has lost is remembered until somebody makes it again."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from given import (
    Manifest,
    annotated,
    asking,
    changed,
    claim,
    decoded,
    having,
    in_group,
    leaving,
    node,
    on_node,
    pod,
    pod_group,
    spec,
    status,
    volume,
    with_uid,
)
from hypothesis import given
from hypothesis import strategies as st
from state.telling import gang, part_pods, start_of, told
from state.test_renumbering import passing

from fullcrew.objects import Pod
from fullcrew.state import State

TRAIN = "default/train"
IN_ZONE = spec(nodeSelector={"zone": "z"})


def member(name: str, *parts: Manifest, gpu: int = 1) -> Manifest:
    return pod(name, in_group("train"), asking(gpu=gpu), with_uid(f"uid-{name}"), *parts)


def bound(name: str, *parts: Manifest, gpu: int = 1) -> Manifest:
    return member(name, *parts, on_node("n1"), gpu=gpu)


def task(role: str) -> Manifest:
    return annotated({"volcano.sh/task-spec": role})


def standing(*more: Manifest, minimum: int = 3) -> State:
    """A gang of which two members run."""
    cluster = [node("n1", having(gpu=8)), pod_group("train", minimum)]
    return told(*cluster, bound("a"), bound("b"), *more)


def lost(state: State, *manifests: Manifest) -> State:
    """These are deleted."""
    for manifest in manifests:
        state.drop(decoded(manifest))
    return state


def missing(state: State) -> list[tuple[str, int, tuple[str, ...], int]]:
    """By form the role, the devices asked for, the labels that a node must have, and how many."""
    snapshot = state.snapshot(0)
    found = [each for each in snapshot.gangs if each.name == TRAIN]
    return [
        (each.role, gpu_of(snapshot.asks[:, each.ask].tolist(), snapshot.resources),
         tuple(labels_of(snapshot.wheres[each.where].required)), each.pods)
        for gang in found
        for each in gang.missing
    ]  # fmt: skip


def gpu_of(asked: list[int], resources: tuple[str, ...]) -> int:
    return dict(zip(resources, asked, strict=True))["nvidia.com/gpu"]


def labels_of(required: object) -> Iterator[str]:
    assert isinstance(required, tuple)
    for entry in required:
        yield from (each.key for term in entry for each in term)


@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(status(phase="Failed"), id="refused by its kubelet"),
        pytest.param(leaving(), id="leaving"),
    ],
)
def test_a_member_that_goes_is_missing_at_once_and_counted_once(loss: Manifest) -> None:
    state = standing(bound("c", IN_ZONE, gpu=2))

    told(changed(bound("c", IN_ZONE, gpu=2), loss), state=state)
    at_once = missing(state)
    lost(state, changed(bound("c", IN_ZONE, gpu=2), loss))

    assert at_once == missing(state) == [("", 2, ("zone",), 1)]


def test_a_member_that_is_deleted_is_missing() -> None:
    state = lost(standing(bound("c")), bound("c"))

    assert missing(state) == [("", 1, (), 1)]


def test_a_bind_of_ours_that_fails_for_good_is_missing() -> None:
    state = standing(member("c", IN_ZONE))
    snapshot = state.snapshot(0)
    state.assume(start_of(snapshot, TRAIN, ["n1"]), generation=snapshot.generation)

    told(changed(bound("c", IN_ZONE), status(phase="Failed")), state=state)

    assert missing(state) == [("", 1, ("zone",), 1)]


@pytest.mark.parametrize("name", ["c", "c-made-again"])
def test_a_member_that_is_made_again_waits_and_is_not_missing(name: str) -> None:
    failed = changed(bound("c"), status(phase="Failed"))
    state = standing(bound("c"), bound("d"), minimum=4)
    told(failed, changed(bound("d"), status(phase="Failed")), state=state)

    told(changed(member(name), with_uid("another")), state=state)

    assert missing(state) == [("", 1, (), 1)]


def test_a_waiting_member_that_is_deleted_is_missing() -> None:
    assert missing(lost(standing(member("c")), member("c"))) == [("", 1, (), 1)]


def test_no_more_are_missing_than_the_gang_lacks() -> None:
    state = lost(standing(bound("c"), bound("d")), bound("c"), bound("d"))

    assert missing(state) == [("", 1, (), 1)]


def test_what_a_role_is_owed_is_missing_before_others() -> None:
    group = pod_group("train", 4, spec(minTaskMember={"ps": 1}))
    worker, ps = bound("w", task("worker")), bound("p", task("ps"), gpu=2)
    state = lost(standing(group, worker, ps, bound("c")), worker, ps)

    assert missing(state) == [("ps", 2, (), 1)]


def test_a_member_of_a_role_stands_for_one_that_was_lost_there() -> None:
    worker, ps = bound("w", task("worker")), bound("p", task("ps"))
    state = lost(standing(worker, ps, minimum=4), worker, ps)

    told(member("w-2", task("worker"), gpu=2), state=state)

    assert missing(state) == [("ps", 1, (), 1)]


def test_of_a_gang_of_which_none_is_left_nothing_is_remembered() -> None:
    state = lost(standing(bound("c")), bound("a"), bound("b"), bound("c"))

    told(bound("d"), state=state)

    assert gang(state, TRAIN).missing == ()


def test_a_gang_that_succeeds_bit_by_bit_misses_nobody() -> None:
    ended = changed(bound("c"), status(phase="Succeeded"))
    state = lost(told(ended, state=standing(bound("c"), minimum=4)), ended)

    assert gang(state, TRAIN).missing == ()


def test_a_volume_tells_where_its_pod_could_go() -> None:
    mounts = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    there = {"topology.kubernetes.io/zone": "z"}
    disk = changed(volume("disk"), {"metadata": {"labels": there}})
    with_disk = bound("c", spec(volumes=mounts))
    state = standing(disk, claim("data", status(phase="Bound"), volume_name="disk"), with_disk)

    [(_, _, labels, _)] = missing(lost(state, with_disk))

    assert "topology.kubernetes.io/zone" in labels


def test_what_nobody_can_show_any_more_is_not_known() -> None:
    state = standing(bound("c"))
    state.begin(Pod.KIND)
    told(bound("a"), bound("b"), state=state)
    state.end(Pod.KIND)

    assert gang(state, TRAIN).is_wounded
    assert gang(state, TRAIN).missing == ()


def test_new_numbers_do_not_change_what_is_missing() -> None:
    state = lost(standing(bound("c", IN_ZONE, gpu=5)), bound("c", IN_ZONE, gpu=5))
    before = missing(state)

    for manifest in passing(200):
        told(manifest, state=state).snapshot(0)
        lost(state, manifest)

    assert state.snapshot(0).numbering > 0
    assert missing(state) == before == [("", 5, ("zone",), 1)]


def churned(seed: int, *, looks: bool) -> Iterator[State]:
    """Members come, are bound, fail, leave and go in any order, some under the names of others."""
    state, random = told(node("n1", having(gpu=8)), pod_group("train", 4)), Random(seed)
    ends = (on_node("n1"), on_node("n1", phase="Failed"), on_node("n1", phase="Succeeded"))
    for _ in range(40):
        name = f"m-{random.randrange(6)}"
        uid = with_uid(f"{name}-{random.randrange(2)}")
        ways: tuple[Manifest, ...] = ({}, *ends, changed(on_node("n1"), leaving()))
        manifest = changed(member(name, gpu=random.randint(1, 2)), uid, random.choice(ways))
        if random.random() < 0.3:
            lost(state, manifest)
        else:
            told(manifest, state=state)
        if looks:
            state.snapshot(0)
        yield state


@given(st.integers(0, 2**32))
def test_whatever_happens_no_more_are_missing_than_are_lacking(seed: int) -> None:
    for state in churned(seed, looks=True):
        for found in state.snapshot(0).gangs:
            waiting = len(part_pods(found)) + sum(len(held.pods) for held in found.held)
            are_missing = sum(each.pods for each in found.missing)
            assert are_missing <= max(0, found.lacks - waiting)
            assert found.is_wounded or not found.missing


@given(st.integers(0, 2**32))
def test_what_is_missing_does_not_hang_on_who_looked_meanwhile(seed: int) -> None:
    [*_, one], [*_, other] = churned(seed, looks=True), churned(seed, looks=False)

    assert missing(one) == missing(other)
