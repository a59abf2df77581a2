"""The brute force itself, against something slower still: every pod on every node, or on none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from differential import brute, fitting
from differential.case import case
from differential.rows import Cluster, Gang
from given import Manifest
from hypothesis import HealthCheck, given, settings
from properties import puzzles

NOWHERE = ""


def there_is_a_way(cluster: Cluster, gang: Gang) -> bool:
    """Whether any way at all to put pods on nodes gives the gang what it lacks."""
    places = [NOWHERE, *cluster.nodes]
    ways = product(places, repeat=len(gang.startable))
    return any(is_a_way(cluster, gang, way) for way in ways)


def is_a_way(cluster: Cluster, gang: Gang, way: Sequence[str]) -> bool:
    """Whether these places will do, one for each pod."""
    placed = [(pod, at) for pod, at in zip(gang.startable, way, strict=True) if at != NOWHERE]
    roles = [pod.role for pod, _ in placed]
    if len(placed) < gang.lacks or any(roles.count(r) < owed for r, owed in gang.owed.items()):
        return False
    left = fitting.room_left(cluster, {})
    for pod, at in placed:
        (sort,) = fitting.sorts_of(cluster, [pod])
        if at not in sort.nodes or not fitting.on_node(left, at, sort):
            return False
        left.take(pod, at)
    return True


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(puzzles.puzzles(most_nodes=2, most_pods=6))
def test_brute_force_finds_what_trying_every_placement_finds(documents: list[Manifest]) -> None:
    cluster = case(documents, brute.NOTHING).cluster
    (gang,) = cluster.gangs.values()

    found = brute.can_start(documents, gang.title)

    assert found == (gang.has_enough_pods and there_is_a_way(cluster, gang))
