"""The command line: how commands are found, how they end, and what is told when they fail."""

from __future__ import annotations

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from accepted import Accepted
from cli.playing import played, typed

import fullcrew

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"
EXAMPLE = Path(__file__).parents[2] / "examples" / "04-queues"
START = [sys.executable, "-c", "from fullcrew.cli import main; main()"]


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["plan", "--help"],
        ["why", "--help"],
        ["scheduler", "--help"],
        ["run", "--help"],
        ["crds", "--help"],
        ["crds", "print", "-h"],
    ],
    ids=" ".join,
)
def test_the_help_is_as_accepted(words: list[str], accepted: Accepted) -> None:
    done = typed(*words)

    name = "-".join(word.strip("-") for word in words if word.strip("-") not in {"help", "h"})
    accepted.compare(GOLDEN / f"help{'-' if name else ''}{name}.txt", done.out)
    assert (done.code, done.err) == (0, "")


def test_the_version_is_told() -> None:
    assert typed("--version").out == f"fullcrew {fullcrew.__version__}\n"


@pytest.mark.parametrize("command", ["scheduler", "run"])
def test_a_scheduler_tells_its_version_and_ends(command: str) -> None:
    done = typed(command, "--version")

    assert (done.code, done.out) == (0, f"fullcrew {fullcrew.__version__}\n")


@pytest.mark.parametrize("word", ["2>1", "now"])
def test_a_word_too_many_is_refused(word: str) -> None:
    done = typed("scheduler", word)

    assert done.code == 2
    assert word in done.err


def test_a_command_that_nobody_knows_is_answered_with_the_nearest() -> None:
    done = typed("pln")

    assert (done.code, done.out) == (2, "")
    assert done.err == "error: there is no command named 'pln'\n  try: did you mean 'plan'?\n"


@pytest.mark.parametrize(
    "words", [["plan"], ["plan", "--speed", "x"], ["plan", "-o", "xml", "x"], ["why"], ["--no"]]
)
def test_what_is_no_command_ends_with_2_and_prints_nothing(words: list[str]) -> None:
    done = typed(*words)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert "  try: fullcrew" in done.err


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error() -> None:
    command = [*START, "crds", "print"]

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        told = running.stderr.read()

    assert told == b""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
def test_a_disk_that_is_full_is_told_in_a_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*START, "crds", "print"], stdout=full, stderr=subprocess.PIPE, check=False
        )

    assert done.returncode == 1
    assert done.stderr.startswith(b"error: the answer cannot be written: No space left on device\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        (
            f"plan {EXAMPLE} >&-",
            1,
            "error: the answer cannot be written: standard output is closed",
        ),
        ("plan - <&-", 2, "error: standard input: it cannot be read: it is closed"),
    ],
)
def test_what_a_shell_has_closed_is_told(command: str, code: int, told: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(START)} {command}"], stderr=subprocess.PIPE, check=False
    )

    assert (done.returncode, done.stderr.decode().splitlines()[0]) == (code, told)


@pytest.mark.slow
def test_an_interrupted_command_ends_with_130_and_no_traceback() -> None:
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [START[0], "-c", f"{heard}; {START[2]}", "plan", "-"]

    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdin is not None
        running.stdin.write(b"#" * 1_000_000)  # returns when most of it is read: it is under way
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=30)

    assert running.returncode == 130
    assert b"Traceback" not in told


@pytest.mark.slow
def test_a_pipe_gets_no_colours() -> None:
    assert "\x1b" not in played("plan", EXAMPLE, environment={"FORCE_COLOR": "1"}).out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "has_colours"), [("NO_COLOR=", True), ("NO_COLOR=1", False), ("TERM=dumb", False)]
)
def test_a_terminal_gets_colours_if_it_wants_them(word: str, *, has_colours: bool) -> None:
    ours, theirs = pty.openpty()
    name, _, value = word.partition("=")
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", name: value}

    subprocess.run([*START, "plan", EXAMPLE], stdout=theirs, env=environment, check=True)
    os.close(theirs)
    told = os.read(ours, 1 << 16)
    os.close(ours)

    assert b"STARTS" in told
    assert (b"\x1b[" in told) == has_colours


@pytest.mark.slow
def test_colours_change_no_letter() -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "NO_COLOR": ""}

    subprocess.run([*START, "plan", EXAMPLE], stdout=theirs, env=environment, check=True)
    os.close(theirs)
    told = os.read(ours, 1 << 16).decode().replace("\r\n", "\n")
    os.close(ours)

    bare = re.sub(r"\x1b\[[0-9;]*m", "", told)
    assert [line.rstrip() for line in bare.splitlines()] == typed("plan", EXAMPLE).out.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "environment", "told"),
    [
        (["scheduler", "--master", "http://[::1"], {}, "--master: it is 'http://[::1'"),
        (["scheduler", "--master", "http://x:99999"], {}, "--master: it is"),
        (["scheduler", "--master", "ftp://x"], {}, "--master: it is"),
        (["scheduler", "--bind-timeout", "0s"], {}, "--bind-timeout is no time"),
        (["scheduler", "--lock-object-name=A_B"], {}, "--lock-object-name is 'A_B'"),
        (
            ["scheduler", "--master", "https://kube.test"],
            {"HTTPS_PROXY": "http://[::1"},
            "HTTPS_PROXY: the proxy is 'http://[::1'",
        ),
    ],
)
def test_what_no_connection_can_be_made_with_is_told_at_once(
    words: list[str], environment: dict[str, str], told: str
) -> None:
    clean = {"KUBECONFIG": "", "HTTPS_PROXY": "", "https_proxy": ""}

    done = played(*words, environment=clean | environment)

    assert done.code == 2, done.err
    assert f"error: {told}" in done.err
    assert "Traceback" not in done.err
    assert "Unclosed" not in done.err


def test_a_kubeconfig_that_leads_nowhere_is_told_with_its_field(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("clusters: [{name: c, cluster: {server: 'http://[::1'}}]")

    done = typed("why", "x", "--kubeconfig", path)

    assert (done.code, done.out) == (2, "")
    assert f"error: {path}: the server of cluster 'c' is 'http://[::1'" in done.err


def test_a_default_queue_must_have_a_name() -> None:
    done = typed("plan", EXAMPLE, "--default-queue", "")

    assert (done.code, done.out) == (2, "")
    assert "error: --default-queue is empty\n  try: --default-queue default" in done.err
