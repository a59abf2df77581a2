"""A snapshot tells what there is, not what came first."""

from __future__ import annotations

from random import Random

from given import Manifest, decoded
from hypothesis import given
from hypothesis import strategies as st
from state.canonical import Form, canonical
from state.clusters import cluster

from fullcrew import objects
from fullcrew.state import State

seeds = st.integers(0, 2**32)

MILLICORES = {"1": 1000, "500m": 500, "3": 3000}


def fed(*manifests: Manifest, looks: bool = False) -> State:
    """A state that was told of these; `looks`: somebody took a snapshot after each."""
    state = State()
    for manifest in manifests:
        state.put(decoded(manifest))
        if looks:
            state.snapshot(0)
    return state


def shuffled(manifests: list[Manifest], seed: int) -> list[Manifest]:
    return Random(seed).sample(manifests, len(manifests))


def listed(state: State, manifests: list[Manifest]) -> None:
    """A list of every kind, with these in it and nothing else."""
    for kind in objects.KINDS:
        state.begin(kind)
    for manifest in manifests:
        state.put(decoded(manifest))
    for kind in objects.KINDS:
        state.end(kind)


def asked_by_node(manifests: list[Manifest]) -> dict[str, dict[str, int]]:
    """By hand, in the few forms that these clusters have: cpu and the number of pods."""
    found: dict[str, dict[str, int]] = {}
    for told in manifests:
        node = told["spec"].get("nodeName", "") if told["kind"] == "Pod" else ""
        if not node or told["status"]["phase"] in {"Succeeded", "Failed"}:
            continue
        here = found.setdefault(node, {"pods": 0})
        here["pods"] += 1
        cpu = told["spec"]["containers"][0].get("resources", {}).get("requests", {}).get("cpu", "")
        if cpu in MILLICORES:
            here["cpu"] = here.get("cpu", 0) + MILLICORES[cpu]
    return found


def seen(state: State) -> Form:
    return canonical(state.snapshot(0))


@given(seeds)
def test_the_order_of_arrival_makes_no_difference(seed: int) -> None:
    there = cluster(seed)

    one, other = fed(*there), fed(*shuffled(there, seed))

    assert seen(one) == seen(other)


@given(seeds)
def test_it_makes_no_difference_who_looked_meanwhile(seed: int) -> None:
    there = cluster(seed)

    one, other = fed(*there), fed(*shuffled(there, seed), looks=True)

    assert seen(one) == seen(other)


@given(seeds)
def test_a_list_that_says_the_same_changes_nothing(seed: int) -> None:
    there = cluster(seed)
    state = fed(*there)
    before, version = state.snapshot(0), state.version

    listed(state, shuffled(there, seed))

    assert state.snapshot(0) is before
    assert state.version == version


@given(seeds, seeds)
def test_a_list_that_says_otherwise_replaces_all(old: int, new: int) -> None:
    state = fed(*cluster(old), looks=True)

    listed(state, cluster(new))

    assert seen(state) == seen(fed(*cluster(new)))


@given(seeds, seeds)
def test_what_is_gone_leaves_nothing_behind(stay: int, go: int) -> None:
    stays, goes = cluster(stay), cluster(go)
    for manifest in goes:
        manifest["metadata"]["name"] += "-goes"
    state = fed(*shuffled([*stays, *goes], stay), looks=True)

    for manifest in shuffled(goes, go):
        state.drop(decoded(manifest))

    assert seen(state) == seen(fed(*stays))


@given(seeds)
def test_what_is_free_is_what_is_allocatable_less_what_pods_ask(seed: int) -> None:
    there = cluster(seed)

    snapshot = fed(*shuffled(there, seed), looks=True).snapshot(0)

    for name, asked in asked_by_node(there).items():
        row = snapshot.nodes.names.index(name)
        taken = snapshot.nodes.size[:, row] - snapshot.room.free[:, row]
        told = dict(zip(snapshot.resources, taken.tolist(), strict=True))
        assert {key: much for key, much in told.items() if much and "/" not in key} == asked
