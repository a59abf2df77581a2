"""The commands for people, on a real API server."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from real import jobs
from real.control_plane import ControlPlane
from real.jobs import DIALECTS, GPU, Dialect, Job
from real.scene import Scene
from real.serving import PROGRAM

pytestmark = pytest.mark.real

each_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)


def fullcrew(cluster: ControlPlane, *arguments: str) -> str:
    """As a user with a kubeconfig calls it."""
    told = subprocess.run(
        [str(PROGRAM), *arguments],
        env={**os.environ, "KUBECONFIG": str(cluster.admin_kubeconfig)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (0, "")
    return told.stdout


def test_what_crds_print_prints_can_be_applied(cluster: ControlPlane) -> None:
    printed = fullcrew(cluster, "crds", "print")

    apply = ("apply", "--server-side", "--dry-run=server", "--field-manager=tests", "-f", "-")
    told = cluster.kubectl(*apply, given=printed)

    assert (told.returncode, told.stderr) == (0, "")
    assert len(told.stdout.splitlines()) == 6


@each_dialect
def test_why_tells_what_the_scheduler_tells(scene: Scene, dialect: Dialect) -> None:
    job = Job(scene.namespace, "job", dialect, workers=3)
    scene.add_nodes(2)
    scene.schedulers.start()
    scene.submit(job)
    scene.until(jobs.waits(job))

    words = fullcrew(scene.cluster, "why", "-n", scene.namespace, "job")
    told = fullcrew(scene.cluster, "why", "-n", scene.namespace, "job", "-o", "json")

    (answer,) = json.loads(told)["answers"]
    assert "GPU" in words or GPU in words
    assert jobs.reason(job, scene.now) in json.dumps(answer)


def test_why_answers_without_a_scheduler_too(scene: Scene) -> None:
    job = Job(scene.namespace, "job", workers=3)
    scene.add_nodes(2)
    scene.submit(job)

    words = fullcrew(scene.cluster, "why", "-n", scene.namespace, "job-worker-1")

    assert "job" in words
    assert "3" in words
