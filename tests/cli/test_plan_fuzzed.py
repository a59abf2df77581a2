"""Whatever is done to sound manifests, there is a plan or one error, and never a crash."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from cli import mutations
from cli.clusters import NOW
from cli.playing import typed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fullcrew import errors
from fullcrew.cli import layout, plan_json, plan_table, planning
from fullcrew.cli.planning import Settings

QUIET = settings(suppress_health_check=list(HealthCheck))


def planned(data: bytes) -> None:
    """Plans and draws in every form; an error must be one for users, and say where."""
    try:
        outcome = planning.planned([("f", data)], Settings(), now=NOW, stopwatch=lambda: 0.0)
    except errors.BadInput as error:
        told = str(error)
        if not told.startswith("f"):
            raise
        return
    contract = plan_json.contract(outcome.plan, read_seconds=0, plan_seconds=0)
    assert json.loads(msgspec.json.encode(contract)) == json.loads(json.dumps(contract))
    assert layout.as_text(plan_table.lines(outcome.plan, width=80)).encode()


def as_json(documents: list[dict[str, Any]]) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}).encode()


@pytest.mark.slow
@settings(QUIET, max_examples=500)
@given(mutations.spoilt_documents())
def test_spoilt_manifests_are_planned_or_refused(documents: list[dict[str, Any]]) -> None:
    planned(as_json(documents))


@pytest.mark.slow
@settings(QUIET, max_examples=500)
@given(mutations.spoilt_bytes())
def test_spoilt_bytes_are_planned_or_refused(data: bytes) -> None:
    planned(data)


@pytest.mark.slow
@settings(QUIET, max_examples=100)
@given(mutations.spoilt_bytes())
def test_standard_output_holds_a_plan_or_nothing(data: bytes) -> None:
    done = typed("plan", "-", "-o", "json", told=data)

    assert done.code in {0, 2}, done.err
    assert "Traceback" not in done.err
    if done.code:
        assert done.out == ""
    else:
        assert json.loads(done.out).keys() == {"starts", "waits", "evictions", "seconds"}


@settings(QUIET, max_examples=200)
@given(st.binary(max_size=300))
def test_random_bytes_are_planned_or_refused(data: bytes) -> None:
    planned(data)


@settings(QUIET, max_examples=200)
@given(st.text("{}[]:,-&*!|>'\"%@`#?<\n\t ab1\0", max_size=200))
def test_random_punctuation_is_planned_or_refused(text: str) -> None:
    planned(text.encode())


@pytest.mark.soak
@settings(QUIET, max_examples=100_000, derandomize=False)
@given(mutations.spoilt_documents())
def test_many_more_spoilt_manifests_are_planned_or_refused(documents: list[dict[str, Any]]) -> None:
    planned(as_json(documents))


@pytest.mark.soak
@settings(QUIET, max_examples=100_000, derandomize=False)
@given(mutations.spoilt_bytes())
def test_many_more_spoilt_bytes_are_planned_or_refused(data: bytes) -> None:
    planned(data)
