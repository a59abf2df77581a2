"""The wheel, which deploy/Containerfile installs, works without the tree it is from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from real import rights

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def told(*command: str, **environment: str) -> str:
    ended = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as the wheel brings it; what it needs is this environment's."""
    folder = tmp_path_factory.mktemp("wheel")
    root = str(rights.DEPLOY.parent)
    told(*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), root)
    (wheel,) = folder.glob("fullcrew-*.whl")
    told(*PIP, "install", "--no-deps", "--target", str(folder / "site"), str(wheel))
    return folder / "site"


@pytest.mark.slow
def test_the_installed_command_runs(installed: Path) -> None:
    command = (sys.executable, "-P", str(installed / "bin" / "fullcrew"))

    version = told(*command, "--version", PYTHONPATH=str(installed))

    assert version.split()[-1].startswith("0.")


@pytest.mark.slow
def test_the_installed_command_brings_the_definitions_of_our_kinds(installed: Path) -> None:
    command = (sys.executable, "-P", str(installed / "bin" / "fullcrew"))

    printed = told(*command, "crds", "print", PYTHONPATH=str(installed))

    for crd in rights.crd_documents():
        assert f"name: {crd['metadata']['name']}" in printed
    there = {path.name for path in (installed / "fullcrew" / "crds").glob("*.yaml")}
    assert there == {path.name for path in (rights.DEPLOY / "crds").glob("*.yaml")}
