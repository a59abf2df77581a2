"""Commands start fast: what is slow to import is imported when a command needs it, not before."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tidy import source

SLOW = {"aiohttp", "numpy", "prometheus_client", "rich", "uvloop"}
COMMANDS = [
    ["--help"],
    ["--version"],
    ["plan", "--help"],
    ["why", "--help"],
    ["scheduler", "--help"],
    ["run", "--help"],
    ["crds", "print"],
]
START = "from fullcrew.cli import main; main()"


def imported_by(arguments: list[str]) -> set[str]:
    """The packages that a fresh interpreter imports to answer a command."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", START, *arguments],
        cwd=source.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    told = (line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line)
    return {name.split(".")[0] for name in told}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_command_that_computes_nothing_imports_nothing_slow(arguments: list[str]) -> None:
    found = imported_by(arguments)

    assert "click" in found
    assert found & SLOW == set()


@pytest.mark.slow
def test_values_and_errors_need_no_numpy() -> None:
    code = "import fullcrew.errors, fullcrew.model, sys; sys.exit('numpy' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], cwd=source.ROOT, check=False)

    assert done.returncode == 0
