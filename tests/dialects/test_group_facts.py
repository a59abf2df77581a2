"""What a group object says, in one form for all dialects."""

from __future__ import annotations

from typing import Any

import given
import pytest

from fullcrew import dialects, objects

EVERY = pytest.mark.parametrize("dialect", ["volcano", "kube-batch", "sigs"])


def facts(minimum: int, *parts: given.Manifest, dialect: str = "volcano") -> dialects.GroupFacts:
    group = given.decoded(given.pod_group("team/job", minimum, *parts, dialect=dialect))
    assert isinstance(group, objects.PodGroup)
    return dialects.facts(group)


@EVERY
def test_every_dialect_tells_minimum_queue_priority_and_age(dialect: str) -> None:
    named = given.spec(queue="q", priorityClassName="high")

    found = facts(3, named, given.created("07"), dialect=dialect)

    assert (found.minimum, found.queue) == (3, "q")
    assert found.priority_class == "high"
    assert found.created == 1767225607


@EVERY
@pytest.mark.parametrize(("told", "read"), [(0, 1), (1, 1), (2, 2)])
def test_a_minimum_of_nothing_reads_as_one(dialect: str, told: int, read: int) -> None:
    assert facts(told, dialect=dialect).minimum == read


@EVERY
def test_less_than_nothing_is_a_fault(dialect: str) -> None:
    assert "spec.minMember is -1" in facts(-1, dialect=dialect).fault


@EVERY
def test_a_group_that_is_being_deleted_says_so(dialect: str) -> None:
    assert facts(1, given.leaving(), dialect=dialect).is_leaving


def test_minimums_of_roles_bind_where_the_groups_own_is_at_least_their_sum() -> None:
    roles = given.spec(minTaskMember={"worker": 2, "ps": 1, "spare": 0})

    assert facts(3, roles).roles == (("ps", 1), ("worker", 2))
    assert facts(2, roles).roles == ()


def test_kube_batch_knows_no_roles() -> None:
    roles = given.spec(minTaskMember={"worker": 2})

    assert facts(3, roles, dialect="kube-batch").roles == ()


def test_a_role_of_less_than_nothing_is_a_fault() -> None:
    found = facts(3, given.spec(minTaskMember={"worker": -2}))

    assert found.fault == "spec.minTaskMember.worker is less than nothing"


def test_what_a_group_is_admitted_for_is_read_in_whole_units() -> None:
    found = facts(3, given.spec(minResources={"cpu": "1500m", "memory": "1Gi"}))

    assert dict(found.min_resources) == {"cpu": 1500, "memory": 1 << 30}


def test_an_amount_that_is_none_is_a_fault_with_its_place() -> None:
    found = facts(3, given.spec(minResources={"memory": "much"}))

    assert found.fault.startswith("spec.minResources.memory:")


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ({}, ()),
        ({"networkTopology": {"mode": "soft"}}, ()),
        ({"networkTopology": {"mode": "hard"}}, ("spec.networkTopology",)),
        ({"networkTopology": {}}, ("spec.networkTopology",)),
        ({"subGroupPolicy": [{"name": "a"}]}, ("spec.subGroupPolicy",)),
    ],
)
def test_rules_that_are_not_built_are_named(spec: dict[str, Any], rules: tuple[str, ...]) -> None:
    assert facts(3, given.spec(**spec)).not_built == rules
