"""Every code block of README and docs is run, or at least looked at as far as it can be."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import click
import pytest
import yaml
from docs.blocks import Block

from docs import blocks

DOORS = set(re.findall(r"^([a-z0-9-]+):", (blocks.ROOT / "Makefile").read_text("utf-8"), re.M))


def each(*tags: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("block", blocks.blocks(*tags), ids=lambda block: block.place)


def played(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command as a reader would type it: this environment's programs first, no colours."""
    here = Path(sys.executable).parent
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env={
            "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder),
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )


def unknown_options(words: list[str]) -> str:
    """What our command line would not understand of these words; "" if it understands them."""
    from fullcrew.cli import main  # noqa: PLC0415 - the blocks that need it say so

    # With its settings: click keeps the first help option that it makes of a command, for good.
    context = click.Context(main, info_name="fullcrew", **main.context_settings)
    command: click.Command = main
    rest = words[1:]
    try:
        while isinstance(command, click.Group):
            _, found, rest = command.resolve_command(context, rest)
            assert found is not None
            context = click.Context(found, parent=context, info_name=found.name)
            command = found
        command.make_parser(context).parse_args(list(rest))
    except click.UsageError as error:
        return error.format_message()
    return ""


def named_files(words: list[str]) -> list[str]:
    """The files of the repository that a command is given with -f."""
    given = [after for word, after in pairwise(words) if word == "-f"]
    return [name for name in given if name != "-" and "://" not in name]


@each()
def test_every_block_says_what_it_is(block: Block) -> None:
    assert block.tag in blocks.TAGS


@pytest.mark.slow
@each("console")
def test_a_block_shows_what_its_commands_print(block: Block, tmp_path: Path) -> None:
    shutil.copytree(blocks.ROOT / "examples", tmp_path / "examples")

    for step in (step for step in blocks.steps(block) if not step.is_door):
        done = played(step.command, tmp_path)

        assert done.returncode == step.exit_code, done.stdout
        assert blocks.matches(step.output, done.stdout), f"{step.command} prints\n{done.stdout}"


@each("console", "console cluster")
def test_a_door_that_a_page_names_exists(block: Block) -> None:
    named = {step.words[-1] for step in blocks.steps(block) if step.is_door}

    assert named - DOORS - {"make"} == set()


@each("console cluster")
def test_a_command_for_a_cluster_is_one_that_we_have(block: Block) -> None:
    ours = [step.words for step in blocks.steps(block) if step.command.startswith("fullcrew")]

    wrong = [
        f"{' '.join(words)}: {problem}"
        for words in ours
        if (problem := unknown_options(words[: words.index("|")] if "|" in words else words))
    ]

    assert wrong == []


@each("console cluster")
def test_a_file_that_a_page_names_exists(block: Block) -> None:
    named = [name for step in blocks.steps(block) for name in named_files(step.words)]

    assert [name for name in named if not (blocks.ROOT / name).exists()] == []


@each("yaml", "json", "python")
def test_a_block_of_a_language_is_right_in_it(block: Block) -> None:
    match block.tag:
        case "yaml":
            assert list(yaml.safe_load_all(block.text))
        case "json":
            assert json.loads(block.text) is not None
        case _:
            exec(compile(block.text, block.place, "exec"), {})


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (("a",), "a\n"),
        (("a ... c",), "a b c\n"),
        (("a", "...", "d"), "a\nb\nc\nd\n"),
        (("...", "b"), "b\n"),
        ((), ""),
        (("a",), "a  \n"),
    ],
)
def test_an_output_that_is_as_shown_is_let_pass(wanted: tuple[str, ...], found: str) -> None:
    assert blocks.matches(wanted, found)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(("a",), "b\n"), (("a",), "a\nb\n"), (("a", "b"), "a\n"), (("a.c",), "abc\n"), ((), "a\n")],
)
def test_an_output_that_is_not_as_shown_is_seen(wanted: tuple[str, ...], found: str) -> None:
    assert not blocks.matches(wanted, found)


def test_a_block_is_read_as_commands_and_what_they_print() -> None:
    text = "$ one \\\n  --more\nx\n\n$ two <<END\n> in\n> END\n[exit 2]\n$ three"

    found = list(blocks.steps(Block(blocks.ROOT / "README.md", 1, "console", text)))

    assert [(step.command, step.output, step.exit_code) for step in found] == [
        ("one \\\n  --more", ("x",), 0),
        ("two <<END\nin\nEND", (), 2),
        ("three", (), 0),
    ]
