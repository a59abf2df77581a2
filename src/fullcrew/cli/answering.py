"""What `fullcrew why` answers: one gang or pod, looked for in a cluster and in a plan for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from fullcrew import core, dialects, errors
from fullcrew.cli import planning
from fullcrew.cli.manifests import Object
from fullcrew.cli.planning import Settings
from fullcrew.dialects import status
from fullcrew.model import reason as reasons
from fullcrew.model.gang import Gang
from fullcrew.model.reason import Reason
from fullcrew.objects import Faulty, Pod, PodGroup
from fullcrew.room import Plan, Snapshot, Wait

__all__ = ["Answer", "Asked", "Counts", "Found", "Sight", "Written", "answers", "look"]

_PODS: Final = frozenset({"pod", "pods", "po"})
_GROUPS: Final = frozenset({"podgroup", "podgroups", "pg"})


class Found(StrEnum):
    """What became of it, in the word that scripts compare."""

    WAITS = "waits"
    STARTS = "starts"  # the plan binds it now; the scheduler is about to, or does not run
    RUNS = "runs"
    FINISHED = "finished"
    FOREIGN = "foreign"  # pods of another scheduler
    EMPTY = "empty"  # a group without pods that wants nothing


@dataclass(frozen=True, slots=True)
class Asked:
    """A name as it was written: `NAME`, `NAMESPACE/NAME`, `pod/NAME` or `podgroup/NAME`."""

    name: str
    namespace: str  # "" for all of them
    kind: str = ""  # pod, group, or "" for whichever there is

    @classmethod
    def of(cls, written: str, *, namespace: str) -> Asked:
        """Reads it. A kind before the slash is a kind, anything else a namespace."""
        before, _, name = written.rpartition("/")
        if before.lower() in _PODS:
            return cls(name, namespace, "pod")
        if before.lower() in _GROUPS:
            return cls(name, namespace, "group")
        return cls(name, before or namespace)

    def fits(self, full_name: str) -> bool:
        """Whether `namespace/name` is what was asked for."""
        namespace, _, name = full_name.partition("/")
        return name == self.name and self.namespace in {"", namespace}


class Counts(NamedTuple):
    """The pods of a gang, by what they do."""

    waiting: int = 0
    bound: int = 0  # of which `running` do run
    running: int = 0
    succeeded: int = 0
    failed: int = 0
    leaving: int = 0


class Written(NamedTuple):
    """What the scheduler wrote last on the group, or on the pod where there is no group."""

    type: str
    status: str
    reason: str
    message: str
    at: str  # the time as Kubernetes writes it
    told: Reason | None = None  # as a value, from the annotation


@dataclass(frozen=True, slots=True)
class Answer:
    """All there is to say about one gang, or about one pod of it."""

    asked: str  # namespace/name of the gang or pod
    kind: str  # gang or pod
    found: Found
    gang: str = ""
    dialect: str = ""
    queue: str = ""
    minimum: int = 0
    scheduler: str = ""
    counts: Counts = field(default_factory=Counts)
    place: tuple[int, int] | None = None  # its turn among those of its queue, and of how many
    reasons: tuple[tuple[tuple[str, ...], Reason], ...] = ()  # with the pods that wait for it
    nodes: Mapping[str, str] = field(default_factory=dict)  # pod -> node
    notes: tuple[str, ...] = ()
    written: Written | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """A cluster and a plan for it. Gangs go by their titles, so a name may stand for several."""

    plan: Plan
    snapshot: Snapshot
    owned: frozenset[str]
    pods: Mapping[str, Pod]
    groups: Mapping[str, tuple[PodGroup, ...]]
    members: Mapping[str, Sequence[str]]  # of each gang, by title


def look(told: Sequence[Object], settings: Settings, *, now: int) -> Sight:
    """Plans once, and keeps beside the plan what of the objects an answer speaks of."""
    pods: dict[str, Pod] = {}
    groups: dict[str, tuple[PodGroup, ...]] = {}
    members: defaultdict[str, list[str]] = defaultdict(list)
    for each in told:
        known = each.object if isinstance(each, Faulty) else each
        if isinstance(known, Pod):
            pods[known.full_name] = known
            members[dialects.membership(known).gang].append(known.full_name)
        elif isinstance(known, PodGroup):
            groups[known.full_name] = (*groups.get(known.full_name, ()), known)
    snapshot = planning.snapshot(told, settings, now=now)
    plan = planning.plan(snapshot, settings)
    return Sight(plan, snapshot, settings.owned, pods, groups, members)


def answers(sight: Sight, asked: Asked) -> tuple[Answer, ...]:
    """One for each gang or pod of that name. Raises UnknownName where there is none.

    A gang of one has the name of its pod, and is told as the pod.
    """
    pods = [] if asked.kind == "group" else [n for n in sorted(sight.pods) if asked.fits(n)]
    told = tuple(_of_pod(sight, sight.pods[name]) for name in pods)
    if asked.kind != "pod":
        titles = {*sight.groups, *sight.members, *(gang.title for gang in sight.snapshot.gangs)}
        wanted = sorted(title for title in titles if asked.fits(title))
        told += tuple(_of_gang(sight, t) for t in wanted if not _is_single(sight, t))
    if told:
        return told
    what = {"pod": "pod", "group": "pod group"}.get(asked.kind, "pod group or pod")
    raise errors.UnknownName(what, _shown(asked), known=_near(sight, asked))


def _is_single(sight: Sight, title: str) -> bool:
    return list(sight.members.get(title, ())) == [title] and title not in sight.groups


def _of_gang(sight: Sight, title: str) -> Answer:
    gangs = [gang for gang in sight.snapshot.gangs if gang.title == title]
    waits = [wait for wait in sight.plan.waits if wait.gang.title == title]
    starts = [start for start in sight.plan.starts if start.gang.title == title]
    members = [sight.pods[name] for name in sight.members.get(title, ())]
    groups = sight.groups.get(title, ())
    nodes = {binding.pod: binding.node for start in starts for binding in start.bindings}
    gang = gangs[0] if gangs else None
    fact = dialects.facts(groups[0]) if groups else None
    return Answer(
        asked=title,
        kind="gang",
        found=_became(sight, members, waits=_wait_whole(waits), starts=bool(starts)),
        gang=title,
        dialect=gang.dialect if gang else fact.dialect if fact else dialects.labels.NAME,
        queue=gang.queue if gang else fact.queue if fact else "",
        minimum=gang.minimum if gang else fact.minimum if fact else 0,
        scheduler=_schedulers(members),
        counts=_counts(members),
        place=_place(sight.snapshot, gang) if gang and waits else None,
        reasons=tuple((wait.pods, wait.reason) for wait in waits),
        nodes=nodes,
        notes=tuple(note for each in gangs for note in each.notes),
        written=_written_on_groups(groups) or _written_on_pods(members),
    )


def _wait_whole(waits: Sequence[Wait]) -> bool:
    """Of a gang that stands at its minimum only what is above it waits: the gang itself runs."""
    return any(wait.gang.lacks or not wait.gang.live for wait in waits)


def _of_pod(sight: Sight, pod: Pod) -> Answer:
    name = pod.full_name
    title = dialects.membership(pod).gang
    waits = [wait for wait in sight.plan.waits if name in wait.pods]
    nodes = {
        binding.pod: binding.node
        for start in sight.plan.starts
        for binding in start.bindings
        if binding.pod == name
    }
    gang = _gang_of(sight, waits, name)
    at = {name: pod.spec.node_name} if pod.spec.node_name else nodes
    found = _became(sight, [pod], waits=bool(waits), starts=bool(nodes))
    return Answer(
        asked=name,
        kind="pod",
        found=found,
        gang="" if title == name else title,
        dialect=gang.dialect if gang else "",
        queue=gang.queue if gang else "",
        minimum=gang.minimum if gang else 0,
        scheduler=pod.spec.scheduler_name,
        counts=_counts([pod]),
        place=_place(sight.snapshot, gang) if gang and waits else None,
        reasons=tuple((wait.pods, wait.reason) for wait in waits),
        nodes=at,
        notes=gang.notes if gang else (),
        written=_written_on_groups(sight.groups.get(title, ())) or _written_on_pod(pod),
    )


def _gang_of(sight: Sight, waits: list[Wait], pod: str) -> Gang | None:
    if waits:
        return waits[0].gang
    starts = sight.plan.starts
    return next((s.gang for s in starts if any(b.pod == pod for b in s.bindings)), None)


def _became(sight: Sight, members: list[Pod], *, waits: bool, starts: bool) -> Found:
    """Waiting is told before starting: a gang that starts without some members has a reason."""
    if starts:
        return Found.STARTS
    if waits:
        return Found.WAITS
    if not members:
        return Found.EMPTY
    if any(pod.is_bound for pod in members):
        return Found.RUNS
    if all(pod.is_finished for pod in members):
        return Found.FINISHED
    return Found.FOREIGN if _are_foreign(sight, members) else Found.EMPTY


def _are_foreign(sight: Sight, members: list[Pod]) -> bool:
    return all(pod.spec.scheduler_name not in sight.owned for pod in members)


def _counts(members: list[Pod]) -> Counts:
    bound = [pod for pod in members if pod.is_bound]
    there = [pod for pod in members if not pod.is_finished]
    return Counts(
        waiting=sum(not pod.spec.node_name for pod in there),
        bound=len(bound),
        running=sum(pod.status.phase == "Running" for pod in bound),
        succeeded=sum(pod.status.phase == "Succeeded" for pod in members),
        failed=sum(pod.status.phase == "Failed" for pod in members),
        leaving=sum(pod.metadata.is_leaving for pod in there),
    )


def _place(snapshot: Snapshot, gang: Gang) -> tuple[int, int]:
    """Its turn among the gangs of its queue that want something."""
    line = core.line(snapshot, gang.queue)
    return next(at for at, each in enumerate(line, 1) if each is gang), len(line)


def _schedulers(members: list[Pod]) -> str:
    return ", ".join(sorted({pod.spec.scheduler_name for pod in members}))


def _written_on_groups(groups: tuple[PodGroup, ...]) -> Written | None:
    """The condition that changed last, of whichever group object carries one."""
    found = [
        Written(
            each.type,
            each.status,
            each.reason,
            each.message,
            each.last_transition_time or "",
            _told(group.metadata.annotations.get(status.REASON)),
        )
        for group in groups
        for each in group.status.conditions
    ]
    return max(found, key=lambda written: written.at, default=None)


def _written_on_pods(members: list[Pod]) -> Written | None:
    """Of a gang without a group object: what was written last on a pod of it that waits."""
    found = [_written_on_pod(pod) for pod in members if not pod.spec.node_name]
    return max((each for each in found if each), key=lambda each: each.at, default=None)


def _written_on_pod(pod: Pod) -> Written | None:
    for each in pod.status.conditions:
        if each.type == status.POD_SCHEDULED:
            at = each.last_transition_time or ""
            return Written(each.type, each.status, each.reason, each.message, at)
    return None


def _told(annotation: str | None) -> Reason | None:
    """The value on the group; what is none, or was cut, is as if it were not there."""
    if not annotation:
        return None
    try:
        return reasons.from_json(msgspec.json.decode(annotation, type=dict))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _shown(asked: Asked) -> str:
    return f"{asked.namespace}/{asked.name}" if asked.namespace else asked.name


def _near(sight: Sight, asked: Asked) -> list[str]:
    """The names to offer: of the namespace asked in, else, where that has none, of all."""
    names = {*sight.groups, *sight.members} if asked.kind != "pod" else set(sight.pods)
    inside = {name for name in names if name.startswith(f"{asked.namespace}/")}
    return sorted(inside if inside and asked.namespace else names)
