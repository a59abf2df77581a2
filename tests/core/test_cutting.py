"""Pods lie as if put one after the other where the score is best at that moment."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fullcrew.core.cutting import Holding, filled, levelled
from fullcrew.room import Ints

held = st.lists(st.integers(0, 12), min_size=1, max_size=8)


@given(held=held, count=st.integers(1, 60), seed=st.permutations(range(8)))
def test_a_score_that_does_not_change_fills_node_after_node(
    held: list[int], count: int, seed: list[int]
) -> None:
    keys = np.array(seed[: len(held)], dtype=np.int64)
    holding = Holding(np.array([held], dtype=np.int64) * 3, ((0, 3),))

    found = filled(keys, np.array(held) > 0, holding, count)

    expected: dict[int, int] = {}
    for node in sorted(range(len(held)), key=lambda at: keys[at]):
        taken = min(held[node], count - sum(expected.values()))
        if taken:
            expected[node] = taken
    assert dict(zip(found.nodes, found.counts, strict=True)) == expected
    assert found.nodes == list(expected), "the best node comes first"


@given(
    held=held,
    count=st.integers(1, 60),
    first=st.lists(st.integers(-9, 9), min_size=8, max_size=8),
    falls=st.lists(st.integers(0, 3), min_size=8, max_size=8),
)
def test_a_score_that_falls_is_followed_copy_by_copy(
    held: list[int], count: int, first: list[int], falls: list[int]
) -> None:
    ranks = np.arange(len(held), dtype=np.int64)[::-1].copy()
    best, fall = np.array(first, dtype=np.int64), np.array(falls, dtype=np.int64)

    def score(rows: Ints, copies: Ints) -> Ints:
        result: Ints = best[rows] - fall[rows] * copies
        return result

    rows = np.arange(len(held), dtype=np.int64)
    found = levelled(score, ranks, rows, np.array(held, dtype=np.int64), count)

    copies = [0] * len(held)
    for _ in range(min(count, sum(held))):
        free = [node for node in range(len(held)) if copies[node] < held[node]]
        node = max(free, key=lambda n: (first[n] - falls[n] * copies[n], -ranks[n]))
        copies[node] += 1
    expected = {node: many for node, many in enumerate(copies) if many}
    assert dict(zip(found.nodes, found.counts, strict=True)) == expected
