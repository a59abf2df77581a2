"""The definitions that `fullcrew crds print` prints, from the tree and from what is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli.playing import typed

from fullcrew import objects
from fullcrew.objects import KINDS

ROOT = Path(__file__).parents[2]
OURS = {
    kind for kind in KINDS if kind.group.startswith("scheduling.") and kind.name != "PriorityClass"
}


def printed(*names: str) -> list[dict[str, Any]]:
    done = typed("crds", "print", *names)
    assert done.code == 0, done.err
    return list(yaml.safe_load_all(done.out))


def schema_of(definition: dict[str, Any]) -> dict[str, Any]:
    (version,) = definition["spec"]["versions"]
    schema: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return schema


each_definition = pytest.mark.parametrize(
    "definition", printed(), ids=lambda each: each["metadata"]["name"]
)


def test_there_is_a_definition_of_each_group_and_queue_that_we_read() -> None:
    found = {(each["spec"]["group"], each["spec"]["names"]["kind"]) for each in printed()}

    assert found == OURS


def test_one_may_be_printed_by_its_name() -> None:
    (found,) = printed("queues.scheduling.volcano.sh")

    assert found["metadata"]["name"] == "queues.scheduling.volcano.sh"


def test_a_name_that_nobody_knows_is_answered_with_the_nearest() -> None:
    done = typed("crds", "print", "queues.volcano.sh")

    assert (done.code, done.out) == (2, "")
    assert "did you mean 'queues.scheduling.volcano.sh'?" in done.err


@each_definition
def test_a_definition_is_called_by_plural_and_group(definition: dict[str, Any]) -> None:
    spec = definition["spec"]

    assert definition["metadata"]["name"] == f"{spec['names']['plural']}.{spec['group']}"
    assert objects.kind_of(f"{spec['group']}/v1", spec["names"]["kind"]) is not None


@each_definition
def test_unknown_fields_of_a_spec_are_kept(definition: dict[str, Any]) -> None:
    fields = schema_of(definition)["properties"]

    assert fields["spec"]["x-kubernetes-preserve-unknown-fields"] is True
    assert fields["status"]["x-kubernetes-preserve-unknown-fields"] is True


@each_definition
def test_a_definition_has_columns_and_a_status_of_its_own(definition: dict[str, Any]) -> None:
    (version,) = definition["spec"]["versions"]

    assert version["additionalPrinterColumns"]
    assert version["subresources"] == {"status": {}}


@each_definition
def test_a_group_of_kubernetes_own_says_why_it_may_be_used(definition: dict[str, Any]) -> None:
    """The API server refuses groups that end in k8s.io without this word."""
    word = definition["metadata"].get("annotations", {}).get("api-approved.kubernetes.io", "")

    assert bool(word) == definition["spec"]["group"].endswith(".k8s.io")


@pytest.mark.slow
def test_an_installed_package_prints_what_the_tree_prints(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "installed")

    done = subprocess.run(
        [sys.executable, "-c", "from fullcrew.cli import main; main()", "crds", "print"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        check=True,
    )

    assert done.stdout.decode() == typed("crds", "print").out
