"""Programs that a test starts: each writes a log, and each ends with the test run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

LEASH = Path(__file__).with_name("leash.py")
LINES_SHOWN = 30


class ChildEnded(Exception):
    """A program ended although it was needed, or was not ready in time."""


@dataclass(slots=True)
class Child:
    """One program that runs. Only its own process id is ever signalled."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        """For measurements of its CPU and memory, and for `os.kill`."""
        return self.process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def last_words(self) -> str:
        """The end of the log, for the message of a failing test."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-LINES_SHOWN:])

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self.process.kill()
        self.process.wait()

    def stop(self, *, seconds: float = 10) -> int:
        """SIGTERM, and SIGKILL when that does not end it in time. Returns the exit code."""
        self.process.terminate()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.process.returncode

    def wait_until(self, is_ready: Callable[[], bool], *, seconds: float) -> None:
        """Returns when the question is answered with yes; fails at once when the program ends."""
        ends_at = monotonic() + seconds
        while not is_ready():
            if monotonic() > ends_at:
                raise ChildEnded(f"{self.name} not ready in {seconds} s:\n{self.last_words()}")
            try:
                code = self.process.wait(0.03)
            except subprocess.TimeoutExpired:
                continue
            raise ChildEnded(f"{self.name} ended with {code}:\n{self.last_words()}")


def start(
    name: str,
    command: Sequence[str],
    *,
    logs: Path,
    environment: Mapping[str, str] | None = None,
) -> Child:
    """Starts a program; `environment` is added to our own. Its output goes to LOGS/NAME.log."""
    program = shutil.which(command[0])
    if program is None:
        raise ChildEnded(f"there is no program {command[0]}")
    log = logs / f"{name}.log"
    leashed = [sys.executable, "-I", "-S", str(LEASH), str(os.getpid()), program, *command[1:]]
    with log.open("ab") as output:
        process = subprocess.Popen(
            leashed,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            start_new_session=True,  # Ctrl-C is for pytest, which then stops them in order
        )
    return Child(name, process, log)
