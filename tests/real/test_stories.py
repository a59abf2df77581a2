"""The seeds' stories on a real control plane, with kubectl and plain pods, in each dialect."""

from __future__ import annotations

import json

import pytest
from real import jobs, kubelet
from real.api import Object
from real.jobs import VOLCANO, Dialect, Job
from real.scene import Scene

pytestmark = pytest.mark.real

each_dialect = pytest.mark.parametrize("dialect", jobs.DIALECTS, ids=lambda dialect: dialect.name)


@each_dialect
def test_a_gang_waits_whole_with_its_reason_and_runs_whole_when_there_is_room(
    scene: Scene, dialect: Dialect
) -> None:
    job = Job(scene.namespace, "tf-smoke-gpu", dialect, servers=1, workers=4, gpus=2)
    scene.add_nodes(gpus=4)
    scene.schedulers.start()

    with kubelet.played(scene.api):
        scene.submit(job)
        scene.until(jobs.waits(job))
        bound_while_waiting, why = scene.bound(job), jobs.reason(job, scene.now)
        scene.add_nodes(gpus=4)
        scene.until(jobs.runs(job))

    assert bound_while_waiting == set()
    assert "GPU" in why or "gpu" in why
    assert scene.judged().started[job.gang].minimum == 5


@each_dialect
def test_of_two_gangs_one_runs_and_the_other_waits_whole_until_the_first_ends(
    scene: Scene, dialect: Dialect
) -> None:
    first = Job(scene.namespace, "first", dialect, servers=1, workers=3)
    second = Job(scene.namespace, "second", dialect, servers=1, workers=2)
    scene.add_nodes(4)
    scene.schedulers.start()

    with kubelet.played(scene.api):
        scene.submit(first)
        scene.until(jobs.runs(first))
        scene.submit(second)
        scene.until(jobs.waits(second))
        bound_while_waiting = scene.bound(second)
        scene.finish(first)
        scene.until(jobs.runs(second))

    assert bound_while_waiting == set()  # its parameter server neither, which would have room
    assert scene.judged().started.keys() == {first.gang, second.gang}


@each_dialect
def test_of_two_gangs_that_arrive_in_turns_one_runs_and_none_locks_the_other(
    scene: Scene, dialect: Dialect
) -> None:
    pair = [Job(scene.namespace, name, dialect, servers=1, workers=3) for name in ("a", "b")]
    scene.add_nodes(4)
    scene.schedulers.start()

    with kubelet.played(scene.api):
        for job in pair:
            for group in job.group():
                scene.create(group, job)
        for pods in zip(*(job.pod_documents() for job in pair), strict=True):
            for pod in pods:
                scene.api.create(pod)
        scene.until(lambda now: any(jobs.runs(job)(now) for job in pair))
        first, second = sorted(pair, key=lambda job: not scene.bound(job))
        bound_while_waiting = scene.bound(second)
        scene.finish(first)
        scene.until(jobs.runs(second))

    assert bound_while_waiting == set()
    assert len(scene.judged().started) == 2


@pytest.mark.parametrize("dialect", jobs.DIALECTS[:3], ids=lambda dialect: dialect.name)
def test_a_groups_status_reads_as_its_project_writes_it(scene: Scene, dialect: Dialect) -> None:
    job = Job(scene.namespace, "job", dialect, workers=2)
    kind = f"podgroups.{dialect.api_version.partition('/')[0]}"
    scene.schedulers.start()

    with kubelet.played(scene.api):
        scene.submit(job)
        scene.until(jobs.waits(job))
        waiting = status_of(scene, kind, job)
        scene.add_nodes(2)
        scene.until(lambda now: jobs.phase(job, now) == "Running")
        scene.until(lambda _: status_of(scene, kind, job).get("running") == 2)

    (condition,) = waiting["conditions"]
    assert waiting["phase"] == ("Inqueue" if dialect is VOLCANO else "Pending")
    assert (condition["type"], condition["status"]) == ("Unschedulable", "True")
    assert condition["reason"] in {"NotEnoughResources", "NotEnoughTasks"}
    assert condition["message"]


