"""When a status may be written, with the clock as an argument."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fullcrew.dialects.status import Content
from fullcrew.objects import Condition
from fullcrew.run import due
from fullcrew.run.due import Change

NEVER = float("-inf")
STANDS = Content("Running", (), running=3, succeeded=0, failed=0)
WAITS = replace(
    STANDS,
    phase="Inqueue",
    running=0,
    conditions=(Condition(type="Unschedulable", status="True", message="2 are missing"),),
    reason='{"stage":"placement","kind":"short","numbers":{"gpu":2}}',
)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (STANDS, STANDS, Change.NOTHING),
        (STANDS, replace(STANDS, running=4), Change.NUMBERS),
        (STANDS, replace(STANDS, running=2), Change.KIND),
        (STANDS, replace(STANDS, phase="Unknown"), Change.KIND),
        (WAITS, replace(WAITS, reason=WAITS.reason.replace("2", "3")), Change.NUMBERS),
        (WAITS, replace(WAITS, reason=WAITS.reason.replace("short", "held")), Change.KIND),
        (WAITS, replace(WAITS, reason=""), Change.KIND),
        (WAITS, STANDS, Change.KIND),
    ],
)
def test_numbers_are_told_from_kinds(old: Content, new: Content, found: Change) -> None:
    assert due.change(old, new, minimum=3) is found


def test_what_was_never_written_is_due_at_once() -> None:
    assert due.due(Change.KIND, written_at=NEVER) == NEVER
    assert due.due(Change.NUMBERS, written_at=NEVER) == NEVER


def test_numbers_are_written_every_half_minute_at_most() -> None:
    assert due.due(Change.NUMBERS, written_at=100.0) == 130.0


def test_a_change_of_kind_is_written_at_once_but_for_a_breath() -> None:
    assert due.due(Change.KIND, written_at=100.0) == 100.5
