"""A cluster in which nothing happens costs it nothing."""

from __future__ import annotations

import pytest
from faults.proxy import Proxy
from real import history, jobs, kubelet
from real.jobs import Job
from real.scene import Scene

pytestmark = pytest.mark.real

HEARTBEATS = 20


def test_a_steady_cluster_writes_nothing(faulty: Scene, proxy: Proxy) -> None:
    running = Job(faulty.namespace, "running", workers=3)
    waiting = Job(faulty.namespace, "waiting", workers=3)
    names = faulty.add_nodes(3)
    serving = faulty.schedulers.start()

    with kubelet.played(faulty.api):
        faulty.submit(running)
        faulty.submit(waiting)
        faulty.until(jobs.runs(running))
        faulty.until(jobs.waits(waiting))
        faulty.until(lambda now: jobs.phase(running, now) == "Running")
        settled(faulty, proxy, names)
        before, cycles = writes(proxy), serving.metric("fullcrew_cycles_total")
        for beat in range(2 * HEARTBEATS):
            heartbeat(faulty, names, f"then-{beat}")

    assert writes(proxy) == before
    assert serving.metric("fullcrew_cycles_total") <= cycles + 1  # a minute's safety cycle


def settled(scene: Scene, proxy: Proxy, nodes: list[str]) -> None:
    """Returns when statuses and events of all that has happened are written."""
    for attempt in range(20):
        before = writes(proxy)
        for beat in range(HEARTBEATS):
            heartbeat(scene, nodes, f"{attempt}-{beat}")
        if writes(proxy) == before:
            return


def heartbeat(scene: Scene, nodes: list[str], beat: str) -> None:
    """What kubelets write all the time and nobody plans by; returns a good moment later."""
    told = {"status": {"conditions": [{"type": "Ready", "status": "True", "reason": f"r-{beat}"}]}}
    for node in nodes:
        scene.api.patch(f"/api/v1/nodes/{node}/status", told)
    scene.until(lambda now: all(f"r-{beat}" in str(now[history.NODES, "", n]) for n in nodes))


def writes(proxy: Proxy) -> list[tuple[str, str]]:
    """What went to the server and changed something; the Lease is renewed all the time."""
    return [
        (verb, path)
        for verb, path in proxy.passed
        if verb not in {"GET", "WATCH"} and "/leases" not in path
    ]
