"""CI knocks at the same two doors as a desk, and repeats pytest's closing lines at the end."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from real import rights

RUN = rights.DEPLOY.parent / ".ci" / "run"
MAKE = """#!/bin/sh
echo "door $1, CI=$CI"
case "$1" in
  "$FAILS") echo "= 1 failed, 2 passed in 0.10s ="; exit 2 ;;
  test) echo "= 12 passed, 3 deselected in 75.20s (0:01:15) =" ;;
  check-real) echo "= 7 passed, 20 deselected in 3.00s =" ;;
esac
"""


def knocked(folder: Path, fails: str = "") -> subprocess.CompletedProcess[str]:
    """.ci/run in a tree of its own, with a make that plays the doors."""
    (folder / ".ci").mkdir()
    shutil.copy(RUN, folder / ".ci" / "run")
    make = folder / "programs" / "make"
    make.parent.mkdir()
    make.write_text(MAKE, "utf-8")
    make.chmod(0o755)
    path = f"{make.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "FAILS": fails, "CI": ""}
    command = ["bash", str(folder / ".ci" / "run")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_both_doors_are_knocked_at_in_ci_and_their_closing_lines_stand_last(tmp_path: Path) -> None:
    ended = knocked(tmp_path)

    lines = ended.stdout.splitlines()
    assert ended.returncode == 0
    assert [line for line in lines if line.startswith("door")] == [
        "door test, CI=true",
        "door check-real, CI=true",
    ]
    assert lines[-2:] == [
        "make test: = 12 passed, 3 deselected in 75.20s (0:01:15) =",
        "make check-real: = 7 passed, 20 deselected in 3.00s =",
    ]


@pytest.mark.parametrize("door", ["test", "check-real"])
def test_a_door_that_fails_fails_it_with_its_closing_line(tmp_path: Path, door: str) -> None:
    ended = knocked(tmp_path, fails=door)

    assert ended.returncode == 1
    assert ended.stdout.splitlines()[-1] == f"make {door}: = 1 failed, 2 passed in 0.10s ="
    assert ended.stderr.strip() == f"make {door}: failed"
