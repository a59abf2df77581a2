"""Counts, state and allocated amounts on queues; and that a steady queue is written nothing."""

from __future__ import annotations

import json
from typing import Any

import given
import pytest

from fullcrew import objects
from fullcrew.dialects import queue_status
from fullcrew.dialects.queue_status import Tally
from fullcrew.dialects.status import Guard

GUARD = Guard("u-1", "7")
PHASES = {"Pending": 1, "Inqueue": 2, "Running": 3, "Completed": 4, "Unknown": 5}
NOTHING = Tally({}, {})
ZEROS = {"pending": 0, "running": 0, "unknown": 0, "inqueue": 0, "completed": 0}


def queue(*parts: given.Manifest, dialect: str = "volcano") -> objects.Queue:
    found = given.decoded(given.queue("q", *parts, dialect=dialect))
    assert isinstance(found, objects.Queue)
    return found


def patch(on: objects.Queue, tally: Tally) -> dict[str, Any]:
    body = queue_status.patch(on, tally, GUARD)
    found: dict[str, Any] = json.loads(body) if body else {}
    return found


def test_volcanos_queue_counts_each_phase() -> None:
    found = patch(queue(), Tally(PHASES, {}))

    counts = {"pending": 1, "inqueue": 2, "running": 3, "completed": 4, "unknown": 5}
    assert found["status"] == {**counts, "state": "Open"}
    assert found["metadata"] == {"uid": "u-1", "resourceVersion": "7"}


@pytest.mark.parametrize("dialect", ["kube-batch", "sigs"])
def test_kube_batchs_queue_counts_three_phases(dialect: str) -> None:
    found = patch(queue(dialect=dialect), Tally({"Pending": 1, "Running": 3, "Unknown": 5}, {}))

    assert found["status"] == {"pending": 1, "running": 3, "unknown": 5}


def test_what_bound_pods_ask_for_is_told_in_the_units_of_kubernetes() -> None:
    amounts = {"cpu": 1500, "memory": 1 << 30, "pods": 3, "hostport/TCP/80": 1, given.GPU: 0}

    found = patch(queue(), Tally({}, amounts))

    assert found["status"]["allocated"] == {"cpu": "1500m", "memory": "1073741824"}


def test_amounts_of_the_same_worth_are_not_written_again() -> None:
    there = given.status(allocated={"cpu": "1500m", "memory": "1Gi"}, state="Open")

    found = patch(queue(there), Tally({}, {"cpu": 1500, "memory": 1 << 30}))

    assert found == {}


def test_what_is_not_allocated_any_more_is_taken_off() -> None:
    there = given.status(allocated={"cpu": "2", given.GPU: "1"}, state="Open")

    found = patch(queue(there), Tally({}, {"cpu": 2000}))

    assert found["status"] == {"allocated": {given.GPU: None}}


def test_a_steady_queue_is_written_nothing() -> None:
    there = given.status(state="Open", **{**ZEROS, "running": 2})

    assert patch(queue(there), Tally({"Running": 2}, {})) == {}


@pytest.mark.parametrize(
    ("state", "groups", "then"),
    [
        ("Closing", {"Running": 1}, {}),
        ("Closing", {}, {"state": "Closed"}),
        ("Closed", {}, {}),
        ("Open", {}, {}),
    ],
)
def test_a_closing_queue_is_closed_when_its_last_group_left(
    state: str, groups: dict[str, int], then: dict[str, str]
) -> None:
    there = queue(given.status(state=state, running=groups.get("Running", 0)))

    found = patch(there, Tally(groups, {}))

    assert found.get("status", {}) == then


def test_an_amount_that_is_none_is_replaced() -> None:
    there = given.status(allocated={"cpu": "many"}, state="Open")

    found = patch(queue(there), Tally({}, {"cpu": 1000}))

    assert found["status"] == {"allocated": {"cpu": "1"}}


def test_an_empty_kube_batch_queue_is_left_alone() -> None:
    assert patch(queue(dialect="kube-batch"), NOTHING) == {}
