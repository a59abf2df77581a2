"""The checks judge: a sound plan passes all of them, and each sin is seen by the one it offends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import given
import pytest
from differential import checks
from given import Manifest

Plan = dict[str, Any]
REASON = {
    "stage": "placement",
    "kind": "short",
    "message": "too little is free",
    "numbers": {"short": 1},
}


def documents() -> list[Manifest]:
    """Two nodes of two cpu; a standing gang that may grow, a fresh one, and others."""
    n1 = given.node("n1", given.having(cpu=2), given.labelled({"zone": "a"}))
    n2 = given.node("n2", given.having(cpu=2), given.labelled({"zone": "b"}))
    made = [n1, n2, given.pod_group("old", 1), given.pod_group("new", 2), given.pod_group("big", 2)]
    one = given.asking(cpu=1)
    made.append(given.pod("old-0", one, given.in_group("old"), given.on_node("n1")))
    made.append(given.pod("old-1", one, given.in_group("old")))
    made += [given.pod(f"new-{n}", one, given.in_group("new")) for n in range(2)]
    made += [given.pod(f"big-{n}", given.asking(cpu=2), given.in_group("big")) for n in range(2)]
    gate = given.spec(schedulingGates=[{"name": "gate"}])
    made.append(given.pod("gated", one, gate))
    made.append(given.pod("theirs", one, given.served_by("other")))
    made.append(given.pod("in-b", one, given.spec(nodeSelector={"zone": "b"})))
    made.append(given.queue("shut", given.status(state="Closed")))
    made.append(given.pod_group("shut", 1, given.spec(queue="shut")))
    made.append(given.pod("shut-0", given.asking(cpu=3), given.in_group("shut")))
    return made


def start(gang: str, minimum: int, **pods: str) -> Plan:
    """An entry of `starts`."""
    told = {f"default/{pod.replace('_', '-')}": node for pod, node in pods.items()}
    return {"gang": f"default/{gang}", "queue": "default", "minimum": minimum, "pods": told}


def wait(gang: str, minimum: int, *pods: str, queue: str = "default", **reason: object) -> Plan:
    """An entry of `waits`."""
    told = [f"default/{pod}" for pod in pods]
    why = {**REASON, **reason}
    return {
        "gang": f"default/{gang}",
        "queue": queue,
        "minimum": minimum,
        "pods": told,
        "reason": why,
    }


def sound() -> Plan:
    """The plan that keeps every promise."""
    return {
        "starts": [start("in-b", 1, in_b="n2"), start("new", 2, new_0="n1", new_1="n2")],
        "waits": [
            wait("big", 2, "big-0", "big-1"),
            wait("gated", 1, "gated", stage="admission", kind="gated"),
            wait("old", 1, "old-1"),
            wait("shut", 1, "shut-0", queue="shut", stage="admission", kind="closed-queue"),
        ],
        "evictions": [],
        "seconds": {"read": 0.0, "plan": 0.0},
    }


def started(name: str, **pods: str) -> Callable[[Plan], None]:
    """Other places, or other pods, for a gang that starts."""

    def change(plan: Plan) -> None:
        (entry,) = (each for each in plan["starts"] if each["gang"] == f"default/{name}")
        entry["pods"] = start(name, 1, **pods)["pods"]

    return change


def also(entry: Plan, *, out_of: str) -> Callable[[Plan], None]:
    """One more start, of a gang that is then not in waits."""

    def change(plan: Plan) -> None:
        plan["starts"].append(entry)
        plan["waits"] = [each for each in plan["waits"] if each["gang"] != f"default/{out_of}"]

    return change


def without(gang: str) -> Callable[[Plan], None]:
    """A start that is not made: its pods stand in waits."""

    def change(plan: Plan) -> None:
        (entry,) = (each for each in plan["starts"] if each["gang"] == f"default/{gang}")
        plan["starts"].remove(entry)
        pods = sorted(pod.partition("/")[2] for pod in entry["pods"])
        plan["waits"].append(wait(gang, entry["minimum"], *pods))

    return change


def because(**reason: object) -> Callable[[Plan], None]:
    """Another reason for the gang that waits for room."""

    def change(plan: Plan) -> None:
        plan["waits"][0]["reason"].update(reason)

    return change


def noted(**told: object) -> Callable[[Plan], None]:
    """Something else said of the gang that waits for room."""
    return lambda plan: plan["waits"][0].update(told)


SINS = [
    ("the form is kept", lambda plan: plan.update(evictions=[{"pod": "a", "for": "b"}])),
    ("only ours start", also(start("theirs", 1, theirs="n1"), out_of="nobody")),
    ("pods stand once", lambda plan: plan["waits"].pop()),
    ("pods stand once", lambda plan: plan["waits"].append(wait("big", 2, "big-0"))),
    ("entries are of their gang", noted(minimum=1)),
    ("entries are of their gang", noted(queue="shut")),
    ("whole or not at all", started("new", new_0="n1")),
    ("held pods do not start", also(start("gated", 1, gated="n1"), out_of="gated")),
    (
        "a closed queue starts nothing fresh",
        also(start("shut", 1, shut_0="n1") | {"queue": "shut"}, out_of="shut"),
    ),
    ("nodes are allowed", started("in-b", in_b="n1")),
    ("never over nodes", started("new", new_0="n2", new_1="n2")),
    ("nothing idle", without("new")),
    ("growth leaves nothing idle", without("in-b")),
    ("starts are in order", lambda plan: plan["starts"].reverse()),
    ("reasons say why", because(stage="somewhere")),
    ("reasons say why", because(message="no")),
    ("reasons say why", because(numbers={})),
    ("limits are not made up", because(stage="quota")),
]


def test_a_sound_plan_breaks_no_promise() -> None:
    assert checks.violations(documents(), sound()) == []


@pytest.mark.parametrize(("promise", "sin"), SINS)
def test_a_sin_is_seen_by_the_check_that_it_offends(
    promise: str, sin: Callable[[Plan], None]
) -> None:
    plan = sound()

    sin(plan)

    found = {told.partition(":")[0] for told in checks.violations(documents(), plan)}
    assert promise in found
