"""Group kinds are missing, come later, go away, or have no status subresource: each dialect on its
own, and none takes the others with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from real import jobs, kubelet, rights
from real.api import Api, Object
from real.jobs import DIALECTS, INCUBATOR, LABELS, VOLCANO, Dialect, Job
from real.scene import Scene

pytestmark = pytest.mark.real

with_groups = pytest.mark.parametrize(
    "dialect", [d for d in DIALECTS if d.api_version], ids=lambda dialect: dialect.name
)


@pytest.fixture
def crds(api: Api) -> Iterator[list[Object]]:
    """All of ours, which are there again, as we ship them, when the test is over."""
    them = list(rights.crd_documents())
    yield them
    rights.install_crds(api, them)


def test_without_any_of_our_kinds_the_labels_still_make_gangs(
    scene: Scene, crds: list[Object]
) -> None:
    rights.remove_crds(scene.api, crds)
    job = Job(scene.namespace, "job", LABELS, workers=3)
    scene.schedulers.start()

    scene.submit(job)
    scene.until(jobs.waits(job))
    scene.add_nodes(3)
    scene.until(jobs.is_bound(job))

    scene.judged()


def test_a_kind_that_is_installed_later_is_served_from_then_on(
    scene: Scene, crds: list[Object]
) -> None:
    rights.remove_crds(scene.api, of(VOLCANO, crds))
    job = Job(scene.namespace, "job", VOLCANO, workers=3)
    beside = Job(scene.namespace, "beside", INCUBATOR, workers=2)
    scene.add_nodes(5)
    scene.schedulers.start()

    for pod in job.pod_documents():
        scene.create(pod, job)
    scene.submit(beside)
    scene.until(jobs.is_bound(beside))
    bound_before = scene.bound(job)
    rights.install_crds(scene.api, of(VOLCANO, crds))
    for group in job.group():
        scene.api.create(group)
    scene.until(jobs.is_bound(job), seconds=60)

    assert bound_before == set()
    scene.judged()


def test_a_kind_that_is_taken_away_leaves_the_others_at_work(
    scene: Scene, crds: list[Object]
) -> None:
    gone = Job(scene.namespace, "gone", VOLCANO, workers=2)
    beside = Job(scene.namespace, "beside", INCUBATOR, workers=2)
    scene.schedulers.start()
    scene.submit(gone)
    scene.until(jobs.waits(gone))

    rights.remove_crds(scene.api, of(VOLCANO, crds))
    scene.submit(beside)
    scene.add_nodes(4)
    scene.until(jobs.is_bound(beside))
    bound_without_a_group = scene.bound(gone)
    rights.install_crds(scene.api, of(VOLCANO, crds))
    for group in gone.group():
        scene.api.create(group)
    scene.until(jobs.is_bound(gone), seconds=60)

    assert bound_without_a_group == set()
    scene.judged()


@with_groups
def test_a_status_is_written_with_the_object_where_there_is_no_subresource(
    scene: Scene, crds: list[Object], dialect: Dialect
) -> None:
    plain = [rights.without_status(crd) for crd in of(dialect, crds)]
    rights.install_crds(scene.api, plain)
    scene.until(lambda _: not has_status(scene.api, dialect))
    job = Job(scene.namespace, "job", dialect, workers=2)
    scene.schedulers.start()

    with kubelet.played(scene.api):
        scene.submit(job)
        scene.until(jobs.waits(job))
        scene.add_nodes(2)
        scene.until(lambda now: jobs.phase(job, now) == "Running")

    group = scene.api.get(job.group_path)
    assert group["spec"]["minMember"] == 2
    scene.judged()


def of(dialect: Dialect, crds: list[Object]) -> list[Object]:
    group = dialect.api_version.partition("/")[0]
    return [crd for crd in crds if crd["spec"]["group"] == group]


def has_status(api: Api, dialect: Dialect) -> bool:
    served = api.get(f"/apis/{dialect.api_version}")["resources"]
    return any(resource["name"] == "podgroups/status" for resource in served)
