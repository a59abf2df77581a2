"""What `fullcrew plan` promises, on clusters that nobody has seen."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
from differential import checks
from given import Manifest
from hypothesis import HealthCheck, given, settings
from properties import clusters, puzzles
from properties.planning import applied, planned, planned_as_fed, without_seconds
from properties.shrinking import shrunk

MANY = settings(max_examples=20_000, derandomize=False, suppress_health_check=list(HealthCheck))
EACH = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])
Documents = list[Manifest]


def broken(documents: Sequence[Manifest]) -> list[str]:
    """Every check of `differential`."""
    return checks.violations(documents, planned(documents))


def differs_backwards(documents: Sequence[Manifest]) -> list[str]:
    """The order of documents decides nothing, not even an order in the answer; nor does the order
    in which a watch tells of them."""
    several = [planned(documents), planned(documents[::-1])]
    several += [planned_as_fed(documents), planned_as_fed(documents[::-1])]
    told = {without_seconds(plan) for plan in several}
    return [f"{len(told)} plans from four orders"] if len(told) > 1 else []


def starts_again(documents: Sequence[Manifest]) -> list[str]:
    """A plan that is carried out leaves nothing that could start."""
    again = planned(applied(documents, planned(documents)))
    return [f"{start['gang']} starts only the second time" for start in again["starts"]]


def assert_none(documents: Documents, judge: Callable[[Sequence[Manifest]], list[str]]) -> None:
    """Fails with the smallest cluster that fails."""
    if not judge(documents):
        return
    small = shrunk(documents, lambda fewer: bool(judge(fewer)))
    told = "\n---\n".join(json.dumps(document) for document in small)
    raise AssertionError("\n".join([*judge(small), told]))


@pytest.mark.slow
@settings(EACH, max_examples=1_000)
@given(clusters.clusters())
def test_a_plan_keeps_every_promise(documents: Documents) -> None:
    assert_none(documents, broken)


@pytest.mark.slow
@settings(EACH, max_examples=200)
@given(clusters.clusters(most_nodes=8, most_gangs=12))
def test_a_plan_of_a_crowded_cluster_keeps_every_promise(documents: Documents) -> None:
    assert_none(documents, broken)


@pytest.mark.slow
@settings(EACH, max_examples=40)
@given(clusters.clusters(most_nodes=60, most_gangs=120))
def test_a_plan_of_a_larger_cluster_keeps_every_promise(documents: Documents) -> None:
    assert_none(documents, broken)


@pytest.mark.slow
@settings(EACH, max_examples=250)
@given(clusters.clusters())
def test_the_order_of_documents_does_not_matter(documents: Documents) -> None:
    assert_none(documents, differs_backwards)


@pytest.mark.slow
@settings(EACH, max_examples=250)
@given(clusters.clusters())
def test_what_a_plan_held_stays_held_when_the_plan_is_carried_out(documents: Documents) -> None:
    assert_none(documents, starts_again)


@pytest.mark.slow
@settings(EACH, max_examples=200)
@given(puzzles.puzzles())
def test_a_plan_of_a_gang_that_just_fits_keeps_every_promise(documents: Documents) -> None:
    assert_none(documents, broken)


@pytest.mark.slow
@settings(EACH, max_examples=200)
@given(puzzles.several_puzzles())
def test_a_plan_of_several_gangs_that_just_fit_keeps_every_promise(documents: Documents) -> None:
    assert_none(documents, broken)


@pytest.mark.soak
@settings(MANY)
@given(clusters.clusters(most_nodes=8, most_gangs=8))
def test_many_more_plans_keep_every_promise(documents: Documents) -> None:
    assert_none(documents, broken)
    assert_none(documents, differs_backwards)
    assert_none(documents, starts_again)
