"""Checks on what is said: the form of the JSON, and reasons with their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from differential.case import Case

__all__ = ["limits_are_not_made_up", "reasons_say_why", "the_form_is_kept"]

_STAGES: Final = {
    "admission",
    "order",
    "quota",
    "placement",
    "topology",
    "reserved",
    "volumes",
    "preemption",
    "binding",
}


def the_form_is_kept(case: Case) -> Iterator[str]:
    """The fields of docs/plan-json.md, and no evictions yet."""
    plan = case.plan
    if plan["evictions"] != []:
        yield "there are evictions"
    if set(plan["seconds"]) < {"read", "plan"}:
        yield "seconds are not told"
    for entry in plan["starts"]:
        if not isinstance(entry["pods"], dict) or not isinstance(entry["minimum"], int):
            yield f"the start of {entry['gang']} has not its form"
    for entry in plan["waits"]:
        if entry["pods"] != sorted(entry["pods"]):
            yield f"the pods of {entry['gang']} are not sorted"


def reasons_say_why(case: Case) -> Iterator[str]:
    """A stage of the list, a kind, one sentence, and numbers for placement and quota."""
    for entry in case.plan["waits"]:
        reason, gang = entry["reason"], entry["gang"]
        if reason["stage"] not in _STAGES:
            yield f"{gang} waits at {reason['stage']!r}, which is no stage"
        if not reason["kind"] or reason["kind"] != reason["kind"].strip().lower():
            yield f"{gang} waits for the kind {reason['kind']!r}"
        if len(reason["message"].split()) < 2 or "\n" in reason["message"]:
            yield f"{gang} waits with the message {reason['message']!r}"
        if reason["stage"] in {"placement", "quota"} and not _has_numbers(reason["numbers"]):
            yield f"{gang} waits at {reason['stage']} with the numbers {reason['numbers']}"


def _has_numbers(told: Any) -> bool:  # noqa: ANN401
    return bool(told) and all(type(number) is int for number in told.values())


def limits_are_not_made_up(case: Case) -> Iterator[str]:
    """With all pods, in an open queue without limit, nobody waits for admission or quota."""
    for entry in case.plan["waits"]:
        pods = [case.cluster.ours[each] for each in entry["pods"] if each in case.cluster.ours]
        if not pods:
            continue
        gang = case.cluster.gangs[pods[0].gang]
        queue = case.cluster.queues.get(gang.queue)
        if gang.fault or gang.is_unclear or queue is None or not queue.is_open or queue.capability:
            continue
        if len(gang.startable) < len(gang.waiting) or not gang.has_enough_pods:
            continue
        if entry["reason"]["stage"] in {"admission", "quota", "order"}:
            yield f"{gang.title} has all it needs and waits at {entry['reason']['stage']}"
