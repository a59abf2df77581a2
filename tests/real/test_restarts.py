"""A scheduler dies at a chosen moment: the next takes over from what the cluster itself tells."""

from __future__ import annotations

import pytest
from faults.proxy import Proxy
from faults.schedule import Gate, Late
from real import jobs
from real.jobs import DIALECTS, Dialect, Job
from real.scene import Scene
from real.serving import SHORT_LEASE

pytestmark = pytest.mark.real

BIND = "/binding"
each_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)


@each_dialect
def test_a_gang_that_was_bound_halfway_is_made_whole_before_anything_else(
    faulty: Scene, proxy: Proxy, dialect: Dialect
) -> None:
    gate = Gate()
    late = proxy.on("POST", BIND, Late(gate), nth=range(3, 5))
    job = Job(faulty.namespace, "job", dialect, workers=4)
    faulty.add_nodes(2, gpus=2)
    first = faulty.schedulers.start(*SHORT_LEASE)
    faulty.submit(job)
    late.wait(2)
    faulty.until(lambda now: len(jobs.bound(job, now)) == 2)

    first.child.kill()
    other = faulty.submit(Job(faulty.namespace, "a-first-by-name", dialect, workers=2))
    faulty.schedulers.start(*SHORT_LEASE)
    faulty.until(jobs.is_bound(job))
    faulty.until(jobs.waits(other))
    gate.open()  # what the dead one had sent arrives only now

    faulty.judged()
    assert faulty.bound(other) == set()


def test_a_bind_of_a_dead_scheduler_that_arrives_late_is_known_to_the_next(
    faulty: Scene, proxy: Proxy
) -> None:
    gate = Gate()
    late = proxy.on("POST", BIND, Late(gate))
    job = Job(faulty.namespace, "job", workers=1)
    node = faulty.add_nodes()[0]
    first = faulty.schedulers.start(*SHORT_LEASE)
    faulty.submit(job)
    late.wait()

    first.child.kill()
    faulty.api.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}})
    faulty.schedulers.start(*SHORT_LEASE)
    faulty.until(jobs.waits(job))
    gate.open()
    faulty.until(jobs.is_bound(job))
    other = faulty.submit(Job(faulty.namespace, "other", workers=1))
    faulty.api.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": None}})
    faulty.until(jobs.waits(other))

    faulty.judged()
    assert faulty.bound(other) == set()


def test_what_stands_is_left_alone_by_the_next(faulty: Scene, proxy: Proxy) -> None:
    standing = Job(faulty.namespace, "standing", workers=3)
    faulty.add_nodes(4)
    first = faulty.schedulers.start()
    faulty.submit(standing)
    faulty.until(jobs.is_bound(standing))
    first.child.stop()

    bound_by_the_first = len(binds(proxy))
    faulty.schedulers.start()
    later = faulty.submit(Job(faulty.namespace, "later", workers=1))
    faulty.until(jobs.is_bound(later))

    assert bound_by_the_first == 3
    assert len(binds(proxy)) == 4
    faulty.judged()


def test_a_second_replica_binds_nothing_until_the_first_is_gone(faulty: Scene) -> None:
    first = faulty.schedulers.start(*SHORT_LEASE)
    second = faulty.schedulers.start(*SHORT_LEASE, wait=False)
    early = Job(faulty.namespace, "early", workers=2)
    late = Job(faulty.namespace, "late", workers=2)
    faulty.add_nodes(4)

    faulty.submit(early)
    faulty.until(jobs.is_bound(early))
    leading = [serving.metric("fullcrew_is_leader") for serving in (first, second)]
    first.child.kill()
    faulty.submit(late)
    faulty.until(jobs.is_bound(late))

    assert leading == [1, 0]
    assert second.metric("fullcrew_is_leader") == 1
    faulty.judged()


def binds(proxy: Proxy) -> list[str]:
    return [path for verb, path in proxy.passed if verb == "POST" and BIND in path]
