"""One gang that just fits, or just does not: where a search is wrong, it is wrong here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import given
from given import Manifest
from hypothesis import strategies as st

__all__ = ["GANG", "Known", "alike_gangs", "known_placement", "puzzles", "several_puzzles"]

GANG: Final = "default/gang"


def puzzles(*, most_nodes: int = 8, most_pods: int = 24) -> st.SearchStrategy[list[Manifest]]:
    """A gang of up to four kinds of pods, in roles or not, on nodes cut to be about as big.

    Made from a seed rather than drawn: drawn ones are nearly always decided at a glance.
    """
    return st.integers(0, 1 << 32).map(lambda seed: _puzzle(Random(seed), most_nodes, most_pods))


def several_puzzles() -> st.SearchStrategy[list[Manifest]]:
    """Two or three such gangs on nodes cut for one of them, in queues of their own or not."""
    return st.integers(0, 1 << 32).map(lambda seed: _several(Random(seed)))


def _several(chance: Random) -> list[Manifest]:
    queues = chance.choice([("default",), ("default", "q1")])
    made = [given.queue(name, weight=chance.randint(1, 3)) for name in queues]
    for number in range(chance.randint(2, 3)):
        name = f"gang{number}"
        machines, gang = _puzzle_of(chance, name, 8, 24)
        made += gang if number else [*machines, *gang]
        made[-1] = given.pod_group(
            f"default/{name}",
            made[-1]["spec"]["minMember"],
            {"spec": {**made[-1]["spec"], "queue": chance.choice(queues)}},
        )
    return made


def _puzzle(chance: Random, most_nodes: int, most_pods: int) -> list[Manifest]:
    machines, gang = _puzzle_of(chance, "gang", most_nodes, most_pods)
    return [*machines, *gang]


def _puzzle_of(
    chance: Random, name: str, most_nodes: int, most_pods: int
) -> tuple[list[Manifest], list[Manifest]]:
    """The nodes; and the pods of the gang, its group last."""
    kinds = [
        (chance.randint(1, 5), chance.randint(0, 5), chance.choice([0, 0, 1, 2]))
        for _ in range(chance.randint(1, 4))
    ]
    counts = [chance.randint(1, max(1, most_pods // len(kinds))) for _ in kinds]
    pods = [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
    machines = _machines(chance, pods, chance.randint(1, most_nodes))
    zones = [chance.choice(["", "", "", "a", "b"]) for _ in kinds]
    made = []
    for number, (kind, zone) in enumerate(zip(kinds, zones, strict=True)):
        parts = [_asking(kind), given.annotated({"volcano.sh/task-spec": f"role{number}"})]
        parts += [given.spec(nodeSelector={"zone": zone})] if zone else []
        names = [f"default/{name}-{number}-{copy}" for copy in range(counts[number])]
        made += [given.pod(each, *parts, given.in_group(name)) for each in names]
    minimum = max(1, len(pods) - chance.choice([0, 0, 0, 1, 2, 5]))
    roles = {f"role{number}": chance.randint(0, count) for number, count in enumerate(counts)}
    rules = given.spec(minTaskMember=chance.choice([{}, roles]))
    return machines, [*made, given.pod_group(f"default/{name}", minimum, rules)]


def _asking(kind: tuple[int, int, int]) -> Manifest:
    cpu, memory, gpu = kind
    return given.asking(cpu=cpu, memory=memory, gpu=gpu)


def _machines(chance: Random, pods: list[tuple[int, int, int]], count: int) -> list[Manifest]:
    """The pods are dealt out to nodes; then some room is added, and some is taken away."""
    room = [[0, 0, 0] for _ in range(count)]
    for pod in pods:
        at = chance.randrange(count)
        room[at] = [has + much for has, much in zip(room[at], pod, strict=True)]
    for _ in range(chance.randint(0, 3)):
        room[chance.randrange(count)][chance.randrange(3)] += chance.choice([-2, -1, 1, 2])
    return [
        given.node(
            f"n{number}",
            given.labelled({"zone": chance.choice("ab")}),
            given.having(cpu=max(0, cpu), memory=max(0, memory), gpu=max(0, gpu)),
        )
        for number, (cpu, memory, gpu) in enumerate(room)
    ]


def alike_gangs() -> st.SearchStrategy[list[Manifest]]:
    """Gangs that differ in nothing but their queue, more of them than fit."""
    return st.integers(0, 1 << 32).map(lambda seed: _alike_gangs(Random(seed)))


def _alike_gangs(chance: Random) -> list[Manifest]:
    """Some run already, and now and then a queue has a limit."""
    size = chance.randint(1, 3)
    made: list[Manifest] = []
    wanted = running = 0
    for number in range(chance.randint(2, 8)):
        weight, gangs = chance.randint(1, 10), chance.choice([1, 2, 4, 8, 12])
        runs = chance.choice([0, 0, 0, 1, min(3, gangs)])
        limit = {"cpu": str(size * chance.randint(runs, gangs))} if chance.random() < 0.2 else {}
        made.append(given.queue(f"q{number}", given.spec(capability=limit), weight=weight))
        for copy in range(gangs):
            nodes = [f"n{running * size + at}" for at in range(size)] if copy < runs else []
            running += bool(nodes)
            made += _alike(f"default/q{number}-{copy}", f"q{number}", size, nodes)
        wanted += gangs
    count = size * chance.randint(running, max(running, wanted))
    made += [given.node(f"n{at}", given.having(cpu=1, memory="4Gi", gpu=1)) for at in range(count)]
    chance.shuffle(made)
    return made


def _alike(name: str, queue: str, size: int, nodes: Sequence[str]) -> list[Manifest]:
    group = given.pod_group(name, size, given.spec(queue=queue))
    marks = (given.asking(cpu=1, memory="1Gi", gpu=1), given.in_group(name.partition("/")[2]))
    places = [given.on_node(node) for node in nodes] or [{}] * size
    return [group, *(given.pod(f"{name}-{at}", *marks, to) for at, to in enumerate(places))]


@dataclass(frozen=True, slots=True)
class Known:
    """A cluster whose gangs all fit: they were cut out of its nodes."""

    documents: tuple[Manifest, ...]
    gangs: int


def known_placement(seed: int, *, machines: int = 100, fill: float = 0.9) -> Known:
    """Nodes are cut into pods of a few sizes, and the pods dealt out to gangs of three kinds.

    `fill` is how much of each node is cut up; what is left over is room to be wrong in.
    """
    chance = Random(seed)
    sizes = [(chance.randint(1, 8), chance.choice([0, 0, 1, 2, 4])) for _ in range(6)]
    made, cut = [], []
    for number in range(machines):
        cpu, gpu = chance.choice([16, 32, 64]), chance.choice([0, 4, 8])
        made.append(given.node(f"n{number}", given.having(cpu=cpu, gpu=gpu)))
        left = [int(cpu * fill), gpu]
        while fitting := [size for size in sizes if size[0] <= left[0] and size[1] <= left[1]]:
            size = chance.choice(fitting)
            left = [left[0] - size[0], left[1] - size[1]]
            cut.append(size)
    chance.shuffle(cut)
    dealt = list(_dealt(cut, chance))
    made += [each for number, hand in enumerate(dealt) for each in _cut_out(f"g{number}", hand)]
    return Known(tuple(made), len(dealt))


def _dealt(cut: list[tuple[int, int]], chance: Random) -> list[list[tuple[int, int]]]:
    hands, start = [], 0
    while start < len(cut):
        end = start + chance.randint(4, 40)
        hands.append(cut[start:end])
        start = end
    return hands


def _cut_out(name: str, hand: list[tuple[int, int]]) -> list[Manifest]:
    made = [given.pod_group(name, len(hand))]
    for number, (cpu, gpu) in enumerate(hand):
        made.append(
            given.pod(f"{name}-{number}", given.asking(cpu=cpu, gpu=gpu), given.in_group(name))
        )
    return made
