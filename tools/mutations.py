"""Plants faults in a copy of the tree, one at a time, and looks whether a test sees each.

    python tools/mutations.py              all of tools/faults.yaml, with a page of what came out
    python tools/mutations.py rooms wound  those whose name has one of these words

A fault that no test sees is a test that is missing. The page is docs/mutations.md; it is written
when all faults were tried.
"""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

__all__ = [
    "FAULTS",
    "ROOT",
    "Fault",
    "Result",
    "commit_tried",
    "faults",
    "out_of_place",
    "page",
    "tried",
]

ROOT: Final = Path(__file__).resolve().parents[1]
FAULTS: Final = ROOT / "tools" / "faults.yaml"
PAGE: Final = ROOT / "docs" / "mutations.md"
COPIED: Final = ("src", "tests", "tools", "docs", "pyproject.toml", "constraints.txt")
TESTS_FAILED: Final = 1  # pytest's exit code; others say that it could not run them

_HEAD: Final = """\
# Planted faults

`tools/mutations.py` plants each of these faults in a copy of the tree and runs the tests that must
see it. This page is what came out on {date}, of commit {commit}.

| fault | where | seen by |
|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, in which file, what stands there in whose place, and who must see it."""

    fault: str
    file: str
    text: str
    instead: str
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The first test that failed; empty where none did."""

    fault: Fault
    seen_by: str
    seconds: float


def faults(words: Sequence[str] = ()) -> Iterator[Fault]:
    """All of the file, or those whose name has one of these words."""
    for told in yaml.safe_load(FAULTS.read_text("utf-8")):
        if not words or any(word in told["fault"] for word in words):
            yield Fault(**{**told, "tests": tuple(told["tests"])})


def out_of_place(several: Iterable[Fault]) -> list[str]:
    """Faults that cannot be planted any more, since the code has changed."""
    counted = ((each, (ROOT / each.file).read_text("utf-8").count(each.text)) for each in several)
    return [
        f"{each.fault}: {each.file} has {n} times {each.text!r}" for each, n in counted if n != 1
    ]


def tried(several: Iterable[Fault]) -> Iterator[Result]:
    """Each fault in the same copy of the tree, which is whole again after it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED:
            _copy(ROOT / name, copy / name)
        for fault in several:
            file = copy / fault.file
            sound = file.read_text("utf-8")
            file.write_text(sound.replace(fault.text, fault.instead), "utf-8")
            started = time.perf_counter()
            seen_by = _seen_by(fault, copy)
            file.write_text(sound, "utf-8")
            yield Result(fault, seen_by, time.perf_counter() - started)


def page(results: Iterable[Result], *, commit: str) -> str:
    """What came out today, for docs/mutations.md."""
    rows = (
        f"| {each.fault.fault} | `{each.fault.file}` | {_shown(each.seen_by)} |\n"
        for each in results
    )
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return _HEAD.format(date=today, commit=commit) + "".join(rows)


def commit_tried() -> str:
    """What is checked out, with a mark where files have changed since; "unknown" in no clone."""
    asked = ["git", "describe", "--always", "--dirty=, changed", "--exclude=*"]
    run = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.strip() or "unknown"


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def _seen_by(fault: Fault, copy: Path) -> str:
    """The name of the first test that fails."""
    paths = os.pathsep.join([str(copy / "src"), str(copy / "tests")])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    wanted = ["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--tb=no"]
    # It looks at this very page, so it fails for any fault that is planted.
    wanted += ["--ignore=tests/properties/test_mutations.py"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *wanted, "-m", "not real and not soak", *fault.tests],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    failed = [line.split(" ", 1)[1] for line in run.stdout.splitlines() if _is_failure(line)]
    if run.returncode == TESTS_FAILED and failed:
        return failed[0].partition(" - ")[0]
    if run.returncode == 0:
        return ""
    raise SystemExit(f"{fault.fault}: the tests did not run\n{run.stdout}{run.stderr}")


def _is_failure(line: str) -> bool:
    return line.startswith(("FAILED ", "ERROR "))


def _shown(seen_by: str) -> str:
    return f"`{seen_by.partition('[')[0]}`" if seen_by else "**nobody**"


def main(words: Sequence[str]) -> int:
    """Tells of each fault as it is tried."""
    if lost := out_of_place(faults(words)):
        raise SystemExit("\n".join(lost))
    commit, results = commit_tried(), []
    for result in tried(faults(words)):
        told = result.seen_by or "NOBODY SAW IT"
        print(f"{result.seconds:6.1f} s  {result.fault.fault}: {told}", flush=True)  # noqa: T201
        results.append(result)
    if not words:
        PAGE.write_text(page(results, commit=commit), "utf-8")
    return sum(not result.seen_by for result in results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
