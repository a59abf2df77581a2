"""What people apply to their clusters is accepted by a real API server and does what it says."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from real import rights
from real.api import Api, ApiRefused, Object
from real.control_plane import ControlPlane

TRY = ("apply", "--server-side", "--dry-run=server", "--field-manager=tests", "-f")
CRDS = sorted((rights.DEPLOY / "crds").glob("*.yaml"))
GROUP_KINDS = [
    ("scheduling.incubator.k8s.io/v1alpha1", "podgroups.scheduling.incubator.k8s.io"),
    ("scheduling.sigs.dev/v1alpha2", "podgroups.scheduling.sigs.dev"),
    ("scheduling.volcano.sh/v1beta1", "podgroups.scheduling.volcano.sh"),
]
QUEUE_KINDS = [(version, f"queues.{name.split('.', 1)[1]}") for version, name in GROUP_KINDS]


@pytest.mark.real
@pytest.mark.parametrize("name", ["rbac.yaml", "fullcrew.yaml"])
def test_the_server_accepts_each_document_without_a_warning(
    cluster: ControlPlane, name: str
) -> None:
    told = cluster.kubectl(*TRY, str(rights.DEPLOY / name))

    assert (told.returncode, told.stderr) == (0, "")
    assert len(told.stdout.splitlines()) == len(rights.documents(rights.DEPLOY / name))


@pytest.mark.real
@pytest.mark.parametrize("path", CRDS, ids=lambda path: path.stem)
def test_a_kind_is_accepted_and_structural(cluster: ControlPlane, path: Path) -> None:
    told = cluster.kubectl(*TRY, str(path))
    conditions = {
        told["type"]: told["status"]
        for crd in rights.documents(path)
        for told in cluster.api().get(cluster.api().path_of(crd))["status"]["conditions"]
    }

    assert (told.returncode, told.stderr) == (0, "")
    assert conditions.get("Established") == "True"
    assert conditions.get("NonStructuralSchema", "False") == "False"


@pytest.mark.real
@pytest.mark.parametrize(("version", "kind"), GROUP_KINDS)
def test_a_group_shows_its_status_to_kubectl(
    cluster: ControlPlane, api: Api, namespace: str, version: str, kind: str
) -> None:
    group = {"apiVersion": version, "kind": "PodGroup", "spec": {"minMember": 3, "queue": "q"}}
    made = api.create({**group, "metadata": {"name": "g", "namespace": namespace}})
    status = {"phase": "Running", "running": 2, "conditions": [{"type": "Unschedulable"}]}
    api.patch(f"{api.path_of(made)}/status", {"status": status})

    told = cluster.kubectl("get", kind, "-n", namespace)

    heads, row = (line.split() for line in told.stdout.splitlines())
    assert (
        dict(zip(heads, row, strict=True)).items()
        >= {
            "NAME": "g",
            "STATUS": "Running",
            "MINMEMBER": "3",
            "RUNNINGS": "2",
        }.items()
    )


@pytest.mark.real
@pytest.mark.parametrize(("version", "kind"), QUEUE_KINDS)
def test_a_queue_shows_its_weight_to_kubectl(
    cluster: ControlPlane, api: Api, version: str, kind: str
) -> None:
    api.create(
        {
            "apiVersion": version,
            "kind": "Queue",
            "metadata": {"name": "q"},
            "spec": {"weight": 7, "capability": {"nvidia.com/gpu": 4, "cpu": "100m"}},
        }
    )

    told = cluster.kubectl("get", kind)

    heads, row = (line.split() for line in told.stdout.splitlines())
    assert dict(zip(heads, row, strict=False))["WEIGHT"] == "7"


@pytest.mark.real
@pytest.mark.parametrize(("version", "kind"), GROUP_KINDS)
def test_a_group_keeps_what_we_do_not_know_and_refuses_what_is_no_number(
    api: Api, namespace: str, version: str, kind: str
) -> None:
    group: Object = {"apiVersion": version, "kind": "PodGroup"}
    metadata = {"name": "g", "namespace": namespace}

    made = api.create({**group, "metadata": metadata, "spec": {"minMember": 1, "later": {"a": 1}}})

    assert made["spec"] == {"minMember": 1, "later": {"a": 1}}, kind
    with pytest.raises(ApiRefused, match="minMember"):
        api.create({**group, "metadata": {**metadata, "name": "h"}, "spec": {"minMember": "x"}})


def test_the_one_file_has_the_rights_of_rbac_yaml() -> None:
    whole = rights.documents(rights.DEPLOY / "fullcrew.yaml")
    listed = rights.documents(rights.DEPLOY / "rbac.yaml")

    assert whole[: len(listed)] == listed
    assert [document["kind"] for document in whole[len(listed) :]] == ["Deployment"]


def test_each_verb_has_its_why_and_none_is_a_wildcard() -> None:
    text = (rights.DEPLOY / "rbac.yaml").read_text("utf-8")
    blocks = re.findall(r"verbs:\n((?:      - .*\n)+)", text)
    verbs = [line.strip() for block in blocks for line in block.splitlines()]

    assert verbs
    assert [verb for verb in verbs if not re.fullmatch(r"- [a-z]+ # .+", verb)] == []
    assert "*" not in [word.strip("[],\"'") for word in text.split()]


def test_the_process_runs_without_rights_on_its_node() -> None:
    pod = deployment()["spec"]["template"]["spec"]
    (container,) = pod["containers"]

    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    probes = [container[probe]["httpGet"]["path"] for probe in ("livenessProbe", "readinessProbe")]
    assert probes == ["/healthz", "/readyz"]
    assert {"cpu", "memory"} <= container["resources"]["requests"].keys()


def test_the_image_is_built_from_what_is_there() -> None:
    steps = list(instructions())
    copied = [
        source
        for word, rest in steps
        if word == "COPY" and not rest.startswith("--from")
        for source in shlex.split(rest)[:-1]
    ]

    assert copied
    assert [source for source in copied if not (rights.DEPLOY.parent / source).exists()] == []
    assert dict(steps)["USER"] == "65532:65532"
    pod = deployment()["spec"]["template"]["spec"]
    assert dict(steps)["USER"] == "{runAsUser}:{runAsGroup}".format(**pod["securityContext"])


def test_the_image_starts_the_command_that_is_installed() -> None:
    project = tomllib.loads((rights.DEPLOY.parent / "pyproject.toml").read_text("utf-8"))["project"]
    steps = dict(instructions())

    program = Path(json.loads(steps["ENTRYPOINT"])[0])
    venv = program.parents[1]

    (container,) = deployment()["spec"]["template"]["spec"]["containers"]
    assert program.name in project["scripts"]
    assert steps["COPY"] == f"--from=build {venv} {venv}"
    assert ("RUN", f"python -m venv {venv}") in list(instructions())
    assert container["image"] == f"{project['name']}:{project['version']}"
    assert container["args"][0] == json.loads(steps["CMD"])[0]


def deployment() -> Object:
    return rights.documents(rights.DEPLOY / "fullcrew.yaml")[-1]


def instructions() -> Iterator[tuple[str, str]]:
    """Of the Containerfile: each instruction, and what it is told."""
    for line in (rights.DEPLOY / "Containerfile").read_text("utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word and not line.startswith("#"):
            yield word, rest
