"""The door to all this says what it lacks: at a desk in one loud line, in CI by failing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from real.conftest import BUILD, NO_GO

REAL = Path(__file__).with_name("test_quiet.py")
SENTENCE = "the real control plane is built with Go"


def without_go(folder: Path, *command: str, ci: str = "") -> subprocess.CompletedProcess[str]:
    """A machine on which nothing was built yet, and nothing can be."""
    programs = folder / "programs"
    programs.mkdir()
    environment = {**os.environ, "PATH": str(programs), "XDG_CACHE_HOME": str(folder), "CI": ci}
    return subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
    )


def test_the_build_says_what_it_needs_and_prints_no_folder(tmp_path: Path) -> None:
    ended = without_go(tmp_path, str(BUILD))

    assert (ended.returncode, ended.stdout) == (NO_GO, "")
    assert ended.stderr.startswith(f"control plane: {SENTENCE}")
    assert ended.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
def test_without_go_the_tests_are_skipped_aloud_and_fail_in_ci(
    tmp_path: Path, ci: str, code: int
) -> None:
    ended = without_go(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(REAL), ci=ci)

    aloud = "NOTHING WAS TESTED ON A REAL CONTROL PLANE"
    assert ended.returncode == code, ended.stdout
    assert ended.stdout.count(aloud) == (not ci)
    assert SENTENCE in ended.stdout
