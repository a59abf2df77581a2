"""Watches are cut, stale, or too old: nothing is lost, and nothing is planned on what is not so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from faults.proxy import Proxy
from faults.schedule import WATCH, CutWatch, Fault, Gone, Refused
from real import jobs, kubelet
from real.jobs import Job
from real.scene import Scene

pytestmark = pytest.mark.real

EVERY = "watch="
KINDS = ("/pods", "/nodes", "/podgroups")
BAD_STARTS = {
    "cut at once": CutWatch(),
    "cut after an event": CutWatch(after=1),
    "cut in the middle of a line": CutWatch(after=1, half_a_line=True),
    "410 at once": Gone(),
    "500": Refused(500),
    "429": Refused(429, "TooManyRequests", retry_after_seconds=1),
}


@pytest.mark.parametrize("fault", BAD_STARTS.values(), ids=BAD_STARTS)
def test_a_watch_that_begins_badly_is_begun_again(
    faulty: Scene, proxy: Proxy, fault: Fault
) -> None:
    rules = [proxy.on(WATCH, kind, fault, nth=range(1, 3)) for kind in KINDS]
    job = Job(faulty.namespace, "job", workers=4)
    faulty.schedulers.start(wait=False)

    faulty.submit(job)
    faulty.add_nodes(2, gpus=2)
    faulty.until(jobs.is_bound(job))

    assert all(rule.struck for rule in rules)
    faulty.judged()


def cut(proxy: Proxy) -> int:
    return proxy.cut(EVERY)


def expire(proxy: Proxy) -> int:
    return proxy.expire(EVERY)


@pytest.mark.parametrize("end", [cut, expire], ids=["cut", "410"])
def test_what_happens_between_two_watches_is_not_missed(
    faulty: Scene, proxy: Proxy, end: Callable[[Proxy], int]
) -> None:
    batch = [Job(faulty.namespace, f"job-{n}", workers=3) for n in range(6)]
    faulty.add_nodes(4)
    faulty.schedulers.start()

    ended = 0
    with kubelet.played(faulty.api):
        for job in batch:
            faulty.submit(job)
            ended += end(proxy)
            faulty.until(jobs.runs(job))
            ended += end(proxy)
            faulty.finish(job)

    assert ended >= 12
    assert faulty.judged().started.keys() == {job.gang for job in batch}


@pytest.mark.parametrize("end", [cut, expire], ids=["cut", "410"])
def test_a_pod_that_went_between_two_watches_takes_no_room_any_more(
    faulty: Scene, proxy: Proxy, end: Callable[[Proxy], int]
) -> None:
    node = faulty.add_nodes(1, gpus=2)[0]
    faulty.take(node, gpus=2)
    job = Job(faulty.namespace, "job", workers=2)
    faulty.schedulers.start()
    faulty.submit(job)
    faulty.until(jobs.waits(job))

    with proxy.stale("/pods"):
        faulty.remove("foreign")
        end(proxy)
    faulty.until(jobs.is_bound(job))

    faulty.judged()


def test_room_that_was_taken_behind_a_stale_watch_is_nobodys_fault_and_known_afterwards(
    faulty: Scene, proxy: Proxy
) -> None:
    first = Job(faulty.namespace, "first", workers=2)
    second = Job(faulty.namespace, "second", workers=1)
    faulty.schedulers.start()
    faulty.submit(first)
    faulty.until(jobs.waits(first))

    with proxy.stale("/pods"):
        node = faulty.add_nodes(1, gpus=2)[0]
        faulty.take(node, gpus=1)
        faulty.until(jobs.is_bound(first))  # with what it knew there was room
    faulty.submit(second)
    faulty.until(jobs.waits(second))

    assert faulty.bound(second) == set()
    faulty.judged(delivery_seconds=60)


def test_a_node_that_left_behind_a_stale_watch_gets_no_more_pods_once_that_is_known(
    faulty: Scene, proxy: Proxy
) -> None:
    leaving, staying = faulty.add_nodes(2, gpus=2)
    faulty.schedulers.start()
    job = Job(faulty.namespace, "job", workers=2)

    with proxy.stale("/nodes"):
        faulty.api.delete(f"/api/v1/nodes/{leaving}")
    proxy.expire("/nodes")
    faulty.submit(job)
    faulty.until(jobs.is_bound(job))

    assert {pod["spec"]["nodeName"] for pod in faulty.record.pods(faulty.namespace)} == {staying}
    faulty.judged()
