"""How Python hashes text, which is another way in each process, decides nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

SCRIPT = """
from state.canonical import canonical
from state.clusters import cluster
from state.telling import told
for seed in range(40):
    snapshot = told(*cluster(seed)).snapshot(0)
    print(canonical(snapshot), snapshot.resources, snapshot.asks.tolist(), snapshot.nodes.names)
"""


def shown(seed: int) -> str:
    """What a process with this hash seed makes of the same manifests."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=TESTS,
        env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


@pytest.mark.slow
def test_another_hash_seed_makes_the_same_snapshot() -> None:
    one, other = shown(1), shown(2)

    assert one == other
    assert one.count("\n") == 40
