"""What is committed is good on every machine, and nothing in the tree points at one of them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tidy import source

# Written so that this file is not its own first finding.
REGISTRIES = re.compile(
    r"(?<![\w-])(py"
    r"pi\.org|files\.python"
    r"hosted\.org|registry\.npm"
    r"js\.org|registry\.yarn"
    r"pkg\.com|((static|index)\.)?crates\.i"
    r"o|(proxy|sum)\.go"
    r"lang\.org|gopro"
    r"xy\.(io|cn)|py"
    r"pi\.python\.org|--index-url[ =]|--extra-index-url[ =]|--find-links[ =])"
)
PLACES = re.compile(
    r"(?<![\w.~}-])/((work|workspace|farm|root|opt/wheels|Users/\w+|home/\w+)/|tmp\b)"
    r"|\b[A-Za-z]:[\\/]+Users\b"
)
# What a line of code is let off is said on that line, and by its rule: ruff (PGH) and mypy see to
# that, but for comments that speak for a whole file.
SWITCHED_OFF = re.compile(r"^\s*#\s*((ruff|flake8):\s*noqa|mypy:|type:\s*ignore)", re.IGNORECASE)


def tracked() -> list[Path]:
    """Files that git knows; where this is no clone, all files but what the doors make."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=source.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        paths = [source.ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        paths = [p for p in source.ROOT.rglob("*") if not {".venv", ".git"} & set(p.parts)]
    return [path for path in paths if path.is_file()]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    found: list[str] = []
    for path in tracked():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        place = path.relative_to(source.ROOT)
        found += [
            f"{place}:{number}: {line.strip()[:80]}"
            for number, line in enumerate(text.splitlines(), start=1)
            if pattern.search(line)
        ]
    return found


def test_no_file_names_a_package_registry() -> None:
    assert lines_with(REGISTRIES) == []


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    assert lines_with(PLACES) == []


def test_no_file_is_let_off_a_check_as_a_whole() -> None:
    assert lines_with(SWITCHED_OFF) == []


@pytest.mark.parametrize(
    "line",
    [
        "url = https://py" + "pi.org/simple",
        "https://py" + "pi.python.org/simple",
        "pip --index" + "-url https://x",
        "proxy.go" + "lang.org",
        "GOPROXY=https://gopro" + "xy.io,direct",
        'resolved "https://registry.yarn' + 'pkg.com/a"',
        "https://static.crates.i" + "o/crates",
        "https://crates.i" + "o",
    ],
)
def test_a_registry_is_seen(line: str) -> None:
    assert REGISTRIES.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "cd /wo" + "rk/main",
        "cd /work" + "space/main",
        "open('/ro" + "ot/.kube/config')",
        "cat /t" + "mp/plan.json",
        "cd /t" + "mp",
        "dir C:\\Us" + "ers\\me",
        "c:/Us" + "ers/me",
    ],
)
def test_a_place_is_seen(line: str) -> None:
    assert PLACES.search(line)


@pytest.mark.parametrize(
    "line", ["src/work/main", "~/work/", "$HOME/work/x", "/var/run/secrets", "/tmpfs"]
)
def test_other_paths_are_let_pass(line: str) -> None:
    assert not PLACES.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "# ruff" + ": noqa",
        "#ruff" + ":noqa: F401",
        "# my" + "py: ignore-errors",
        "# type" + ": ignore",
    ],
)
def test_a_file_that_is_let_off_a_check_is_seen(line: str) -> None:
    assert SWITCHED_OFF.search(line)


def test_a_line_that_is_let_off_by_a_rule_is_let_pass() -> None:
    assert not SWITCHED_OFF.search("given(1)  # type: ignore[arg-type]")


def test_the_pins_hold_for_every_python_we_support() -> None:
    pins = (source.ROOT / "constraints.txt").read_text("utf-8")

    assert not re.search(r"python_(full_)?version", pins), "one pin for every version"
    assert re.search(r"^numpy==", pins, re.MULTILINE)
    assert re.search(r"^hatchling==", pins, re.MULTILINE)


def test_nothing_big_is_committed() -> None:
    big = {str(path): path.stat().st_size for path in tracked() if path.stat().st_size > 1 << 20}

    assert big == {}
