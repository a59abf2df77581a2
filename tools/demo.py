"""`make demo`: the stories of the seed documents, planned on this machine and told on one screen.

Everything shown is printed by the real `fullcrew plan` on the manifests in examples/.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

__all__ = ["main"]

ROOT: Final = Path(__file__).resolve().parents[1]
ACK: Final = "examples/01-whole-or-not-at-all"
TWO: Final = "examples/02-two-gangs"


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens, in words, and the manifests that say it to the planner."""

    words: str
    files: tuple[str, ...]


SCENES: Final = (
    Scene(
        "A job of a PS and four workers with two GPUs each, on a cluster with 4 GPUs. Pod by pod,\n"
        "half of it would start, hold every GPU and train nothing. Here it waits whole:",
        (f"{ACK}/cluster.yaml", f"{ACK}/job.yaml"),
    ),
    Scene(
        "4 GPUs more, and it runs whole:",
        (f"{ACK}/cluster.yaml", f"{ACK}/more-gpus.yaml", f"{ACK}/job.yaml"),
    ),
    Scene(
        "Two jobs, of 3+1 and 2+1 pods, on four nodes with one GPU each: one runs, the other\n"
        "waits whole, and does not hold the last GPU meanwhile:",
        (f"{TWO}/cluster.yaml", f"{TWO}/jobs.yaml"),
    ),
)
NEXT: Final = (
    "What to type next:",
    "  export PATH=$PWD/.venv/bin:$PATH      # so that fullcrew is found",
    "  fullcrew plan examples/04-queues      # two queues and their shares",
    "  kubectl get nodes,pods,podgroups,queues -A -o yaml | fullcrew plan -",
    "                                        # your own cluster, as it is now",
    "docs/start.md goes on from here.",
)


def main() -> int:
    """Plays every scene; ends with the code of the first that failed."""
    bold, dim, plain = _styles()
    for number, scene in enumerate(SCENES, start=1):
        click.echo(f"{bold}{number}. {scene.words}{plain}")
        click.echo(f"{dim}$ fullcrew plan {' '.join(_short(scene.files))}{plain}")
        code = _planned(scene.files)
        if code:
            return code
        click.echo()
    click.echo("\n".join(NEXT))
    return 0


def _planned(files: Sequence[str]) -> int:
    command = [sys.executable, "-c", "from fullcrew.cli import main; main()", "plan", *files]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def _short(files: Sequence[str]) -> list[str]:
    """As a shell would have it expanded: the folder once, and the files in braces."""
    folder = str(Path(files[0]).parent)
    names = [Path(file).name for file in files]
    return [f"{folder}/{{{','.join(names)}}}"]


def _styles() -> tuple[str, str, str]:
    is_wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return ("\x1b[1m", "\x1b[2m", "\x1b[0m") if is_wanted else ("", "", "")


if __name__ == "__main__":
    sys.exit(main())
