"""Plans as people and scripts see them, from plans made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from accepted import Accepted
from cli import plans
from cli.plans import PLAN

from fullcrew.cli import layout, plan_json, plan_table
from fullcrew.room import Plan

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"


def table(plan: Plan, *, width: int = 80) -> str:
    return layout.as_text(plan_table.lines(plan, width=width))


def contract(plan: Plan) -> dict[str, object]:
    return plan_json.contract(plan, read_seconds=0.4123456789, plan_seconds=0.02)


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_is_as_accepted(width: int, accepted: Accepted) -> None:
    accepted.compare(GOLDEN / f"table-{width}.txt", table(PLAN, width=width))


def test_the_contract_is_as_accepted(accepted: Accepted) -> None:
    small = Plan(PLAN.starts[:5], PLAN.waits)

    text = msgspec.json.format(msgspec.json.encode(contract(small)), indent=2).decode()

    accepted.compare(GOLDEN / "contract.json", text + "\n")


def test_a_plan_of_nothing_says_so() -> None:
    assert table(Plan((), ())) == "no pod waits: there is nothing to start\n"


def test_a_plan_of_nothing_keeps_the_contract() -> None:
    assert contract(Plan((), ())) == {
        "starts": [],
        "waits": [],
        "evictions": [],
        "seconds": {"read": 0.412346, "plan": 0.02},
    }


def test_only_what_there_is_has_a_head() -> None:
    waiting = Plan((), PLAN.waits)

    assert "STARTS" not in table(waiting)
    assert "WAITS" not in table(Plan(PLAN.starts, ()))


@pytest.mark.parametrize("width", [1, 40, 80, 200])
def test_every_gang_and_reason_is_told_at_any_width(width: int) -> None:
    words = " ".join(table(PLAN, width=width).split())

    assert plans.SHORT.message in words
    assert all(start.gang.title in words for start in PLAN.starts)


def test_nodes_that_the_line_cannot_hold_are_counted() -> None:
    found = table(Plan((plans.start("default/a", *[f"node-{n}" for n in range(50)]),), ()))

    assert "node-0, node-1, node-2" in found
    assert " more nodes\n" in found


def test_control_characters_never_reach_a_terminal() -> None:
    nasty = plans.start("default/a\x1b[2J", "node\n1")

    found = table(Plan((nasty,), ()))

    assert r"default/a\x1b[2J" in found
    assert r"node\n1" in found


def test_wide_characters_keep_the_columns_straight() -> None:
    starts = plans.start("default/訓練", "a"), plans.start("default/long-name", "b")

    lines = table(Plan(starts, ())).splitlines()

    assert len({layout.cells(line[: line.rindex(" ")]) for line in lines[1:3]}) == 1


def test_gangs_of_two_dialects_with_one_name_are_told_by_their_titles() -> None:
    told = contract(Plan((plans.start("default/a (labels)", "n"),), ()))

    assert json.loads(msgspec.json.encode(told))["starts"][0]["gang"] == "default/a"
