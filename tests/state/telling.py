"""Words of these tests: a state that was told of manifests, and what it says."""

from __future__ import annotations

from collections.abc import Iterable

from given import Manifest, decoded
from state.canonical import gangs_of

from fullcrew.model.gang import Gang
from fullcrew.room import Binding, Snapshot, Start
from fullcrew.state import State

__all__ = ["gang", "part_pods", "start_of", "told", "why"]


def told(*manifests: Manifest, state: State | None = None) -> State:
    """A state that was told of these, one after the other."""
    found = state or State()
    for manifest in manifests:
        found.put(decoded(manifest))
    return found


def gang(state: State, name: str) -> Gang:
    """A gang of the snapshot by its name."""
    return gangs_of(state.snapshot(0))[name]


def part_pods(found: Gang) -> list[str]:
    """The pods that may be placed, best first, by role and part."""
    return [m.pod for role in found.roles for part in role.parts for m in part.members]


def why(found: Gang) -> dict[str, str]:
    """The kind of reason of each pod that is held."""
    return {pod: str(held.reason.kind) for held in found.held for pod in held.pods}


def start_of(snapshot: Snapshot, name: str, nodes: Iterable[str]) -> Start:
    """A start of all waiting members of a gang, on these nodes in turn."""
    found = gangs_of(snapshot)[name]
    members = [m for role in found.roles for part in role.parts for m in part.members]
    bindings = [Binding(m.pod, m.uid, node) for m, node in zip(members, nodes, strict=True)]
    return Start(found, tuple(bindings), len(bindings))
