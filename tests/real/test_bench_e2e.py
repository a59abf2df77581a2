"""The benchmark from end to end runs; how fast anything is, no test asks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "tools" / "bench_e2e.py"
SMALL = ["--nodes", "10", "--shapes", "2x10", "--rounds", "1", "--only", "fill"]


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.usefixtures("binaries")
def test_the_bare_client_repeats_what_fullcrew_wrote(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    options = [*SMALL, "--contenders", "fullcrew,bare client", "--json", str(figures)]

    ended = subprocess.run(
        [sys.executable, str(BENCH), *options], capture_output=True, text=True, check=False
    )

    assert ended.returncode in {0, 1}, ended.stderr
    ours, bare = json.loads(figures.read_text("utf-8"))["fills"]
    assert (ours["bound"], bare["bound"]) == (20, 20)
    assert ours["writes"] == bare["writes"]
