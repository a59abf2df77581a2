"""Clusters that nobody has seen: a few nodes, what runs there, and gangs of every dialect.

Small enough for the brute force of `differential` to judge, and mean: taints, labels, ports,
pods that leave, end or are gated, wounded gangs, foreign pods that overdraw a node, closed queues,
limits, missing groups. Made from a seed: drawn piece by piece they are nearly all alike, and
`shrinking` makes a failing one small as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Final

import given
from given import Manifest
from hypothesis import strategies as st
from properties import rules

__all__ = ["Documents", "cluster", "clusters", "latecomers"]

Documents = list[Manifest]

QUEUE_NAME: Final = "scheduling.volcano.sh/queue-name"
PROJECTS: Final = ("volcano", "kube-batch", "sigs")


def clusters(*, most_nodes: int = 5, most_gangs: int = 5) -> st.SearchStrategy[Documents]:
    """Clusters by seed."""
    seeds = st.integers(0, 1 << 40)
    return seeds.map(
        lambda seed: cluster(Random(seed), most_nodes=most_nodes, most_gangs=most_gangs)
    )


def cluster(chance: Random, *, most_nodes: int = 5, most_gangs: int = 5) -> Documents:
    """All of it, in an order that is shuffled."""
    machines = [_node(chance, f"n{at}") for at in range(chance.randint(1, most_nodes))]
    names = [told["metadata"]["name"] for told in machines]
    queues = _queues(chance)
    known = ["default", *(told["metadata"]["name"] for told in queues)]
    made = [*machines, *queues, *_bystanders(chance, names)]
    for number in range(chance.randint(1, most_gangs)):
        made += _Gang(chance, f"g{number}", names, known).documents()
    made += _namesakes(chance) if seldom(chance) else []
    made += [*rules.claims("default"), *rules.claims("team")] if _uses_claims(made) else []
    made += [given.priority_class("high", 10), given.priority_class("low", -10)]
    if seldom(chance, one_in=3):
        made.append(given.namespace("team", given.annotated({QUEUE_NAME: chance.choice(known)})))
    chance.shuffle(made)
    return made


def latecomers(chance: Random, there: Sequence[Manifest]) -> list[Documents]:
    """Gangs that come to a cluster one after the other, all their pods waiting."""
    names = [told["metadata"]["name"] for told in there if told["kind"] == "Node"]
    found = []
    for number in range(4):
        made = _Gang(chance, f"late{number}", names or ["n0"], ["default"]).documents()
        found.append([each for each in made if "nodeName" not in (each.get("spec") or {})])
    return found


def _namesakes(chance: Random) -> Documents:
    """A gang of another dialect, or a pod without a group, with the name that a group has."""
    one = given.asking(cpu=chance.choice(rules.CPU))
    if seldom(chance, one_in=2):
        return [given.pod("default/g0", one)]
    least = chance.randint(1, 3)
    marks = (one, given.in_labelled_group("g0", least), rules.age(chance))
    return [given.pod(f"default/same-{number}", *marks) for number in range(3)]


def _uses_claims(documents: Documents) -> bool:
    return any("volumes" in (told.get("spec") or {}) for told in documents)


def seldom(chance: Random, *, one_in: int = 6) -> bool:
    """True now and then."""
    return chance.randrange(one_in) == 0


def _node(chance: Random, name: str) -> Manifest:
    labels = {"kubernetes.io/hostname": name, "zone": chance.choice(rules.ZONES)}
    if seldom(chance, one_in=2):
        labels |= {"disk": chance.choice(rules.DISKS), "cards": str(chance.randint(0, 3))}
    parts = [
        given.labelled(labels),
        given.having(
            cpu=chance.randint(1, 6),
            memory="8Gi",
            gpu=chance.randint(0, 3),
            pods=chance.randint(1, 3) if seldom(chance) else 20,
        ),
    ]
    if seldom(chance):
        parts.append(given.spec(taints=[chance.choice(rules.TAINTS)]))
    if seldom(chance, one_in=12):
        parts.append(given.spec(unschedulable=True))
    if seldom(chance):
        ready = chance.choice(["True", "False", "Unknown"])
        parts.append(given.status(conditions=[{"type": "Ready", "status": ready}]))
    return given.node(name, *parts)


def _bystanders(chance: Random, names: Sequence[str]) -> Documents:
    """Pods of others, on nodes: they only take room, and one may keep ours out of its domain."""
    made = []
    for number in range(chance.choice([0, 0, 1, 2, 4])):
        phase = chance.choice(["Running", "Running", "Pending", "Succeeded", "Failed"])
        parts = [
            given.served_by(chance.choice(["other", "kube-scheduler-2"])),
            given.on_node(chance.choice(names), phase=phase),
            given.asking(cpu=chance.choice(rules.CPU), gpu=chance.randint(0, 1)),
        ]
        parts += [given.leaving()] if seldom(chance) else []
        parts += [rules.keeping_off(chance)] if seldom(chance, one_in=4) else []
        parts += [rules.on_port(chance.choice([80, 81]))] if seldom(chance) else []
        made.append(given.pod(f"others/o{number}", *parts))
    if seldom(chance):
        made.append(given.pod("others/waits", given.served_by("other"), given.asking(cpu="1")))
    return made


def _queues(chance: Random) -> Documents:
    """Up to three queues, with limits and states, and now and then a document for `default`."""
    made = []
    for name in chance.choice([(), ("q1",), ("q1", "q2"), ("q1", "q2", "default")]):
        parts = [given.status(state="Open")]
        if seldom(chance, one_in=8):
            parts = [given.status(state=chance.choice(["Closed", "Closing"]))]
        if seldom(chance, one_in=3):
            parts.append(given.spec(capability=_limit(chance)))
        weight, dialect = chance.randint(1, 4), chance.choice(PROJECTS)
        made.append(given.queue(name, *parts, weight=weight, dialect=dialect))
    return made


def _limit(chance: Random) -> dict[str, str]:
    limits = {"cpu": "8", given.GPU: "4", "pods": "6", "example.com/other": "0"}
    chosen = chance.sample(sorted(limits), k=chance.randint(1, 2))
    return {name: str(chance.randint(0, int(limits[name]))) for name in chosen}


class _Gang:
    """One gang: its group if it has one, and its pods, which may have begun to run."""

    def __init__(
        self, chance: Random, name: str, names: Sequence[str], queues: Sequence[str]
    ) -> None:
        self.chance, self.name, self.names, self.queues = chance, name, names, queues
        self.place = chance.choice(["default", "default", "team"])
        self.dialect = chance.choice([*PROJECTS, *PROJECTS, "labels", "labels", "single"])
        self.count = 1 if self.dialect == "single" else chance.randint(1, 6)
        self.minimum = max(1, self.count + chance.choice([0, 0, 0, -1, -1, -2, -3, 1]))
        self.roles = chance.choice([("",), ("",), ("ps", "worker")])

    def documents(self) -> Documents:
        """The pods, and the group in all dialects that have one."""
        chance = self.chance
        kinds = [rules.of_a_kind(chance) for _ in self.roles]
        kinds += [rules.of_a_kind(chance)] if seldom(chance, one_in=2) else []
        marks = [*self._marks(), rules.priority(chance), rules.owner(chance)]
        has_begun = seldom(chance, one_in=3)
        made = []
        for number in range(self.count):
            at = chance.randrange(len(kinds))
            role = self.roles[min(at, len(self.roles) - 1)]
            parts = [*kinds[at], *marks, rules.role(role), rules.age(chance)]
            parts.append(self._fate() if has_begun else rules.gate(chance))
            parts += [given.served_by("other")] if seldom(chance, one_in=40) else []
            made.append(given.pod(f"{self.place}/{self.name}-{number}", *parts))
        return [*made, *self._groups()]

    def _groups(self) -> Documents:
        """Nearly always one; now and then none, or another project's of the same name."""
        chance = self.chance
        if self.dialect not in PROJECTS or seldom(chance, one_in=20):
            return []
        made = [self._group(self.dialect)]
        if seldom(chance, one_in=12):
            other = chance.choice([each for each in PROJECTS if each != self.dialect])
            made.append(self._group(other))
        return made

    def _marks(self) -> list[Manifest]:
        if self.dialect == "labels":
            return [given.in_labelled_group(self.name, self.minimum)]
        return [] if self.dialect == "single" else [given.in_group(self.name)]

    def _fate(self) -> Manifest:
        """What became of a member of a gang that has begun."""
        place = self.chance.choice(self.names)
        told: Any = self.chance.choice(
            ["waits", "waits", "runs", "runs", "leaves", "ends", "fails"]
        )
        fates = {
            "waits": {},
            "runs": given.on_node(place),
            "leaves": given.on_node(place) | given.leaving(),
            "ends": given.on_node(place, phase="Succeeded"),
            "fails": given.on_node(place, phase="Failed"),
        }
        return fates[told]

    def _group(self, dialect: str) -> Manifest:
        chance = self.chance
        parts = [rules.age(chance)]
        if seldom(chance, one_in=2):
            parts.append(given.spec(queue=chance.choice(self.queues)))
        if seldom(chance, one_in=20):
            parts.append(given.spec(queue="nowhere"))
        if seldom(chance, one_in=4):
            named = chance.choice(["high", "low", "high", "low", "system-node-critical", "none"])
            parts.append(given.spec(priorityClassName=named))
        if dialect == "volcano" and seldom(chance, one_in=2):
            least = {role: chance.randint(0, 2) for role in ("ps", "worker")}
            parts.append(given.spec(minTaskMember=least))
        if dialect == "volcano" and seldom(chance, one_in=8):
            parts.append(given.spec(minResources={"cpu": str(chance.randint(1, 9))}))
        if seldom(chance, one_in=20):
            parts.append(given.status(phase=chance.choice(["Pending", "Running", "Completed"])))
        minimum = 0 if seldom(chance, one_in=20) else self.minimum
        return given.pod_group(f"{self.place}/{self.name}", minimum, *parts, dialect=dialect)
