"""From what is known of a gang to the value that the core reads.

Made anew for gangs that changed, and only for them. Whatever comes from several pods is taken in
an order of names and numbers, so that it does not matter which of them came first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from fullcrew.dialects import labels, single
from fullcrew.model.gang import Gang, Member, Part, Role
from fullcrew.model.reason import Kind, Reason, Stage
from fullcrew.state import causes, not_built
from fullcrew.state.placed import Standing
from fullcrew.state.records import LIVE, GroupSeen, Record, Waiting
from fullcrew.state.settings import Settings

__all__ = ["YOUNGEST", "gang_of", "queue_of"]

YOUNGEST: Final = 1 << 60  # the time of what has none

_STANDING: Final = (*LIVE, Standing.SUCCEEDED, Standing.FULFILLED)
_ENDED: Final = (Standing.SUCCEEDED, Standing.FULFILLED, Standing.FAILED)
_FINISHED: Final = frozenset({"Completed", "Finished"})
_MOST_NOTES: Final = 8

Ranked = list[tuple[int, int, int, str, Waiting]]


class _Terms(NamedTuple):
    """What the gang as a whole is judged by."""

    queue: str
    minimum: int
    roles: tuple[tuple[str, int], ...]
    notes: tuple[str, ...] = ()


def queue_of(record: Record, settings: Settings) -> str:
    """The gang's own queue, else its namespace's, else the default one."""
    queue = _own_queue(record) or settings.namespace(record.namespace).queue
    return queue or settings.default_queue


def _own_queue(record: Record) -> str:
    seen = record.group if record.groups else None
    return seen.facts.queue if seen else min(record.queues, default="")


def gang_of(record: Record, name: str, settings: Settings) -> Gang | None:
    """The gang, or None where there is nothing to say about it: it stands, or it has ended."""
    if record.dialect == single.NAME:
        return _single(record, name, settings)
    seen = record.group
    waiting = [each for each in record.waiting.values() if not each.is_assumed]
    live = record.number(LIVE)
    if not waiting and _stands(seen, live):
        return None
    terms = _terms(record, seen, waiting, settings)
    standing = _standing(record, live=live)
    counted = sum(standing.values())
    lacks = counted < terms.minimum or any(
        standing.get(role, 0) < least for role, least in terms.roles
    )
    if not waiting and (not lacks or _is_over(record, seen, minimum=terms.minimum, live=live)):
        return None
    priority, unknown, ranked = _ranked(record, seen, waiting, settings)
    fault = _fault(record, seen, waiting, terms, settings) or unknown
    return Gang(
        name=name,
        dialect=seen.facts.dialect if seen else record.dialect,
        queue=terms.queue,
        minimum=terms.minimum,
        priority=priority,
        created=_created(record, seen, waiting),
        roles=_roles(ranked, terms.roles, standing),
        live=live,
        counted=counted,
        held=causes.held((each.name, cause) for each in waiting if (cause := _cause(each))),
        fault=fault,
        notes=_notes(record, seen, waiting, terms, settings),
        min_resources=tuple(sorted(seen.facts.min_resources.items())) if seen else (),
    )


def _stands(seen: GroupSeen | None, live: int) -> bool:
    """Of a gang without waiting pods, whether that is plain at first sight, as of most of them."""
    if seen is None:
        return not live
    return live >= seen.facts.minimum and not seen.facts.roles


def _single(record: Record, name: str, settings: Settings) -> Gang | None:
    """The short way for the gangs of which there are most: one pod, and nothing to count."""
    each = next(iter(record.waiting.values()), None)
    if each is None or each.is_assumed:
        return None
    spec, cause = each.pod.spec, _cause(each)
    terms = _Terms(queue_of(record, settings), 1, ())
    fault = _fault(record, None, (each,), terms, settings)
    priority = settings.priority(spec.priority, spec.priority_class_name)
    if priority is None and fault is None:
        fault = _unknown_class(spec.priority_class_name, settings)
    member = (Member(each.name, each.uid, 0),)
    parts = () if cause else (Part(each.ask, each.where, member),)
    return Gang(
        name=name,
        dialect=single.NAME,
        queue=terms.queue,
        minimum=1,
        priority=priority or 0,
        created=each.created,
        roles=(Role(each.role, 0, 0, parts),) if parts else (),
        held=causes.held(((each.name, cause),)) if cause else (),
        fault=fault,
        notes=each.membership.notes,
    )


def _unknown_class(name: str, settings: Settings) -> Reason:
    if fault := settings.class_fault(name):
        return causes.reason_of(Kind.FAULTY, f"priority class {name}: {fault}")
    message = f"there is no priority class {name}"
    return causes.reason_of(Kind.UNKNOWN_PRIORITY_CLASS, message)


def _is_over(record: Record, seen: GroupSeen | None, *, minimum: int, live: int) -> bool:
    """Of a gang without waiting pods: its members have ended, or nobody asks for any.

    Fewer ended ones than the minimum are a gang that is short, unless its group says it is done:
    who runs a job may have taken away what ended first.
    """
    if live or record.number((Standing.LEAVING,)):
        return seen is None and not live
    if seen is None or seen.group.status.phase in _FINISHED:
        return True
    return record.number(_ENDED) >= minimum


def _terms(
    record: Record, seen: GroupSeen | None, waiting: Sequence[Waiting], settings: Settings
) -> _Terms:
    queue = queue_of(record, settings)
    if seen is not None:
        return _Terms(queue, seen.facts.minimum, seen.facts.roles)
    if record.dialect != labels.NAME:
        return _Terms(queue, 1, ())
    told = {each.membership.minimum for each in waiting if each.membership.minimum}
    told |= {trait.minimum for trait in record.counts if trait.minimum}
    notes = []
    if len(told) > 1:
        notes.append(f"its pods tell minimums from {min(told)} to {max(told)}; the greatest counts")
    if len(record.queues) > 1:
        first = min(record.queues)
        notes.append(f"its pods name several queues; the first by name counts: {first}")
    return _Terms(queue, max(told, default=1), (), tuple(notes))


def _standing(record: Record, *, live: int) -> dict[str, int]:
    """Members by role that need no place any more.

    Succeeded ones count once the gang has started, and only live members and stamps show that it
    has: ended pods of an earlier try beside fresh ones would else let these start one by one.
    """
    has_started = live or record.number((Standing.FULFILLED,))
    counting = _STANDING if has_started else LIVE
    found: dict[str, int] = {}
    for trait, count in record.counts.items():
        if trait.standing in counting:
            found[trait.role] = found.get(trait.role, 0) + count
    return found


def _ranked(
    record: Record, seen: GroupSeen | None, waiting: Sequence[Waiting], settings: Settings
) -> tuple[int, Reason | None, Ranked]:
    """The gang's priority, what is wrong with it, and the waiting members in order."""
    named = seen.facts.priority_class if seen else ""
    own = settings.priority(None, named) if named else None
    unknown = [named] if named and own is None else []
    ranked: Ranked = []
    highest: list[int] = []
    for each in waiting:
        spec = each.pod.spec
        priority = settings.priority(spec.priority, spec.priority_class_name)
        if priority is None:
            unknown.append(spec.priority_class_name)
            priority = 0
        if not each.pod.is_gated:
            highest.append(priority)
        task = priority if each.task is None else each.task
        ranked.append((-task, -priority, each.created, each.name, each))
    ranked.sort(key=_place)
    if own is None:
        highest += _of_live(record, settings)
    fault = _unknown_class(min(unknown), settings) if unknown else None
    return (max(highest, default=0) if own is None else own), fault, ranked


