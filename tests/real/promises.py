"""Judges promises 1 and 2 of the design from what happened: the recorded events of a cluster and
the stamps that each binding left on its pod. The end state alone would hide a gang that was split
for a second, or a node that was too full for one.

    verdict = promises.judge(recorder.history())
    assert not verdict.violations, verdict.in_words()

*1, whole or not at all*: each binding is stamped; its minimum is the group's; when the first pod
of a plan is bound there are pods enough, and room for the minimum on the nodes that they go to; a
gang that has begun gets whole, unless it lost members; while it cannot, no fresh gang takes the
room that its missing members fit in.
*2, never over*: no binding takes a node above its allocatable, or a queue above its capability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from real import history, replay
from real.history import Amounts, Happened, Pod
from real.replay import Replay

OWNED = frozenset({"fullcrew", "kube-batch", "volcano"})


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that was broken, by which gang, at which revision, and how."""

    promise: int
    gang: str
    revision: int
    how: str


@dataclass(frozen=True, slots=True)
class Started:
    """A gang's first binding, and the one that completed its minimum, in seconds."""

    minimum: int
    first: float
    whole: float

    @property
    def seconds(self) -> float:
        """For how long the gang stood half-bound."""
        return self.whole - self.first


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge found. `short` names the gangs that began and have less than their minimum
    at the end of the record, although a violation is only what they did not lose themselves."""

    violations: tuple[Violation, ...]
    started: Mapping[str, Started]
    short: Mapping[str, tuple[int, int]]

    def in_words(self) -> str:
        """Each violation on a line, for the message of a failing test."""
        return "\n".join(
            f"promise {v.promise}, {v.gang}, revision {v.revision}: {v.how}"
            for v in self.violations
        )


@dataclass(slots=True)
class _Gang:
    """What is remembered of a gang that has begun."""

    minimum: int
    roles: Mapping[str, int]
    began: float
    moved: float  # when it last gained or lost a member
    has_lost: bool = False
    is_whole: bool = False  # or was, once
    stamps: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Bound:
    pod: Pod
    seconds: float
    revision: int


def judge(
    events: Sequence[Happened],
    *,
    owned: frozenset[str] = OWNED,
    delivery_seconds: float = 1.0,
) -> Verdict:
    """Judges a history, in the order of its revisions. What others did less than
    `delivery_seconds` before a binding is not held against it: it may not have been known."""
    judging = _Judging(Replay(owned, delivery_seconds=delivery_seconds), delivery_seconds)
    judging.plans = _plans(events, owned)
    for event in events:
        judging.go_on(event)
    return judging.verdict(events[-1].revision if events else 0)


def _plans(events: Sequence[Happened], owned: frozenset[str]) -> dict[tuple[str, str], list[Pod]]:
    """Which pods each plan of a gang bound, in the order of their bindings."""
    world = Replay(owned, delivery_seconds=0)
    plans: dict[tuple[str, str], list[Pod]] = {}
    for event in events:
        pod = _bound_by(event, world)
        if pod is not None:
            plans.setdefault((pod.gang, pod.plan), []).append(pod)
        world.apply(event)
    return plans


def _bound_by(event: Happened, world: Replay) -> Pod | None:
    """The pod that this event shows as newly bound by us. One that was made with its node was
    bound by nobody."""
    if event.path != history.PODS or event.what != "MODIFIED":
        return None
    pod = history.pod_of(event.object)
    before = world.pods.get(pod.uid)
    was_bound = before is None or before.node
    return pod if pod.node and not was_bound and world.is_ours(pod) else None


class _Judging:
    def __init__(self, world: Replay, delay: float) -> None:
        self._world = world
        self._delay = delay
        self._gangs: dict[str, _Gang] = {}
        self._begun: set[tuple[str, str]] = set()
        self._late: dict[tuple[str, str], list[str]] = {}
        self._losses: dict[str, list[float]] = {}
        self._violations: list[Violation] = []
        self._started: dict[str, Started] = {}
        self.plans: dict[tuple[str, str], list[Pod]] = {}

    def go_on(self, event: Happened) -> None:
        """Judges one event. What a binding is measured against is the cluster just before it."""
        pod = _bound_by(event, self._world)
        if pod is None:
            self._lose(event, *self._world.apply(event))
            return
        bound = _Bound(pod, event.seconds, event.revision)
        self._first_of_plan(bound)
        stuck = [name for name in self._before_it(pod) if self._could_mend(name)]
        self._world.apply(event)
        self._never_over(bound)
        for name in stuck:
            if not self._could_mend(name):
                self._broken(1, bound, f"took the room that the missing members of {name} fit in")
        self._count(bound)

    def _lose(self, event: Happened, before: Pod | None, after: Pod | None) -> None:
        if before is None or not _is_lost(before, after):
            return
        self._losses.setdefault(before.gang, []).append(event.seconds)
        if before.gang in self._gangs:
            gang = self._gangs[before.gang]
            gang.has_lost, gang.moved = True, event.seconds

    def verdict(self, revision: int) -> Verdict:
        """What stands at the end of the record."""
        short = {name: self._have(name) for name in self._gangs if self._is_short(name)}
        for name, (have, minimum) in short.items():
            if not self._gangs[name].has_lost:
                how = f"half-started: {have} of {minimum} bound at the end, and none was lost"
                self._violations.append(Violation(1, name, revision, how))
        return Verdict(tuple(self._violations), self._started, short)

    def _broken(self, promise: int, bound: _Bound, how: str) -> None:
        self._violations.append(Violation(promise, bound.pod.gang, bound.revision, how))

    def _first_of_plan(self, bound: _Bound) -> None:
        pod = bound.pod
        if not pod.plan or not pod.minimum.isdecimal():
            self._broken(1, bound, f"{pod.name} was bound without a stamp")
            return
        if (pod.gang, pod.plan) in self._begun:
            return
        self._begun.add((pod.gang, pod.plan))
        stamped = int(pod.minimum)
        groups = self._world.minimums(pod, bound.seconds)
        known = self._gangs.get(pod.gang)
        if known is None or not self._have(pod.gang)[0]:
            self._begin(bound, groups[-1].roles if groups else {})
        gang = self._gangs[pod.gang]
        if stamped not in {*(group.minimum for group in groups), *gang.stamps}:
            asked = " or ".join(str(g.minimum) for g in groups) or "nothing: there is no group"
            self._broken(1, bound, f"stamped with a minimum of {stamped}; its group asks {asked}")
        gang.stamps.add(stamped)
        self._is_complete(bound, stamped)

    def _begin(self, bound: _Bound, roles: Mapping[str, int]) -> None:
        """A fresh gang. Those that have been short for long enough to be known come before it."""
        stuck = [
            name
            for name, gang in self._gangs.items()
            if gang.moved < bound.seconds - self._delay and self._is_short(name)
        ]
        if stuck:
            self._late[bound.pod.gang, bound.pod.plan] = stuck
        minimum = int(bound.pod.minimum)
        self._gangs[bound.pod.gang] = _Gang(minimum, roles, bound.seconds, bound.seconds)

    def _is_complete(self, bound: _Bound, minimum: int) -> None:
        """Pods enough, and room for those whom this plan binds, were there at its first bind."""
        pod = bound.pod
        members = self._world.members(pod.gang)
        have = sum(member.is_counted for member in members)
        there = have + sum(member.is_placeable for member in members)
        losses = self._losses.get(pod.gang, ())
        unheard = sum(seconds > bound.seconds - self._delay for seconds in losses)
        if there + unheard < minimum:
            self._broken(1, bound, f"begun with {there} pods of {minimum}")
        coming = self.plans[pod.gang, pod.plan][: max(minimum - have, 0)]
        asked: dict[str, dict[str, int]] = {}
        for one in coming:
            replay.add(asked.setdefault(one.node, {}), one.asks)
        for node, amounts in asked.items():
            used = self._world.used(node, bound.seconds)
            replay.add(used, amounts)
            for what in replay.over(amounts, used, self._world.sizes(node, bound.seconds)):
                self._broken(1, bound, f"begun without room for its plan on {node}: {what}")
        self._has_room_for_the_rest(bound, coming, lacking=minimum - have)

    def _has_room_for_the_rest(self, bound: _Bound, coming: list[Pod], *, lacking: int) -> None:
        """A plan may bind fewer than were lacking, as when it is killed; they fitted all the same.
        Only where those that are left are alike, or else nobody can be sure by counting."""
        world, chosen = self._world, {pod.uid for pod in coming}
        rest = [
            pod
            for pod in world.members(bound.pod.gang)
            if pod.is_placeable and pod.uid not in chosen
        ]
        if len(coming) >= lacking or len({_form(pod) for pod in rest}) != 1:
            return
        free = world.free_before(bound.seconds)
        for pod in coming:
            replay.add(free.get(pod.node, {}), pod.asks, times=-1)
        rest = rest[: lacking - len(coming)]
        while rest and _fit(rest[:1], world, free):
            rest.pop()
        if rest:
            how = f"begun with room for {lacking - len(rest)} of the {lacking} pods that it lacked"
            self._broken(1, bound, how)

    def _never_over(self, bound: _Bound) -> None:
        pod, world = bound.pod, self._world
        sizes = world.sizes(pod.node, bound.seconds)
        for what in replay.over(pod.asks, world.used(pod.node, bound.seconds), sizes):
            self._broken(2, bound, f"{pod.name} takes {pod.node} above its allocatable: {what}")
        queue = world.queue_of(pod)
        limits = world.limits(queue, bound.seconds)
        if not any(limits):
            return
        used: dict[str, int] = {}
        for other in world.pods.values():
            if other.takes_room and world.is_ours(other) and world.queue_of(other) == queue:
                replay.add(used, other.asks)
        limited = {name: pod.asks.get(name, 0) for name in limits[-1]}
        for what in replay.over(limited, used, limits):
            self._broken(2, bound, f"{pod.name} takes queue {queue} above its capability: {what}")

    def _before_it(self, pod: Pod) -> list[str]:
        return self._late.get((pod.gang, pod.plan), [])

    def _could_mend(self, name: str) -> bool:
        have, minimum = self._have(name)
        waiting = [pod for pod in self._world.members(name) if pod.is_placeable]
        missing = waiting[: minimum - have]
        return len(missing) == minimum - have > 0 and _fit(missing, self._world, self._world.free())

    def _count(self, bound: _Bound) -> None:
        name = bound.pod.gang
        gang = self._gangs.get(name)
        if gang is None:
            return
        gang.moved = bound.seconds
        if not gang.is_whole and not self._is_short(name):
            gang.is_whole = True
            self._started[name] = Started(gang.minimum, gang.began, bound.seconds)

    def _have(self, name: str) -> tuple[int, int]:
        return sum(self._world.counted[name].values()), self._gangs[name].minimum

    def _is_short(self, name: str) -> bool:
        have, minimum = self._have(name)
        roles = self._world.counted[name]
        wanted = self._gangs[name].roles
        return have < minimum or any(roles.get(role, 0) < n for role, n in wanted.items())


def _is_lost(before: Pod, after: Pod | None) -> bool:
    """Whether a member of a gang that had begun went, or began to go, before its work was done."""
    if after is None:
        return before.phase not in {"Succeeded", "Failed"} and not before.is_leaving
    was_of_use = before.is_counted or before.is_placeable
    return was_of_use and not (after.is_counted or after.is_placeable)


def _fit(pods: Sequence[Pod], world: Replay, free: dict[str, dict[str, int]]) -> bool:
    """Takes room for pods out of `free`, one after the other, the hungriest first. For alike pods
    this is exact; for others it may say no too early, and then nobody is blamed."""
    for pod in sorted(pods, key=_hunger, reverse=True):
        places = (n for n in sorted(free) if world.allows(n, pod) and _holds(free[n], pod.asks))
        node = next(places, None)
        if node is None:
            return False
        replay.add(free[node], pod.asks, times=-1)
    return True


def _form(pod: Pod) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, str], ...]]:
    return _hunger(pod), tuple(sorted(pod.node_labels.items()))


def _hunger(pod: Pod) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(pod.asks.items(), key=lambda pair: (pair[1], pair[0]), reverse=True))


def _holds(free: Amounts, asks: Amounts) -> bool:
    return all(free.get(resource, 0) >= amount for resource, amount in asks.items() if amount)
