"""A gang that waits says why, with the figures one finds on the cluster."""

from __future__ import annotations

import pytest
from core.columns import Pods, gang, planned, snapshot

from fullcrew.core import words
from fullcrew.model.reason import Reason, in_words


def reason_of(*, nodes: dict[str, tuple[int, int, int]], roles: list[Pods]) -> Reason:
    [wait] = planned(snapshot(nodes, gang("g", *roles))).waits
    return wait.reason


def test_short_of_room() -> None:
    reason = reason_of(nodes={"a": (110, 9, 3), "b": (110, 9, 1)}, roles=[Pods(3, (1, 2))])

    assert in_words(reason) == (
        "placement: it starts with 3 pods at once and room is found for 1; of 3 pods that ask for"
        " 2 gpu each, 1 fits; the nodes they may use (2 of 2) have 4 free together, at most 3 on"
        " one"
    )
    assert dict(reason.numbers) == {
        "allowed": 2, "asked": 3, "each": 2, "fit": 1, "found": 1, "free": 4, "minimum": 3,
        "most": 3, "needed": 3, "nodes": 2, "short": 2,
    }  # fmt: skip


def test_too_big_for_any_node() -> None:
    reason = reason_of(nodes={"a": (110, 9, 3)}, roles=[Pods(1, (1, 8))])

    assert (reason.kind, reason.message) == (
        "nowhere",
        "a pod asks for 8 gpu, and the largest node it may use has 3",
    )


def test_of_several_roles_the_one_that_is_short_is_told() -> None:
    reason = reason_of(nodes={"a": (110, 9, 2)}, roles=[Pods(1, (1, 0)), Pods(2, (1, 2))])

    assert reason.number("found") == 2
    assert [child.number("fit") for child in reason.children] == [1]


def test_roles_that_fit_alone_but_not_together() -> None:
    reason = reason_of(nodes={"a": (110, 4, 0)}, roles=[Pods(1, (3, 0)), Pods(1, (2, 0))])

    assert "each kind of them fits alone, but not all together" in reason.message


def test_a_cluster_without_nodes() -> None:
    reason = reason_of(nodes={}, roles=[Pods(2, (1, 0))])

    assert (reason.kind, reason.number("nodes")) == ("nowhere", 0)
    assert "there are no nodes" in reason.message


@pytest.mark.parametrize(
    ("memory", "told"),
    [
        (0, "0"), (1, "1"), (64 << 30, "64Gi"), (30_000_000_000, "30G"), (1000 << 20, "1000Mi"),
        (1500 << 10, "1500Ki"), ((1 << 30) + 1, "1073741825"),
    ],
)  # fmt: skip
def test_memory_is_told_exactly_in_the_units_of_the_one_who_asked(memory: int, told: str) -> None:
    assert words.quantity("memory", memory) == told
