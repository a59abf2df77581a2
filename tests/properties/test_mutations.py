"""Planted faults can be planted, were all seen, and one is planted and seen here and now."""

from __future__ import annotations

import re

import pytest

from tools import mutations

ALL = list(mutations.faults())


def test_every_fault_can_be_planted() -> None:
    assert mutations.out_of_place(ALL) == []


def test_there_are_twenty_faults_and_more() -> None:
    assert len({fault.fault for fault in ALL}) >= 20


def test_the_page_tells_of_every_fault_that_somebody_saw_it() -> None:
    told = mutations.PAGE.read_text("utf-8")

    assert [fault.fault for fault in ALL if f"| {fault.fault} |" not in told] == []
    assert "nobody" not in told


def test_the_page_says_when_and_of_what_it_was_made() -> None:
    made = mutations.page([], commit="abc1234")

    assert re.search(r"on \d{4}-\d\d-\d\d, of commit abc1234\.$", made, re.MULTILINE)


def test_the_page_that_is_committed_says_so_too() -> None:
    told = mutations.PAGE.read_text("utf-8")

    assert re.search(r"on \d{4}-\d\d-\d\d, of commit \w{7,}", told)


@pytest.mark.slow
def test_a_planted_fault_is_seen() -> None:
    (result,) = mutations.tried(mutations.faults(["lowest priority"]))

    assert "tests/scenarios/test_plans.py" in result.seen_by
