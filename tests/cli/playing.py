"""Commands as people run them: in this process where that is enough, else in one of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from fullcrew.cli import main

__all__ = ["Ended", "played", "typed"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def typed(*words: str | Path, told: bytes = b"", width: int = 100) -> Ended:
    """A command in this process, with `told` on its standard input."""
    environment = {"COLUMNS": str(width), "NO_COLOR": "1"}
    done = CliRunner().invoke(main, [str(word) for word in words], input=told, env=environment)
    return Ended(done.exit_code, done.stdout, done.stderr)


def played(*words: str | Path, environment: Mapping[str, str] | None = None) -> Ended:
    """A command in a process of its own, through the same door as the script that is installed."""
    done = subprocess.run(
        [sys.executable, "-c", "from fullcrew.cli import main; main()", *(str(w) for w in words)],
        capture_output=True,
        env={**os.environ, "COLUMNS": "100", **(environment or {})},
        timeout=60,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
