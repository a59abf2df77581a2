"""What planning is compared with: every pod against every node, one pod at a time, in NumPy.

It is the obvious program, as schedulers that take pods one by one run it: all nodes are tested for
each pod, the fullest one that fits takes it, and a gang that does not come to its end is taken
back. It knows no queues, constraints or reasons, and does not learn from pod to pod.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from fullcrew.room import Ints
from tools.core_bench.loads import Job, Load


@dataclass(frozen=True, slots=True)
class Looped:
    """How far the loop came, in how much time."""

    jobs: int  # that were tried, each pod of them on every node until one had no place
    seconds: float


def looped(load: Load, *, at_most_seconds: float) -> Looped:
    """Until all jobs were tried or the time is over: a hundred thousand nodes take minutes, and
    each pod costs about the same."""
    free = np.array(load.snapshot.room.free)
    started = perf_counter()
    for tried, job in enumerate(load.jobs, start=1):
        _place(free, job)
        seconds = perf_counter() - started
        if seconds > at_most_seconds:
            return Looped(tried, seconds)
    return Looped(len(load.jobs), perf_counter() - started)


def _place(free: Ints, job: Job) -> None:
    ask = np.array(job.ask, dtype=np.int64)
    rows = np.flatnonzero(ask)
    wanted = ask[rows, None]
    scarcest = rows[-1]  # GPUs before memory before cores
    taken: list[int] = []
    for _ in range(job.pods):
        fits = np.all(free[rows] >= wanted, axis=0)
        score = np.where(fits, -free[scarcest], np.iinfo(np.int64).min)
        node = int(score.argmax())
        if not fits[node]:
            _give_back(free, ask, taken)
            return
        free[:, node] -= ask
        taken.append(node)


def _give_back(free: Ints, ask: Ints, nodes: Iterable[int]) -> None:
    for node in nodes:
        free[:, node] += ask
