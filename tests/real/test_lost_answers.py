"""An answer is lost or bad, and nobody knows what the server did: gangs start whole anyway."""

from __future__ import annotations

import re

import pytest
from faults.proxy import Proxy
from faults.schedule import (
    AnsweredLate,
    Fault,
    Gate,
    Late,
    LostAfter,
    LostBefore,
    Refused,
)
from real import jobs
from real.jobs import LABELS, Job
from real.scene import Scene

pytestmark = pytest.mark.real

BIND = "/binding"
FAULTS = {
    "lost before the server acted": LostBefore(),
    "lost after the server acted": LostAfter(),
    "500 and nothing done": Refused(500),
    "500 and done": Refused(500, acted=True),
    "504 and done": Refused(504, "Timeout", acted=True),
    "429 with Retry-After": Refused(429, "TooManyRequests", retry_after_seconds=1),
    "409 and nothing done": Refused(409, "Conflict"),
    "409 and done": Refused(409, "Conflict", acted=True),
    "403 and nothing done": Refused(403, "Forbidden"),
    "422 and nothing done": Refused(422, "Invalid"),
}
WHICH = {"first": range(1, 2), "last": range(4, 5), "first three": range(1, 4)}


@pytest.mark.parametrize("which", WHICH.values(), ids=WHICH)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_gang_starts_whole_when_the_answer_to_a_bind_is(
    faulty: Scene, proxy: Proxy, fault: Fault, which: range
) -> None:
    struck = proxy.on("POST", BIND, fault, nth=which)
    job = Job(faulty.namespace, "job", workers=4)
    faulty.add_nodes(2, gpus=2)
    faulty.schedulers.start()

    faulty.submit(job)
    faulty.until(jobs.is_bound(job))

    assert struck.struck == len(which)
    assert faulty.judged().started[job.gang].minimum == 4


@pytest.mark.parametrize("fault", [LostBefore(), LostAfter()], ids=["before", "after"])
def test_a_lost_bind_is_settled_with_the_server(faulty: Scene, proxy: Proxy, fault: Fault) -> None:
    proxy.on("POST", BIND, fault)
    job = Job(faulty.namespace, "job", workers=1)
    faulty.add_nodes(2)
    serving = faulty.schedulers.start()

    faulty.submit(job)
    faulty.until(jobs.is_bound(job))
    serving.child.stop()

    asked = [verb for verb, path in proxy.passed if "pods/job-worker-0" in path]
    assert [verb for verb in asked if verb != "PATCH"] in (["POST", "POST"], ["POST", "GET"])
    faulty.judged()


def test_room_of_an_unknown_bind_stays_taken(faulty: Scene, proxy: Proxy) -> None:
    gate = Gate()
    late = proxy.on("POST", BIND, Late(gate))
    first = Job(faulty.namespace, "first", workers=1)
    second = Job(faulty.namespace, "second", workers=1)
    faulty.add_nodes()
    faulty.schedulers.start()

    faulty.submit(first)
    late.wait()
    faulty.submit(second)
    faulty.until(jobs.waits(second))
    bound_meanwhile = faulty.bound(second)
    gate.open()
    faulty.until(jobs.is_bound(first))

    assert bound_meanwhile == set()
    assert faulty.bound(second) == set()
    faulty.judged()


def test_binds_whose_answers_are_late_are_settled_and_not_planned_twice(
    faulty: Scene, proxy: Proxy
) -> None:
    gate = Gate()
    late = proxy.on("POST", BIND, AnsweredLate(gate), nth=range(1, 4))
    job = Job(faulty.namespace, "job", workers=6)
    faulty.add_nodes(3, gpus=2)
    faulty.schedulers.start()

    faulty.submit(job)
    late.wait(3)
    faulty.until(jobs.is_bound(job))
    gate.open()

    faulty.judged()


def test_429_is_waited_out_as_long_as_the_server_asks(faulty: Scene, proxy: Proxy) -> None:
    busy = Refused(429, "TooManyRequests", retry_after_seconds=2)
    struck = proxy.on("POST", BIND, busy)
    job = Job(faulty.namespace, "job", workers=1)
    faulty.add_nodes()
    faulty.schedulers.start()

    faulty.submit(job)
    faulty.until(jobs.is_bound(job))

    bound_at = faulty.judged().started[job.gang].first
    assert bound_at - struck.seconds >= 1.9


def test_a_member_that_is_refused_is_mended_before_anything_else_starts(
    faulty: Scene, proxy: Proxy
) -> None:
    refused = proxy.on("POST", "job-worker-3" + BIND, Refused(422, "Invalid"), nth=range(1, 3))
    job = Job(faulty.namespace, "job", workers=4)
    other = Job(faulty.namespace, "other", workers=1)
    faulty.add_nodes(4)
    faulty.schedulers.start()

    faulty.submit(job)
    refused.wait()
    faulty.submit(other)
    faulty.until(jobs.is_bound(job))
    faulty.until(jobs.waits(other))

    assert faulty.bound(other) == set()
    faulty.judged()


def test_the_servers_own_words_are_the_reason_of_a_gang_that_it_refuses(
    faulty: Scene, proxy: Proxy
) -> None:
    refused = proxy.on("POST", "bad-worker-0" + BIND, Refused(422, "Invalid"), nth=None)
    bad = Job(faulty.namespace, "bad", workers=1)
    good = Job(faulty.namespace, "good", workers=2)
    faulty.add_nodes(3)
    faulty.schedulers.start()

    faulty.submit(bad)
    refused.wait()
    faulty.submit(good)
    faulty.until(jobs.is_bound(good))
    faulty.until(lambda now: "made up by the test" in jobs.reason(bad, now))

    assert "422" in jobs.reason(bad, faulty.now)
    assert faulty.bound(bad) == set()


def test_pods_without_a_group_object_tell_that_their_bind_is_not_answered(
    faulty: Scene, proxy: Proxy
) -> None:
    dead = Refused(500, "InternalError")
    proxy.on("POST", "job-worker-0/binding", dead, nth=range(1, 10))
    job = Job(faulty.namespace, "job", LABELS, workers=1)
    faulty.add_nodes()
    serving = faulty.schedulers.start()

    faulty.submit(job)
    faulty.until(lambda now: "500: made up by the test" in jobs.reason(job, now))
    serving.child.wait_until(lambda: serving.metric("fullcrew_waiting_pods") == 1, seconds=20)
    faulty.until(jobs.is_bound(job))

    assert "no answer that settles it" in serving.log()
    faulty.judged()


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_server_that_is_not_ready_is_waited_for(faulty: Scene, proxy: Proxy, code: int) -> None:
    proxy.on("GET", "", Refused(code, retry_after_seconds=1), nth=range(1, 6))
    job = Job(faulty.namespace, "job", workers=2)
    faulty.add_nodes(2)

    faulty.schedulers.start()
    faulty.submit(job)
    faulty.until(jobs.is_bound(job))

    faulty.judged()


def test_no_answer_to_statuses_and_events_holds_up_a_bind(faulty: Scene, proxy: Proxy) -> None:
    closed = Gate()
    for verb, path in (("PATCH", ""), ("POST", "/events")):
        proxy.on(verb, path, Late(closed), nth=None)
    waiting = Job(faulty.namespace, "waiting", workers=20)
    job = Job(faulty.namespace, "job", workers=2)
    faulty.add_nodes(2)
    faulty.schedulers.start()

    faulty.submit(waiting)
    faulty.submit(job)
    faulty.until(jobs.is_bound(job))
    closed.open()

    faulty.judged()
    assert re.search(BIND, " ".join(path for _, path in proxy.passed))
