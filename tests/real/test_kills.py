"""Killed at any moment: a hundred gangs start whole all the same, alone and with a second replica.

The moments are drawn by a seed, as numbers of bindings: the kill follows when the record shows so
many. A proxy keeps each bind for a while, so that there are always some on their way; those arrive
although whoever sent them is dead.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from statistics import median

import pytest
from faults.proxy import Proxy
from faults.schedule import Slow
from real import arranging, history, jobs
from real.jobs import INCUBATOR, LABELS, SIGS, VOLCANO, Job
from real.promises import Verdict
from real.scene import Scene, Tell
from real.serving import SHORT_LEASE, Serving

pytestmark = pytest.mark.real

GANGS = 100
PATIENCE = 120.0
Run = Callable[[Scene, int, int], Verdict]


def hundred_gangs(scene: Scene) -> list[Job]:
    """Of one to eight pods, in all dialects; there is room for all of them, with some to spare."""
    chance = random.Random(7)
    dialects = (VOLCANO, INCUBATOR, SIGS, LABELS)
    them = [
        Job(scene.namespace, f"g{n:03}", chance.choice(dialects), workers=chance.randint(1, 8))
        for n in range(GANGS)
    ]
    scene.add_nodes(sum(job.workers for job in them) // 8 + 10, gpus=8)
    documents = [document for job in them for document in job.documents()]
    for kind in sorted({(d["apiVersion"], d["kind"]) for d in documents}):
        part = [d for d in documents if (d["apiVersion"], d["kind"]) == kind]
        arranging.create_all(scene.api, part)
    return them


def moments(kills: int, seed: int, pods: int) -> Iterator[int]:
    """After how many bindings to kill: one moment in each stretch of the run."""
    chance, stretch = random.Random(seed), pods // kills
    yield from (at * stretch + chance.randrange(1, stretch) for at in range(kills))


def slowed(proxy: Proxy, seed: int) -> None:
    """Binds take up to four tenths of a second, which is less than a lease allows."""
    chance = random.Random(seed)
    proxy.on("POST", "/binding", Slow(lambda: chance.uniform(0, 0.4)), nth=None)


def until_bound(scene: Scene, count: int) -> None:
    """Until so many pods have a node. It counts events, so that it is not late."""
    scene.until(lambda now: bindings(now) >= count, seconds=PATIENCE)


def bindings(now: jobs.Now) -> int:
    return sum(
        bool(item["spec"].get("nodeName"))
        for (path, _, _), item in now.items()
        if path == history.PODS
    )


def told(verdict: Verdict, kills: int) -> str:
    """How long gangs stood half-bound: what the issue wants to be reported."""
    seconds = sorted(start.seconds for start in verdict.started.values())
    return (
        f"{len(seconds)} gangs, {kills} kills: from a gang's first binding to the last of its"
        f" minimum {median(seconds) * 1000:.0f} ms in the median, {seconds[-1]:.2f} s at most"
    )


def killed_alone(scene: Scene, kills: int, seed: int) -> Verdict:
    """One scheduler, which is killed and started again."""
    them = hundred_gangs(scene)
    pods = sum(len(job.pods) for job in them)
    serving = scene.schedulers.start(*SHORT_LEASE, wait=False)
    for count in moments(kills, seed, pods):
        until_bound(scene, count)
        serving.child.kill()
        serving = scene.schedulers.start(*SHORT_LEASE, wait=False)
    scene.until(jobs.is_bound(*them), seconds=PATIENCE)
    return scene.judged()


def killed_beside_another(scene: Scene, kills: int, seed: int) -> Verdict:
    """Two schedulers; the one that leads is killed, and started again behind the other."""
    them = hundred_gangs(scene)
    pods = sum(len(job.pods) for job in them)
    replicas = [scene.schedulers.start(*SHORT_LEASE, wait=False) for _ in "ab"]
    for count in moments(kills, seed, pods):
        until_bound(scene, count)
        first = leader(replicas)
        first.child.kill()
        replicas.remove(first)
        replicas.append(scene.schedulers.start(*SHORT_LEASE, wait=False))
    scene.until(jobs.is_bound(*them), seconds=PATIENCE)
    return scene.judged()


def leader(replicas: list[Serving]) -> Serving:
    """The one that says so; while one has just been killed there may be none yet."""
    while True:
        for replica in replicas:
            if replica.metric("fullcrew_is_leader"):
                return replica


@pytest.mark.parametrize("run", [killed_alone, killed_beside_another])
def test_six_kills_break_no_promise(faulty: Scene, proxy: Proxy, run: Run, tell: Tell) -> None:
    slowed(proxy, 20261119)

    verdict = run(faulty, 6, 20261119)

    tell(told(verdict, 6))
    assert len(verdict.started) == GANGS
    assert verdict.short == {}


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("run", [killed_alone, killed_beside_another])
def test_sixty_kills_break_no_promise(
    faulty: Scene, request: pytest.FixtureRequest, run: Run, seed: int, tell: Tell
) -> None:
    slowed(request.getfixturevalue("proxy"), seed)

    verdict = run(faulty, 6, seed)

    tell(told(verdict, 6))
    assert len(verdict.started) == GANGS
    assert verdict.short == {}
