"""What a real API server accepts and nobody meant: its own gang waits and says why, and the others
go on."""

from __future__ import annotations

import pytest
from real import arranging, jobs
from real.api import Object
from real.jobs import GPU, INCUBATOR, VOLCANO, Dialect, Job
from real.scene import Scene

pytestmark = pytest.mark.real


def starts_beside(scene: Scene) -> None:
    """Another gang, in good order, starts as if nothing were."""
    good = Job(scene.namespace, "good", workers=2)
    scene.add_nodes(2)
    scene.submit(good)
    scene.until(jobs.is_bound(good))


@pytest.mark.parametrize("dialect", [VOLCANO, INCUBATOR], ids=lambda dialect: dialect.name)
def test_an_unknown_queue_is_the_reason_of_its_own_gang_alone(
    scene: Scene, dialect: Dialect
) -> None:
    job = Job(scene.namespace, "job", dialect, workers=2, queue="nowhere")
    scene.add_nodes(2)
    scene.schedulers.start()

    scene.submit(job)
    starts_beside(scene)
    scene.until(jobs.waits(job))

    assert "nowhere" in jobs.reason(job, scene.now)
    assert scene.bound(job) == set()
    scene.judged()


def test_an_unknown_priority_class_is_the_reason_of_its_own_gang_alone(scene: Scene) -> None:
    job = Job(scene.namespace, "job", workers=2)
    (group,) = job.group()
    group["spec"]["priorityClassName"] = "nobody-made-it"
    scene.add_nodes(2)
    scene.schedulers.start()

    scene.create(group, job)
    for pod in job.pod_documents():
        scene.create(pod, job)
    starts_beside(scene)
    scene.until(jobs.waits(job))

    assert "nobody-made-it" in jobs.reason(job, scene.now)
    assert scene.bound(job) == set()


def test_a_capability_that_is_no_quantity_holds_its_own_queue_alone(scene: Scene) -> None:
    queue: Object = {"apiVersion": VOLCANO.api_version, "kind": "Queue"}
    scene.api.create(
        {**queue, "metadata": {"name": "q"}, "spec": {"weight": 1, "capability": {GPU: "plenty"}}}
    )
    job = Job(scene.namespace, "job", workers=2, queue="q")
    scene.add_nodes(2)
    scene.schedulers.start()

    scene.submit(job)
    starts_beside(scene)
    scene.until(jobs.waits(job))

    assert "plenty" in jobs.reason(job, scene.now)
    assert scene.bound(job) == set()


def test_a_group_that_asks_for_no_member_starts_with_one(scene: Scene) -> None:
    job = Job(scene.namespace, "job", workers=2, minimum=1)
    (group,) = job.group()
    group["spec"]["minMember"] = 0
    scene.schedulers.start()

    scene.create(group, job)
    for pod in job.pod_documents():
        scene.create(pod, job)
    scene.add_nodes(1)
    scene.until(lambda now: len(jobs.bound(job, now)) == 1)
    scene.add_nodes(1)
    scene.until(jobs.is_bound(job))

    assert scene.judged().started[job.gang].minimum == 1


def test_nodes_of_sixty_four_kinds_of_devices_are_told_apart(scene: Scene) -> None:
    kinds = [f"example.com/device-{n}" for n in range(64)]
    for n, kind in enumerate(kinds):
        arranging.add_nodes(scene.api, [f"n{n:02}"], {"cpu": "4", kind: "1"})
    asks = [{"name": "c", "image": "i", "resources": {"limits": {kind: "1"}}} for kind in kinds]
    each = [
        Job(scene.namespace, f"j{n:02}", jobs.NO_GROUP, gpus=0, extra={"containers": [asked]})
        for n, asked in enumerate(asks)
    ]
    scene.schedulers.start()

    arranging.create_all(scene.api, [document for job in each for document in job.documents()])
    scene.until(jobs.is_bound(*each))

    nodes = {p["metadata"]["name"]: p["spec"]["nodeName"] for p in scene.record.pods()}
    assert nodes == {f"j{n:02}-worker-0": f"n{n:02}" for n in range(64)}
    scene.judged()


def test_rules_that_are_not_built_wait_and_are_named(scene: Scene) -> None:
    apart = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"a": "b"}}}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    job = Job(scene.namespace, "job", workers=1, extra={"affinity": affinity})
    scene.add_nodes(2)
    scene.schedulers.start()

    scene.submit(job)
    starts_beside(scene)
    scene.until(jobs.waits(job))

    assert "ffinity" in jobs.reason(job, scene.now)
    assert scene.bound(job) == set()
