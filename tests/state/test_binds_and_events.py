"""Whatever became of binds that were assumed: what is told in the end is what counts."""

from __future__ import annotations

from random import Random

from given import Manifest, changed, decoded, on_node
from hypothesis import given
from hypothesis import strategies as st
from state.canonical import canonical
from state.clusters import sound_cluster
from state.telling import told

from fullcrew.room import Binding, Start
from fullcrew.state import State

NODES = ("n1", "n2", "n3")


def full_name(manifest: Manifest) -> str:
    return f"{manifest['metadata'].get('namespace', '')}/{manifest['metadata']['name']}"


def assumed(state: State, chance: Random) -> list[Binding]:
    """Binds of some gangs on some nodes, of those that are taken."""
    snapshot = state.snapshot(0)
    found: list[Binding] = []
    for gang in snapshot.gangs:
        members = [m for role in gang.roles for part in role.parts for m in part.members]
        bindings = tuple(Binding(m.pod, m.uid, chance.choice(NODES)) for m in members)
        start = Start(gang, bindings, len(bindings))
        if bindings and state.assume(start, generation=snapshot.generation):
            found += bindings
    return found


def settled(state: State, binding: Binding, pods: dict[str, Manifest], chance: Random) -> None:
    """One of the ends that a bind may have, told as the shell and the watch tell it."""
    pod, uid, node = binding
    end = chance.choice(["bound", "bound", "forgotten", "elsewhere", "gone"])
    if end == "forgotten":
        state.forget(pod, uid)
        return
    if end == "gone":
        state.drop(decoded(pods.pop(pod)))
        return
    if end == "elsewhere":
        node = "n9"
        state.moved(pod, uid, node)
    pods[pod] = changed(pods[pod], on_node(node))
    state.put(decoded(pods[pod]))


@given(st.integers(0, 2**32))
def test_in_the_end_the_state_is_what_was_told(seed: int) -> None:
    there, chance = sound_cluster(seed), Random(seed)
    state = told(*there)
    pods = {full_name(each): each for each in there if each["kind"] == "Pod"}
    others = [each for each in there if each["kind"] != "Pod"]

    for binding in assumed(state, chance):
        settled(state, binding, pods, chance)

    assert canonical(state.snapshot(0)) == canonical(told(*others, *pods.values()).snapshot(0))


@given(st.integers(0, 2**32))
def test_what_is_assumed_counts_like_what_is_bound(seed: int) -> None:
    there, chance = sound_cluster(seed), Random(seed)
    state = told(*there)
    pods = {full_name(each): each for each in there if each["kind"] == "Pod"}
    others = [each for each in there if each["kind"] != "Pod"]

    for pod, _, node in assumed(state, chance):
        pods[pod] = changed(pods[pod], on_node(node))

    assert canonical(state.snapshot(0)) == canonical(told(*others, *pods.values()).snapshot(0))
