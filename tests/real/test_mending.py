"""A wounded gang keeps its room until its deadline; then it goes whole, if it is made again."""

from __future__ import annotations

import pytest
from faults.proxy import Proxy
from faults.schedule import Refused
from real import jobs, kubelet
from real.api import Object
from real.jobs import DIALECTS, LABELS, VOLCANO, Dialect, Job
from real.scene import Scene

pytestmark = pytest.mark.real

each_form = pytest.mark.parametrize("dialect", [VOLCANO, LABELS], ids=lambda dialect: dialect.name)
SOON = "--mending-timeout=3s"


@each_form
def test_a_gang_that_cannot_be_mended_in_time_is_released_whole(
    scene: Scene, dialect: Dialect
) -> None:
    job, other = wounded(scene, dialect, controller=owner(scene))

    with kubelet.played(scene.api):
        scene.until(jobs.waits(other))
        kept_meanwhile = scene.bound(job)
        scene.until(lambda now: not jobs.bound(job, now))
        scene.until(jobs.runs(other))

    assert kept_meanwhile == {"job-worker-0"}
    scene.judged()


@each_form
def test_bare_pods_are_never_deleted_and_go_on_mending_after_the_deadline(
    scene: Scene, dialect: Dialect
) -> None:
    job, other = wounded(scene, dialect, controller=None)
    (serving,) = scene.schedulers.all

    with kubelet.played(scene.api):
        scene.until(jobs.waits(other))
        serving.child.wait_until(lambda: "keeps mending" in serving.log(), seconds=20)
        kept = scene.bound(job)
        scene.add_nodes(1)
        scene.until(jobs.runs(job))

    assert kept == {"job-worker-0"}
    assert serving.metric("fullcrew_released_gangs_total") == 0
    scene.judged()


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_a_gang_that_lost_its_node_is_whole_again_on_another(
    scene: Scene, dialect: Dialect
) -> None:
    job, other = wounded(scene, dialect, controller=None, spare=1)

    with kubelet.played(scene.api):
        scene.until(jobs.runs(job))
        scene.until(jobs.waits(other))

    assert scene.bound(other) == set()
    assert scene.judged().short == {}


def test_a_gang_whose_member_is_refused_for_good_is_released_at_its_deadline(
    faulty: Scene, proxy: Proxy
) -> None:
    proxy.on("POST", "job-worker-1/binding", Refused(422, "Invalid"), nth=None)
    job = Job(faulty.namespace, "job", workers=2)
    other = Job(faulty.namespace, "other", workers=2)
    faulty.add_nodes(2)
    serving = faulty.schedulers.start(SOON)
    controller = owner(faulty)
    for document in (*job.group(), *(owned(job.pod(name), controller) for name in job.pods)):
        faulty.api.create(document)

    with kubelet.played(faulty.api):
        faulty.until(lambda now: jobs.bound(job, now) == {"job-worker-0"})
        faulty.submit(other)
        faulty.until(jobs.runs(other))

    assert faulty.bound(job) == set()
    assert serving.metric("fullcrew_released_gangs_total") == 1
    faulty.judged()


def wounded(
    scene: Scene, dialect: Dialect, *, controller: Object | None, spare: int = 0
) -> tuple[Job, Job]:
    """A gang of two that stood on two nodes, one of which is gone with its pod, which was made
    again; and another one that would like to have the room of a single pod."""
    job = Job(scene.namespace, "job", dialect, workers=2)
    other = Job(scene.namespace, "other", dialect, workers=1 + spare)
    scene.add_nodes(2 + spare)
    scene.schedulers.start(SOON)
    for group in job.group():
        scene.api.create(group)
    for name in job.pods:
        scene.api.create(owned(job.pod(name), controller))
    scene.until(jobs.is_bound(job))

    path = f"/api/v1/namespaces/{scene.namespace}/pods/job-worker-1"
    node = scene.api.get(path)["spec"]["nodeName"]
    scene.api.delete(f"/api/v1/nodes/{node}")
    scene.remove("job-worker-1")
    scene.api.create(owned(job.pod("job-worker-1"), controller))
    return job, scene.submit(other)


def owner(scene: Scene) -> Object:
    """Something that exists, which the garbage collector asks for."""
    metadata = {"name": "owner", "namespace": scene.namespace}
    made = scene.api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    uid = made["metadata"]["uid"]
    named = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}
    return {**named, "controller": True}


def owned(pod: Object, controller: Object | None) -> Object:
    if controller is None:
        return pod
    return {**pod, "metadata": {**pod["metadata"], "ownerReferences": [controller]}}
