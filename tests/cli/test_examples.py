"""Each folder of examples/ does what it shows, and the demo shows it on one screen."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from accepted import Accepted
from cli.playing import typed
from docs.blocks import Block

from docs import blocks

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir())
SCREEN = 50  # lines

each_example = pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)


def commands(folder: Path) -> list[str]:
    text = (folder / "expected.txt").read_text("utf-8")
    return [step.command for step in blocks.steps(Block(folder, 1, blocks.PLAYED, text))]


@each_example
def test_an_example_does_what_it_shows(
    folder: Path, accepted: Accepted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    shown = []

    for command in commands(folder):
        done = typed(*shlex.split(command)[1:])
        assert done.code == 0, done.err
        shown.append(f"$ {command}\n{done.err}{done.out}")

    accepted.compare(folder / "expected.txt", "\n".join(shown))


@each_example
def test_an_example_shows_every_manifest_that_it_has(folder: Path) -> None:
    named = {word for command in commands(folder) for word in command.split()}

    assert {path.name for path in folder.glob("*.yaml")} <= named


@each_example
def test_yaml_says_what_json_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split(commands(folder)[0])[1:]

    as_json, as_yaml = (typed(*words, "-o", form).out for form in ("json", "yaml"))
    read = [json.loads(as_json), yaml.safe_load(as_yaml)]

    assert [each.pop("seconds").keys() for each in read] == [{"read", "plan"}] * 2
    assert read[0] == read[1]
    assert list(read[0]) == ["starts", "waits", "evictions"]


def test_examples_are_numbered_without_gaps() -> None:
    numbers = [int(folder.name[:2]) for folder in EXAMPLES]

    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.slow
def test_the_demo_is_as_accepted_and_fits_a_screen(accepted: Accepted) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "demo.py"],
        env={"COLUMNS": "100", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )

    accepted.compare(ROOT / "tests" / "golden" / "cli" / "demo.txt", done.stdout)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) <= SCREEN
    assert max(len(line) for line in done.stdout.splitlines()) <= 100
