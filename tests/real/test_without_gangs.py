"""What happens to the same jobs under kube-scheduler, which places pod by pod: why there is a
Fullcrew. If one of these fails, Kubernetes has changed and the story has to be told anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pytest
from real import jobs, kubelet
from real.control_plane import ControlPlane
from real.jobs import NO_GANGS, Job
from real.scene import Scene

pytestmark = pytest.mark.real


@pytest.fixture
def pod_by_pod(cluster: ControlPlane, scene: Scene) -> Iterator[Scene]:
    """kube-scheduler of the same release, and four nodes of one GPU each."""
    scene.add_nodes(4)
    cluster.start_scheduler()
    with kubelet.played(scene.api):
        yield scene
    cluster.stop_scheduler()


def test_the_second_job_is_half_started_and_holds_its_gpu(pod_by_pod: Scene) -> None:
    scene = pod_by_pod
    first = Job(scene.namespace, "first", NO_GANGS, servers=1, workers=3)
    second = Job(scene.namespace, "second", NO_GANGS, servers=1, workers=2)

    scene.submit(first)
    scene.until(jobs.runs(first))
    scene.submit(second)
    scene.until(lambda now: len(jobs.bound(second, now) | jobs.unplaceable(second, now)) == 3)

    held = scene.bound(second)
    assert len(held) == 2
    assert "second-ps-0" in held


def test_two_jobs_that_arrive_in_turns_lock_each_other_out(pod_by_pod: Scene) -> None:
    scene = pod_by_pod
    pair = [Job(scene.namespace, name, NO_GANGS, servers=1, workers=3) for name in ("a", "b")]

    for turn in range(4):
        for job in pair:
            scene.api.create(job.pod(job.pods[turn]))
        scene.until(partial(are_decided, pair, 2 * (turn + 1)))

    for job in pair:
        assert len(scene.bound(job)) == 3  # of four: the server and two workers; nobody gets on
        assert len(jobs.unplaceable(job, scene.now)) == 1


def are_decided(pair: Sequence[Job], count: int, now: jobs.Now) -> bool:
    """Whether so many pods have a node, or were told that there is none for them."""
    told = (jobs.bound(job, now) | jobs.unplaceable(job, now) for job in pair)
    return sum(map(len, told)) == count
