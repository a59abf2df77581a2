"""Same input, same plan: a recorded snapshot replays byte for byte, on any machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from given import Manifest, decoded
from hypothesis import HealthCheck, given, settings
from properties import clusters, recording, replaying
from properties.planning import EVERYBODY, NOW

from fullcrew import core, policies
from fullcrew.room import Snapshot
from fullcrew.state import State

TESTS = Path(__file__).parents[1]
QUIET = settings(suppress_health_check=list(HealthCheck))


def snapshot(documents: list[Manifest]) -> Snapshot:
    """One moment of a cluster."""
    state = State(owned=EVERYBODY)
    for told in documents:
        state.put(decoded(told))
    return state.snapshot(NOW)


def planned(of: Snapshot) -> bytes:
    """The plan in this process, from the snapshot as it was made."""
    return recording.as_bytes(core.plan(of, policies.built_in(), core.Memo()))


def in_another_process(recorded: list[bytes], *, hash_seed: int) -> list[bytes]:
    """The plans of a fresh interpreter, which hashes strings in its own way."""
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": str(TESTS)}
    run = subprocess.run(
        [sys.executable, "-m", "properties.replaying"],
        input=b"\n".join(recorded),
        stdout=subprocess.PIPE,
        env=environment,
        check=True,
    )
    return run.stdout.splitlines()


@pytest.mark.slow
def test_a_recorded_snapshot_replays_byte_for_byte_under_another_hash_seed() -> None:
    recorded: list[bytes] = []
    plans: list[bytes] = []

    @settings(QUIET, max_examples=150)
    @given(clusters.clusters())
    def record(documents: list[Manifest]) -> None:
        moment = snapshot(documents)
        recorded.append(recording.as_bytes(moment))
        plans.append(planned(moment))

    record()

    for hash_seed in (1, 2):
        assert in_another_process(recorded, hash_seed=hash_seed) == plans


@pytest.mark.slow
@settings(QUIET, max_examples=100)
@given(clusters.clusters())
def test_planning_changes_nothing_in_its_snapshot(documents: list[Manifest]) -> None:
    moment = snapshot(documents)
    before = recording.as_bytes(moment)

    first = planned(moment)

    assert recording.as_bytes(moment) == before
    assert planned(moment) == first == replaying.replayed(before)
