"""Two readings of what a pod asks for, written apart, agree on every case there is."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from differential import amounts
from tidy import source

CASES: list[dict[str, Any]] = [
    case
    for case in yaml.safe_load(
        (source.ROOT / "tests" / "scenarios" / "asks.yaml").read_text("utf-8")
    )
    if "asks" in case and not (case.get("status") or {})
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_second_reading_of_an_ask_agrees_with_the_first(case: dict[str, Any]) -> None:
    asked = amounts.asked({"spec": case["spec"]})

    assert asked == {"pods": 1, **case["asks"]}
