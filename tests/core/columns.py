"""Snapshots made by hand, as columns: for tests of the core that need no Kubernetes objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fullcrew import core, policies
from fullcrew.model.amounts import NO_LIMIT
from fullcrew.model.gang import Gang, Member, Part, Queue, Role
from fullcrew.model.where import Where
from fullcrew.room import LabelColumn, Mask, Nodes, Plan, Room, Snapshot

RESOURCES = ("pods", "cpu", "gpu")
NOW = 1000

Ask = tuple[int, int]  # cpu and gpu


@dataclass(frozen=True)
class Pods:
    """Members of a role that are alike."""

    count: int
    ask: Ask
    where: int = 0


def gang(  # noqa: PLR0913 - a sentence names only what matters to it
    name: str,
    *roles: Sequence[Pods] | Pods,
    minimum: int | None = None,
    role_minimums: Sequence[int] = (),
    queue: str = "default",
    priority: int = 0,
    created: int = 0,
    live: int = 0,
    hold_until: int | None = None,
) -> tuple[Gang, list[Ask]]:
    """A gang, and the asks of its parts in their order; parts are numbered by `snapshot`."""
    given = [[role] if isinstance(role, Pods) else list(role) for role in roles]
    asks = [pods.ask for role in given for pods in role]
    built: list[Role] = []
    rank = part = 0
    for at, role in enumerate(given):
        parts = []
        for pods in role:
            ranks = range(rank, rank + pods.count)
            members = tuple(
                Member(f"{name}-{each:03}", f"uid-{name}-{each}", each) for each in ranks
            )
            parts.append(Part(part, pods.where, members))
            rank, part = rank + pods.count, part + 1
        least = role_minimums[at] if at < len(role_minimums) else 0
        built.append(Role(f"role-{at}", least, live if at == 0 else 0, tuple(parts)))
    total = rank + live if minimum is None else minimum
    made = Gang(
        name, "volcano", queue, total, priority, created, tuple(built),
        live=live, counted=live, hold_until=hold_until,
    )  # fmt: skip
    return made, asks


def snapshot(  # noqa: PLR0913 - likewise
    nodes: Mapping[str, tuple[int, int, int]],
    *gangs: tuple[Gang, list[Ask]],
    queues: Sequence[Queue] = (Queue("default"),),
    limits: Mapping[str, Ask] | None = None,
    wheres: Sequence[Where] = (Where(),),
    labels: Mapping[str, LabelColumn] | None = None,
    closed: Mapping[int, Mask] | None = None,
) -> Snapshot:
    """Nodes of so many pods, cpu and gpu, all of it free."""
    asks = list(dict.fromkeys(ask for _, each in gangs for ask in each)) or [(0, 0)]
    size = np.array(list(nodes.values()), dtype=np.int64).reshape(-1, len(RESOURCES)).T
    limit = np.full((len(RESOURCES), len(queues)), NO_LIMIT, dtype=np.int64)
    for at, queue in enumerate(queues):
        if limits and queue.name in limits:
            limit[1:, at] = limits[queue.name]
    return Snapshot(
        now=NOW,
        resources=RESOURCES,
        asks=np.array([(1, *ask) for ask in asks], dtype=np.int64).T,
        wheres=tuple(wheres),
        closed=closed or {},
        nodes=_nodes(tuple(nodes), size, labels or {}),
        queues=tuple(queues),
        room=Room(size, np.zeros_like(limit), limit),
        gangs=tuple(_numbered(made, its, asks) for made, its in gangs),
    )


def planned(given: Snapshot, *, score: str = "pack", memo: core.Memo | None = None) -> Plan:
    """The plan for it."""
    return core.plan(given, policies.built_in(score=score), memo or core.Memo())


def placed(plan: Plan) -> dict[str, dict[str, int]]:
    """By gang how many pods each node gets, in the order of decision."""
    counts: dict[str, dict[str, int]] = {}
    for start in plan.starts:
        its = counts.setdefault(start.gang.name, {})
        for binding in start.bindings:
            its[binding.node] = its.get(binding.node, 0) + 1
    return counts


def waiting(plan: Plan) -> dict[str, str]:
    """By gang the stage and kind of its reason."""
    return {wait.gang.name: f"{wait.reason.stage} {wait.reason.kind}" for wait in plan.waits}


def _nodes(names: tuple[str, ...], size: np.ndarray, labels: Mapping[str, LabelColumn]) -> Nodes:
    order = sorted(names)
    return Nodes(
        names=names,
        rank=np.array([order.index(name) for name in names], dtype=np.int64),
        usable=np.ones(len(names), dtype=np.bool_),
        size=size,
        labels=labels,
        taints=np.zeros(len(names), dtype=np.int64),
        taint_sets=((),),
        changed=np.zeros(len(names), dtype=np.int64),
    )


def _numbered(made: Gang, its: list[Ask], asks: list[Ask]) -> Gang:
    roles = tuple(
        Role(role.name, role.minimum, role.standing,
             tuple(Part(asks.index(its[p.ask]), p.where, p.members) for p in role.parts))
        for role in made.roles
    )  # fmt: skip
    missing = tuple(each._replace(ask=asks.index(its[each.ask])) for each in made.missing)
    return replace(made, roles=roles, missing=missing)
