"""Made-up clusters with work for them, written directly as the columns that a plan is made from.

Seeded: the same arguments make the same snapshot on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fullcrew import room
from fullcrew.model.amounts import NO_LIMIT
from fullcrew.model.gang import Gang, Member, Part, Queue, Role
from fullcrew.model.where import Operator, Requirement, Where
from fullcrew.room import Ints

NOW = 1_800_000_000
RESOURCES = ("pods", "cpu", "memory", "nvidia.com/gpu")
GIB = 1 << 30
NODE = (110, 64_000, 512 * GIB, 8)
POOL = "pool"
# 0.85 in the mean, dealt out in turns, so that small loads are as full as big ones.
_GPUS = (1, 0, 1, 1, 2, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 2, 1, 0, 1)

Amounts = tuple[int, int, int, int]  # in the order of RESOURCES


@dataclass(frozen=True, slots=True)
class Job:
    """A gang to be: so many pods of one ask, all of them its minimum."""

    pods: int
    ask: Amounts
    queue: int = 0
    pool: int = -1  # the pool of nodes that it selects, -1 for any


@dataclass(frozen=True, slots=True)
class Load:
    """A snapshot and the jobs it was made from."""

    snapshot: room.Snapshot
    jobs: tuple[Job, ...]

    @property
    def pods(self) -> int:
        """How many wait."""
        return sum(job.pods for job in self.jobs)

    @property
    def nodes(self) -> int:
        """How many there are."""
        return len(self.snapshot.nodes.names)


def distinct(*, gangs: int, nodes: int, queues: int = 1, pools: int = 0) -> Load:
    """Every gang another ask; 1 to 8 pods each, 4.5 in the mean. They all fit, and for nine pods
    on a node the GPUs end nearly all taken (0.85 GPUs a pod)."""
    chance = np.random.default_rng(gangs)
    cpu = chance.integers(500, 4_000, gangs)
    memory = GIB + chance.permutation(gangs) * (10 * GIB // gangs // 4096 * 4096)
    gpus = [_GPUS[(number // 8 + 7 * number) % len(_GPUS)] for number in range(gangs)]
    queue = chance.integers(0, queues, gangs)
    pool = chance.integers(0, pools, gangs) if pools else np.full(gangs, -1)
    rows = zip(cpu.tolist(), memory.tolist(), gpus, strict=True)
    asks = [(1, *row) for row in rows]
    places = zip(asks, queue.tolist(), pool.tolist(), strict=True)
    jobs = [Job(number % 8 + 1, *place) for number, place in enumerate(places)]
    return _load(jobs, _empty(nodes), queues=queues, pools=pools)


def alike(*, gangs: int, members: int, nodes: int, queues: int = 1) -> Load:
    """Gangs of one size and one ask on empty nodes that hold them all."""
    job = (1, 2_000, 8 * GIB, 1)
    jobs = [Job(members, job, number % queues) for number in range(gangs)]
    return _load(jobs, _empty(nodes), queues=queues)


def backlog(
    *, gangs: int, nodes: int, members: int = 4, queues: int = 1, are_alike: bool = False
) -> Load:
    """Nobody fits: each pod asks for two GPUs, and only three nodes have two left, the others
    one. With one pod a gang there are none at all with two."""
    chance = np.random.default_rng(gangs)
    cpu = np.full(gangs, 2_000) if are_alike else 500 + chance.permutation(gangs)
    asks = [(1, much, 8 * GIB, 2) for much in cpu.tolist()]
    jobs = [Job(members, ask, number % queues) for number, ask in enumerate(asks)]
    free = _empty(nodes) - np.array([[7], [32_000], [200 * GIB], [7]])
    if members > 1:
        free[3, nodes // 3 : nodes // 3 + members - 1] = 2
    return _load(jobs, free, queues=queues)


def _empty(nodes: int) -> Ints:
    return np.repeat(np.array([NODE], dtype=np.int64).T, nodes, axis=1)


def _load(jobs: list[Job], free: Ints, *, queues: int, pools: int = 0) -> Load:
    asks = list(dict.fromkeys(job.ask for job in jobs))
    number_of = {ask: number for number, ask in enumerate(asks)}
    queued = tuple(Queue(f"team-{number:03}", weight=1 + number % 3) for number in range(queues))
    nothing = np.zeros((len(RESOURCES), queues), dtype=np.int64)
    snapshot = room.Snapshot(
        now=NOW,
        resources=RESOURCES,
        asks=np.array(asks, dtype=np.int64).T.copy(),
        wheres=(Where(), *(_in_pool(number) for number in range(pools))),
        closed={},
        nodes=_nodes(free.shape[1], pools),
        queues=queued,
        room=room.Room(free, nothing, np.full_like(nothing, NO_LIMIT)),
        gangs=_gangs(jobs, queued, lambda job: number_of[job.ask]),
    )
    return Load(snapshot, tuple(jobs))


def _nodes(count: int, pools: int) -> room.Nodes:
    """Their names in no order, as nodes come."""
    rank = np.random.default_rng(count).permutation(count)
    labels = {}
    if pools:
        values = tuple(_pool(number) for number in range(pools))
        labels[POOL] = room.LabelColumn(values, np.arange(count, dtype=np.int64) % pools)
    return room.Nodes(
        names=tuple(f"node-{number:06}" for number in rank.tolist()),
        rank=rank,
        usable=np.ones(count, dtype=np.bool_),
        size=_empty(count),
        labels=labels,
        taints=np.zeros(count, dtype=np.int64),
        taint_sets=((),),
        changed=np.zeros(count, dtype=np.int64),
    )


def _gangs(
    jobs: list[Job], queues: tuple[Queue, ...], ask_of: Callable[[Job], int]
) -> tuple[Gang, ...]:
    chance = np.random.default_rng(len(jobs))
    priorities = (chance.integers(0, 4, len(jobs)) * 100).tolist()
    ages = chance.integers(0, 86_400, len(jobs)).tolist()
    gangs = []
    for number, (job, priority, age) in enumerate(zip(jobs, priorities, ages, strict=True)):
        queue = queues[job.queue].name
        name = f"{queue}/job-{number:05}"
        pods = (f"{name}-{pod:03}" for pod in range(job.pods))
        members = tuple(Member(pod, f"uid-of-{pod}", rank) for rank, pod in enumerate(pods))
        roles = (Role("", 0, 0, (Part(ask_of(job), job.pool + 1, members),)),)
        dialect = "volcano" if job.pods > 1 else "single"
        created = NOW - age
        gangs.append(Gang(name, dialect, queue, job.pods, priority, created, roles))
    return tuple(sorted(gangs, key=lambda gang: gang.name))


def _in_pool(number: int) -> Where:
    chosen = (Requirement(POOL, Operator.IN, (_pool(number),)),)
    return Where(required=((chosen,),))


def _pool(number: int) -> str:
    return f"pool-{number:03}"