def _place(entry: tuple[int, int, int, str, Waiting]) -> tuple[int, int, int, str]:
    return entry[:4]


def _of_live(record: Record, settings: Settings) -> Iterator[int]:
    for trait in record.counts:
        if trait.standing in LIVE:
            yield settings.priority(trait.priority, trait.priority_class) or 0


def _created(record: Record, seen: GroupSeen | None, waiting: Sequence[Waiting]) -> int:
    if seen is not None:
        return YOUNGEST if seen.facts.created is None else seen.facts.created
    times = (each.created for each in waiting)
    return min((*times, *record.since), default=YOUNGEST)


def _roles(
    ranked: Ranked, minimums: tuple[tuple[str, int], ...], standing: dict[str, int]
) -> tuple[Role, ...]:
    parts: dict[tuple[str, int, int], list[Member]] = {}
    for rank, (_, _, _, name, each) in enumerate(ranked):
        if _cause(each) is None:
            key = (each.role, each.ask, each.where)
            parts.setdefault(key, []).append(Member(name, each.uid, rank))
    least = dict(minimums)
    names = least.keys() | standing.keys() | {role for role, _, _ in parts}
    by_role: dict[str, list[Part]] = {name: [] for name in sorted(names)}
    for (role, ask, where), members in parts.items():  # in the order of their best members
        by_role[role].append(Part(ask, where, tuple(members)))
    return tuple(
        Role(name, least.get(name, 0), standing.get(name, 0), tuple(found))
        for name, found in by_role.items()
    )


