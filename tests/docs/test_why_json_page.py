"""The page of why's JSON shows every field, and names every word for what became of a gang."""

from __future__ import annotations

import json
import re
from typing import Any

from cli.plans import SHORT

from docs import blocks
from fullcrew.cli import why_text
from fullcrew.cli.answering import Answer, Found, Written

PAGE = blocks.ROOT / "docs" / "why-json.md"
TEXT = PAGE.read_text("utf-8")
ANSWER = Answer(
    asked="team/train",
    kind="gang",
    found=Found.WAITS,
    reasons=((("team/train-0",), SHORT),),
    written=Written("Unschedulable", "True", "NotEnoughResources", "why", ""),
)


def shown() -> dict[str, Any]:
    """The answer of the example."""
    (block,) = (block for block in blocks.blocks("json") if block.page == PAGE)
    (answer,) = json.loads(block.text)["answers"]
    found: dict[str, Any] = answer
    return found


def rows(head: str) -> set[str]:
    """The words of the first column of the table with this head."""
    table = TEXT.partition(f"| {head} |")[2].partition("\n\n")[0]
    return {
        word for row in re.findall(r"^\| (`.+?) \|", table, re.M) for word in row.split("`")[1::2]
    }


def test_the_example_has_the_fields_that_are_printed() -> None:
    printed = why_text.as_plain(ANSWER)

    assert shown().keys() == printed.keys()
    assert shown()["pods"].keys() == printed["pods"].keys()
    assert shown()["reasons"][0].keys() == printed["reasons"][0].keys()
    assert shown()["reasons"][0]["reason"].keys() == printed["reasons"][0]["reason"].keys()
    assert shown()["written"].keys() == printed["written"].keys()


def test_every_field_has_a_row() -> None:
    assert rows("field") == {"answers", *why_text.as_plain(ANSWER)}


def test_every_word_for_what_became_of_it_has_a_row() -> None:
    assert rows("found") == {str(found) for found in Found}
