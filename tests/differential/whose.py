"""Checks on who stands where in a plan: each pod once, whole gangs, nobody who may not start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from differential.case import Case
from differential.rows import Gang

__all__ = [
    "a_closed_queue_starts_nothing_fresh",
    "entries_are_of_their_gang",
    "gangs_short_of_pods_wait",
    "held_pods_do_not_start",
    "only_ours_start",
    "pods_stand_once",
    "whole_or_not_at_all",
    "wounded_get_all_or_nothing",
]


def pods_stand_once(case: Case) -> Iterator[str]:
    """Every owned pending pod stands in exactly one entry."""
    found = Counter(pod for entry in case.plan["starts"] for pod in entry["pods"])
    found.update(pod for entry in case.plan["waits"] for pod in entry["pods"])
    for pod in case.cluster.pods.values():
        if pod.is_pending and found[pod.name] != 1:
            yield f"{pod.name} stands in {found[pod.name]} entries"


def only_ours_start(case: Case) -> Iterator[str]:
    """Others only take room and stand nowhere."""
    told = [("starts", each) for entry in case.plan["starts"] for each in entry["pods"]]
    told += [("waits", each) for entry in case.plan["waits"] for each in entry["pods"]]
    for place, name in told:
        pod = case.cluster.pods.get(name)
        if pod is None:
            yield f"{name} stands in {place} and in no document"
        elif not pod.is_owned:
            yield f"{name} stands in {place} and is {pod.scheduler}'s"
        elif not pod.is_pending and not (pod.is_leaving and place == "waits"):
            yield f"{name} stands in {place} and is not pending"


def entries_are_of_their_gang(case: Case) -> Iterator[str]:
    """An entry has pods of one gang, and says its name, queue and own minimum."""
    for place in ("starts", "waits"):
        for entry in case.plan[place]:
            pods = [each for each in entry["pods"] if each in case.cluster.ours]
            gangs = {case.cluster.gang_of(each).key for each in pods}
            if len(gangs) > 1:
                yield f"an entry of {place} has pods of {sorted(gangs)}"
            if place == "starts" and not pods:
                yield f"{entry['gang']} starts nothing"
            for key in gangs:
                yield from _says_the_facts(case.cluster.gangs[key], entry, place)


def _says_the_facts(gang: Gang, entry: dict[str, object], place: str) -> Iterator[str]:
    if entry["gang"] != gang.title:
        yield f"pods of {gang.title} stand in {place} under {entry['gang']}"
    if gang.is_unclear or gang.fault:
        return
    if entry["queue"] != gang.queue:
        yield f"{gang.title} in {place} is of queue {entry['queue']}, not {gang.queue}"
    if entry["minimum"] != gang.minimum:
        yield f"{gang.title} in {place} has minimum {entry['minimum']}, not {gang.minimum}"


def whole_or_not_at_all(case: Case) -> Iterator[str]:
    """What starts of a gang brings it to its minimum, each role to its own."""
    for key, started in case.starts.items():
        gang = case.cluster.gangs[key]
        if gang.fault:
            yield f"{gang.title} starts, though {gang.fault}"
        if gang.is_unclear:
            continue
        if len(started) < gang.lacks:
            yield f"{gang.title} lacks {gang.lacks} and {len(started)} of it start"
        roles = Counter(case.cluster.pods[pod].role for pod in started)
        for role, owed in gang.owed.items():
            if roles[role] < owed:
                yield f"{gang.title} lacks {owed} of {role}, and {roles[role]} of them start"


def wounded_get_all_or_nothing(case: Case) -> Iterator[str]:
    """A wounded gang that fits in the room which the starts before it leave, fresh ones aside."""
    first_starts = case.started_before_fresh()
    left, used = case.room_after(first_starts)
    for gang in case.gangs_that_wait():
        if gang.is_wounded and case.may_place(gang) and case.fits(gang, left, used(gang.queue)):
            yield f"{gang.title} is wounded and waits, though all it lacks fits before fresh ones"


def held_pods_do_not_start(case: Case) -> Iterator[str]:
    """Gated pods, pods with a rule that is not built, pods with a fault."""
    for name in case.started:
        pod = case.cluster.pods.get(name)
        if pod is None:
            continue
        if pod.is_gated:
            yield f"{name} starts and is gated"
        if pod.rule or pod.fault:
            yield f"{name} starts, in spite of: {pod.rule or pod.fault}"


def a_closed_queue_starts_nothing_fresh(case: Case) -> Iterator[str]:
    """Closed, Closing: what runs may be mended and nothing else begins."""
    for key in case.starts:
        gang = case.cluster.gangs[key]
        queue = case.cluster.queues.get(gang.queue)
        if not gang.live and (queue is None or not queue.is_open):
            yield f"{gang.title} starts in queue {gang.queue}, which is not open"


def gangs_short_of_pods_wait(case: Case) -> Iterator[str]:
    """A group short of pods waits, without any too; one that stands or is finished does not."""
    told = {entry["gang"] for entry in case.plan["waits"]}
    for gang in case.cluster.gangs.values():
        namesakes = [other for other in case.cluster.gangs.values() if other.title == gang.title]
        if not gang.has_group or gang.waiting or gang.is_unclear or len(namesakes) > 1:
            continue
        ended = [pod for pod in gang.pods if pod.is_finished]
        if gang.is_finished and len(ended) < len(gang.pods):
            continue  # it says that it is finished, and its pods say otherwise
        if gang.is_finished or (gang.stands and not gang.fault):
            if gang.title in told:
                yield f"{gang.title} has all it needs and stands in waits"
        elif gang.lacks and not ended and gang.title not in told:
            yield f"{gang.title} is short of pods and stands nowhere"
