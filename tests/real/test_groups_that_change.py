"""A group comes after its pods, or changes just before its gang starts: the plan is for the group
as it is, never for the group as it was."""

from __future__ import annotations

import pytest
from faults.proxy import Proxy
from faults.schedule import Meanwhile, Refused, Untouched
from real import jobs
from real.api import Object
from real.jobs import DIALECTS, Dialect, Job
from real.scene import Scene

pytestmark = pytest.mark.real

with_groups = pytest.mark.parametrize(
    "dialect", [d for d in DIALECTS if d.api_version], ids=lambda dialect: dialect.name
)
READ_GROUP = "/podgroups(/job)?(\\?(?!.*watch)|$)"


@with_groups
def test_pods_whose_group_is_not_there_yet_wait_for_it(scene: Scene, dialect: Dialect) -> None:
    job = Job(scene.namespace, "job", dialect, workers=3, minimum=2)
    scene.add_nodes(3)
    scene.schedulers.start()

    for pod in job.pod_documents():
        scene.create(pod, job)
    scene.until(lambda now: jobs.unplaceable(job, now) == set(job.pods))
    bound_while_waiting = scene.bound(job)
    for group in job.group():
        scene.create(group, job)
    scene.until(jobs.is_bound(job))

    assert bound_while_waiting == set()
    assert scene.judged(delivery_seconds=0).started[job.gang].minimum == 2


@with_groups
def test_a_minimum_that_was_raised_behind_a_stale_watch_is_found_by_reading_the_group(
    faulty: Scene, proxy: Proxy, dialect: Dialect
) -> None:
    job = Job(faulty.namespace, "job", dialect, workers=3, minimum=2)
    read = proxy.on("GET", READ_GROUP, Untouched(), nth=None)
    faulty.schedulers.start()
    faulty.submit(job)
    faulty.until(jobs.waits(job))

    with proxy.stale("/podgroups"):
        raise_minimum(faulty, job, 4)
        before = read.struck
        faulty.add_nodes(4)
        read.wait(before + 1)
    faulty.until(lambda now: "4" in jobs.reason(job, now))
    bound_while_waiting = faulty.bound(job)
    faulty.api.create(job.pod("job-worker-3"))
    faulty.until(jobs.is_bound(job))

    assert bound_while_waiting == set()
    assert faulty.judged(delivery_seconds=0).started[job.gang].minimum == 4


def test_a_group_that_changes_while_it_is_read_holds_as_it_was_read(
    faulty: Scene, proxy: Proxy
) -> None:
    job = Job(faulty.namespace, "job", workers=3, minimum=3)
    proxy.on("GET", READ_GROUP, Meanwhile(lambda: raise_minimum(faulty, job, 4)))
    faulty.add_nodes(4)
    faulty.schedulers.start()

    faulty.submit(job)
    faulty.until(lambda now: "4" in jobs.reason(job, now))
    bound_while_waiting = faulty.bound(job)
    faulty.api.create(job.pod("job-worker-3"))
    faulty.until(jobs.is_bound(job))

    assert bound_while_waiting == set()
    faulty.judged(delivery_seconds=0)


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_group_that_cannot_be_read_for_a_moment_is_read_again(
    faulty: Scene, proxy: Proxy, code: int
) -> None:
    job = Job(faulty.namespace, "job", workers=3)
    faulty.add_nodes(3)
    faulty.schedulers.start()
    refused = proxy.on("GET", READ_GROUP, Refused(code), nth=range(1, 4))

    faulty.submit(job)
    faulty.until(jobs.is_bound(job))

    assert refused.struck
    faulty.judged()


def test_a_group_that_is_deleted_leaves_its_pods_waiting(scene: Scene) -> None:
    job = Job(scene.namespace, "job", workers=2)
    scene.schedulers.start()
    scene.submit(job)
    scene.until(jobs.waits(job))

    scene.api.delete(job.group_path)
    scene.until(lambda now: now.get((job.dialect.collection, job.namespace, job.name)) is None)
    scene.add_nodes(2)
    later = scene.submit(Job(scene.namespace, "later", workers=1))
    scene.until(jobs.is_bound(later))

    assert scene.bound(job) == set()
    scene.judged()


def test_a_namespace_that_is_deleted_takes_its_gangs_with_it_and_no_others(scene: Scene) -> None:
    doomed = Job(scene.namespace, "doomed", workers=2)
    scene.schedulers.start()
    scene.submit(doomed)
    scene.until(jobs.waits(doomed))

    scene.api.delete(f"/api/v1/namespaces/{scene.namespace}")
    scene.add_nodes(2)
    other: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "beside"}}
    scene.create(other, doomed)
    later = scene.submit(Job("default", "later", workers=2))
    scene.until(lambda now: jobs.is_bound(later)(now) or jobs.is_bound(doomed)(now))

    scene.judged()


def raise_minimum(scene: Scene, job: Job, minimum: int) -> None:
    scene.api.patch(job.group_path, {"spec": {"minMember": minimum}})
