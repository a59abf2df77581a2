"""The page of plan's JSON names every word that scripts may meet, and shows every field."""

from __future__ import annotations

import json
import re

from cli.plans import PLAN

from docs import blocks
from fullcrew.cli import plan_json
from fullcrew.model.reason import Kind, Stage

PAGE = blocks.ROOT / "docs" / "plan-json.md"
TEXT = PAGE.read_text("utf-8")


def test_every_kind_of_reason_has_a_row() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|", TEXT, re.MULTILINE)

    assert set(rows) >= {str(kind) for kind in Kind}


def test_every_stage_is_named() -> None:
    (row,) = re.findall(r"^\| `stage` \|(.*)\|$", TEXT, re.MULTILINE)

    assert re.findall(r"`(\w+)`", row) == [str(stage) for stage in Stage]


def test_the_example_has_the_fields_that_are_printed() -> None:
    (block,) = (block for block in blocks.blocks("json") if block.page == PAGE)
    shown = json.loads(block.text)
    printed = plan_json.contract(PLAN, read_seconds=0, plan_seconds=0)

    assert shown.keys() == printed.keys()
    assert shown["starts"][0].keys() == printed["starts"][0].keys()
    assert shown["waits"][0].keys() == printed["waits"][0].keys()
    assert shown["waits"][0]["reason"].keys() == printed["waits"][0]["reason"].keys()
    assert shown["seconds"].keys() == printed["seconds"].keys()
