"""The groups that start together are read in as few requests as serve."""

from __future__ import annotations

import pytest

from fullcrew import launch, objects
from fullcrew.launch import GroupKey, Terms


def keys(count: int, *, namespace: str = "ns") -> list[GroupKey]:
    return [GroupKey("volcano", namespace, f"g{number}") for number in range(count)]


def group(**spec: object) -> objects.PodGroup:
    document = {"metadata": {"name": "g", "namespace": "ns"}, "spec": spec}
    read = objects.decode(objects.VolcanoPodGroup, document)
    assert isinstance(read, objects.PodGroup)
    return read


def test_few_groups_are_read_one_by_one() -> None:
    assert launch.gathered(keys(8)) == (tuple(keys(8)), ())


def test_many_groups_of_a_namespace_are_read_at_once() -> None:
    assert launch.gathered(keys(9)) == ((), (("volcano", "ns"),))


def test_of_a_namespace_whose_list_is_long_many_are_few() -> None:
    pages = {("volcano", "ns"): 3}

    assert launch.gathered(keys(24), pages=pages) == (tuple(keys(24)), ())
    assert launch.gathered(keys(25), pages=pages) == ((), (("volcano", "ns"),))


def test_each_namespace_is_judged_by_itself_and_nothing_is_read_twice() -> None:
    few = keys(2, namespace="other")

    reads = launch.gathered([*keys(9), *few, *few])

    assert reads == (tuple(few), (("volcano", "ns"),))


def test_terms_are_what_a_plan_took_for_granted() -> None:
    told = group(minMember=3, queue="q", minTaskMember={"ps": 1, "worker": 2})

    assert launch.terms_of(told) == Terms(3, (("ps", 1), ("worker", 2)), "q")


@pytest.mark.parametrize("spec", [{"minMember": -1}, {"networkTopology": {"mode": "hard"}}])
def test_what_no_plan_is_made_for_has_no_terms(spec: dict[str, object]) -> None:
    assert launch.terms_of(group(**spec)) is None