def _cause(each: Waiting) -> causes.Cause | None:
    if each.cause is None and each.fault:
        return causes.Cause(Stage.ADMISSION, Kind.FAULTY, each.fault)
    return each.cause


def _fault(
    record: Record,
    seen: GroupSeen | None,
    waiting: Sequence[Waiting],
    terms: _Terms,
    settings: Settings,
) -> Reason | None:
    """What keeps the whole gang waiting, the first that is found; None for nearly every gang."""
    if settings.namespace(record.namespace).is_ending:
        return causes.reason_of(Kind.ENDING, f"namespace {record.namespace} is being deleted")
    if seen is not None:
        fault = _fault_of_group(record, seen)
    elif record.dialect not in {labels.NAME, single.NAME}:
        fault = causes.reason_of(Kind.NO_GROUP, f"there is no group {record.title}")
    else:
        fault = None
    fault = fault or _fault_of_namespace(record, settings) or _fault_of_pods(record, waiting)
    return fault or _fault_of_queue(terms.queue, settings)


def _fault_of_namespace(record: Record, settings: Settings) -> Reason | None:
    rules = settings.namespace(record.namespace)
    fault = rules.fault
    if rules.queue_fault and not _own_queue(record):
        fault = fault or rules.queue_fault  # it might start in a queue that is not its own
    message = f"namespace {record.namespace}: {fault}"
    return causes.reason_of(Kind.FAULTY, message) if fault else None


def _fault_of_group(record: Record, seen: GroupSeen) -> Reason | None:
    if seen.facts.is_leaving:
        return causes.reason_of(Kind.ENDING, f"its group {record.title} is being deleted")
    if seen.fault:
        return causes.reason_of(Kind.FAULTY, f"group {record.title}: {seen.fault}")
    if seen.facts.not_built:
        message = not_built.of_group(seen.facts.not_built)
        return Reason(Stage.TOPOLOGY, Kind.NOT_BUILT, message)
    return None


def _fault_of_pods(record: Record, waiting: Sequence[Waiting]) -> Reason | None:
    faulty = [(each.name, each.fault) for each in waiting if each.fault]
    faulty += record.faults.items()
    if not faulty:
        return None
    name, fault = min(faulty)
    return causes.reason_of(Kind.FAULTY, f"pod {name}: {fault}", pods=len(faulty))


def _fault_of_queue(queue: str, settings: Settings) -> Reason | None:
    rules = settings.queues.get(queue)
    if rules is None:
        return causes.reason_of(Kind.UNKNOWN_QUEUE, f"there is no queue {queue}")
    return rules.queue.fault


def _notes(
    record: Record,
    seen: GroupSeen | None,
    waiting: Sequence[Waiting],
    terms: _Terms,
    settings: Settings,
) -> tuple[str, ...]:
    found = {note for each in waiting for note in each.membership.notes}
    found.update(terms.notes)
    if seen is not None:
        found.update(seen.facts.notes)
    found.update(_differences(record, seen, waiting, settings))
    return tuple(sorted(found)[:_MOST_NOTES])


def _differences(
    record: Record, seen: GroupSeen | None, waiting: Sequence[Waiting], settings: Settings
) -> Iterable[str]:
    """Priorities of a gang's pods that differ; ACK asks for one, and the gang has one."""
    named = seen.facts.priority_class if seen else ""
    if named:
        others = {each.pod.spec.priority_class_name for each in waiting} - {"", named}
        if others:
            names = ", ".join(sorted(others))
            yield f"the group's priority class {named} counts; its pods name {names}"
        return
    specs = {(each.pod.spec.priority, each.pod.spec.priority_class_name) for each in waiting}
    found = {settings.priority(*told) or 0 for told in specs} | {*_of_live(record, settings)}
    if len(found) > 1:
        yield f"its pods have priorities from {min(found)} to {max(found)}; the highest counts"