@each_dialect
def test_a_gang_with_too_few_pods_waits_and_says_so(scene: Scene, dialect: Dialect) -> None:
    job = Job(scene.namespace, "job", dialect, workers=2, minimum=3)
    scene.add_nodes(4)
    scene.schedulers.start()

    scene.submit(job)
    scene.until(jobs.waits(job))
    bound_while_waiting, why = scene.bound(job), jobs.reason(job, scene.now)
    scene.api.create(job.pod("job-worker-2"))
    scene.until(jobs.is_bound(job))

    assert bound_while_waiting == set()
    assert "3" in why
    assert "2" in why
    assert scene.judged().started[job.gang].minimum == 3


def test_pods_without_a_group_start_one_by_one_and_others_are_left_alone(scene: Scene) -> None:
    loner = Job(scene.namespace, "loner", jobs.NO_GROUP, workers=3)
    other = Job(scene.namespace, "other", jobs.Dialect("none", "somebody-else"), workers=1)
    scene.add_nodes(gpus=2)
    scene.schedulers.start()

    for job in (other, loner):
        scene.submit(job)
    scene.until(lambda now: len(jobs.bound(loner, now)) == 2)
    scene.add_nodes()
    scene.until(jobs.is_bound(loner))

    assert scene.bound(other) == set()
    assert {start.minimum for start in scene.judged().started.values()} == {1}


def test_a_queue_is_never_filled_above_its_capability(scene: Scene) -> None:
    queue = {"apiVersion": VOLCANO.api_version, "kind": "Queue", "metadata": {"name": "small"}}
    pair = [Job(scene.namespace, name, workers=2, queue="small") for name in ("a", "b")]
    scene.api.create({**queue, "spec": {"weight": 1, "capability": {jobs.GPU: 3}}})
    scene.add_nodes(8)
    scene.schedulers.start()

    with kubelet.played(scene.api):
        for job in pair:
            scene.submit(job)
        scene.until(lambda now: any(jobs.waits(job)(now) for job in pair))
        second, first = sorted(pair, key=lambda job: len(scene.bound(job)))
        why = jobs.reason(second, scene.now)
        scene.finish(first)
        scene.until(jobs.runs(second))

    assert "small" in why
    assert scene.judged().started.keys() == {job.gang for job in pair}


def test_nothing_that_it_asks_for_is_forbidden(scene: Scene) -> None:
    job = Job(scene.namespace, "job", workers=2)
    refused_before = forbidden(scene)
    scene.schedulers.start()

    with kubelet.played(scene.api):
        scene.submit(job)
        scene.until(jobs.waits(job))
        scene.add_nodes(2)
        scene.until(jobs.runs(job))
        scene.until(lambda now: jobs.phase(job, now) == "Running")
        scene.finish(job)
        scene.until(lambda now: jobs.phase(job, now) not in {"Running", "Inqueue", "Pending"})

    assert forbidden(scene) == refused_before
    events = scene.api.list(f"/api/v1/namespaces/{scene.namespace}/events").items
    assert {event["involvedObject"]["kind"] for event in events} == {"PodGroup", "Pod"}


def forbidden(scene: Scene) -> list[str]:
    """What the API server has answered with 403 so far, by its own count; but for config maps,
    which the controllers put into namespaces that are being deleted."""
    metrics = scene.api.text("/metrics").splitlines()
    counts = [line for line in metrics if line.startswith("apiserver_request_total{")]
    refused = [line for line in counts if 'code="403"' in line]
    return [line for line in refused if 'resource="configmaps"' not in line]


def status_of(scene: Scene, kind: str, job: Job) -> Object:
    """As kubectl tells it."""
    told = scene.cluster.kubectl("get", kind, job.name, "-n", job.namespace, "-o", "json")
    status: Object = json.loads(told.stdout).get("status", {})
    return status
