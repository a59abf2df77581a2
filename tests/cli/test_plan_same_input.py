"""What plan promises: documents in any order, spread over any files, give the same plan."""

from __future__ import annotations

import json
import random

import pytest
import yaml
from cli.clusters import NOW, bundle, gpu_node, gpu_pods
from given import Manifest, asking, created, on_node, pod, pod_group, queue, spec
from hypothesis import given
from hypothesis import strategies as st

from fullcrew.cli import plan_json, planning
from fullcrew.cli.planning import Settings

CLUSTER = bundle(
    [gpu_node(f"n{n}", 4) for n in range(4)],
    [queue("a", weight=2), queue("b", weight=1)],
    [pod_group(f"g{n}", 3, spec(queue="ab"[n % 2]), created(f"{n % 3:02}")) for n in range(6)],
    *[gpu_pods(f"g{n}", 4) for n in range(6)],
    [pod(f"x{n}", asking(cpu="7")) for n in range(5)],
    [pod(f"y{n}", asking(gpu=1), on_node(f"n{n}")) for n in range(3)],
)


def planned(files: list[bytes]) -> str:
    sources = [(f"{n}", data) for n, data in enumerate(files)]
    outcome = planning.planned(sources, Settings(), now=NOW, stopwatch=lambda: 0.0)
    return json.dumps(plan_json.contract(outcome.plan, read_seconds=0, plan_seconds=0))


def as_json(documents: list[Manifest]) -> bytes:
    return "\n".join(json.dumps(document) for document in documents).encode()


def as_yaml(documents: list[Manifest]) -> bytes:
    return yaml.safe_dump_all(documents).encode()


def as_list(documents: list[Manifest]) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}).encode()


WANTED = planned([as_json(CLUSTER)])


@given(st.integers(0, 10**9), st.integers(1, 6))
def test_any_order_in_any_files_gives_the_same_plan(seed: int, files: int) -> None:
    chance = random.Random(seed)
    mixed = chance.sample(CLUSTER, len(CLUSTER))

    found = planned([as_json(mixed[n::files]) for n in range(files)])

    assert found == WANTED


@pytest.mark.parametrize("form", [as_json, as_yaml, as_list])
def test_any_form_gives_the_same_plan(form: object) -> None:
    assert callable(form)

    assert planned([form(CLUSTER)]) == WANTED


def test_a_document_that_stands_twice_changes_nothing() -> None:
    assert planned([as_json(CLUSTER), as_yaml(CLUSTER[:9])]) == WANTED


def test_another_time_gives_the_same_plan() -> None:
    later = planning.planned(
        [("0", as_json(CLUSTER))], Settings(), now=NOW + 10**6, stopwatch=lambda: 0.0
    )

    told = json.dumps(plan_json.contract(later.plan, read_seconds=0, plan_seconds=0))

    assert told == WANTED
