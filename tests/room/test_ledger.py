"""What is supposed can be taken back to the last byte, and nothing is taken that is not there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullcrew import errors
from fullcrew.room import Room, Taking

RESOURCES, NODES, QUEUES = 4, 12, 3
PLENTY = 60


def room_of(*nodes: tuple[int, ...], queues: int = QUEUES) -> Room:
    free = np.array(nodes, dtype=np.int64).T
    used = np.zeros((len(free), queues), dtype=np.int64)
    return Room(free, used, np.full_like(used, 1 << 62))


def plenty() -> Room:
    return room_of(*[(PLENTY,) * RESOURCES] * NODES)


def taking(*, on: list[int], counts: list[int], ask: tuple[int, ...], queue: int = 0) -> Taking:
    nodes, many, much = (np.array(column, dtype=np.int64) for column in (on, counts, ask))
    return Taking(nodes, many, much, queue)


def bytes_of(room: Room) -> tuple[bytes, bytes]:
    return room.free.tobytes(), room.used.tobytes()


@st.composite
def takings(draw: st.DrawFn) -> Taking:
    """Of few cells and of many: the ledger has a way of its own for each."""
    on = draw(st.lists(st.integers(0, NODES - 1), unique=True, max_size=NODES))
    counts = [draw(st.integers(0, 4)) for _ in on]
    ask = tuple(draw(st.integers(0, 9)) for _ in range(RESOURCES))
    return taking(on=on, counts=counts, ask=ask, queue=draw(st.integers(0, QUEUES - 1)))


Move = tuple[bool, Taking]
moves = st.lists(st.tuples(st.booleans(), takings()), max_size=8)


def suppose(room: Room, chosen: list[Move]) -> None:
    for is_take, move in chosen:
        try:
            (room.take if is_take else room.give)(move)
        except errors.Bug:
            continue  # refused, and by the properties below without a trace


@settings(max_examples=40)
@given(before=moves, outer=moves, inner=moves)
def test_a_used_room_returns_to_the_same_bytes(
    before: list[Move], outer: list[Move], inner: list[Move]
) -> None:
    room = plenty()
    suppose(room, before)
    first, at_first = room.mark(), bytes_of(room)
    suppose(room, outer)
    second, at_second = room.mark(), bytes_of(room)
    suppose(room, inner)

    room.back_to(second)
    assert bytes_of(room) == at_second
    room.back_to(first)
    assert bytes_of(room) == at_first


@given(chosen=st.lists(takings(), max_size=20))
def test_nothing_taken_brings_a_node_below_zero(chosen: list[Taking]) -> None:
    room = plenty()

    suppose(room, [(True, move) for move in chosen])

    assert room.free.min() >= 0


@settings(max_examples=60)
@given(chosen=moves)
def test_every_move_does_to_each_cell_what_a_pod_at_a_time_would_do(chosen: list[Move]) -> None:
    room = plenty()
    free = [[PLENTY] * NODES for _ in range(RESOURCES)]
    used = [[0] * QUEUES for _ in range(RESOURCES)]

    for is_take, move in chosen:
        needs = [
            (r, int(node), int(count) * int(much))
            for node, count in zip(move.nodes, move.counts, strict=True)
            for r, much in enumerate(move.ask)
        ]
        if is_take and any(free[r][node] < much for r, node, much in needs):
            continue
        for r, node, much in needs:
            free[r][node] -= much if is_take else -much
            used[r][move.queue] += much if is_take else -much
    suppose(room, chosen)

    assert room.free.tolist() == free
    assert room.used.tolist() == used


@pytest.mark.parametrize("size", [1, 30])
def test_taking_what_is_not_there_is_our_bug_and_changes_nothing(size: int) -> None:
    room = room_of(*[(5, 4)] * size)
    before = bytes_of(room)
    counts = [1] * (size - 1) + [2]

    with pytest.raises(errors.Bug, match=f"{size + 1} pods taken from nodes that cannot hold"):
        room.take(taking(on=list(range(size)), counts=counts, ask=(3, 0)))

    assert bytes_of(room) == before
    assert room.mark() == 0, "what was refused is not in the journal"


@pytest.mark.parametrize("size", [1, 30])
@pytest.mark.parametrize("wrong", [-1, 30])
def test_a_node_that_there_is_not_is_our_bug_and_no_other_node_pays(size: int, wrong: int) -> None:
    room = room_of(*[(4, 4)] * 30)
    before = bytes_of(room)

    with pytest.raises(errors.Bug, match="none of the 30 there are"):
        room.take(taking(on=[*range(1, size), wrong], counts=[1] * size, ask=(1, 1)))

    assert bytes_of(room) == before


@pytest.mark.parametrize("queue", [-1, QUEUES])
def test_a_queue_that_there_is_not_is_our_bug_and_no_other_queue_pays(queue: int) -> None:
    room = room_of((4, 4))
    before = bytes_of(room)

    with pytest.raises(errors.Bug, match=f"queue number {queue}, where there are 3"):
        room.give(taking(on=[0], counts=[1], ask=(1, 1), queue=queue))

    assert bytes_of(room) == before


@pytest.mark.parametrize("size", [1, 30])
def test_a_node_that_is_overdrawn_in_another_resource_still_gives_this_one(size: int) -> None:
    room = room_of(*[(4, -2)] * size)

    room.take(taking(on=list(range(size)), counts=[2] * size, ask=(2, 0)))

    assert room.free.T.tolist() == [[0, -2]] * size


def test_a_queue_is_charged_for_what_its_pods_take() -> None:
    room = room_of((4, 4), (4, 4))

    room.take(taking(on=[0, 1], counts=[1, 2], ask=(2, 1), queue=1))

    assert room.used.T.tolist() == [[0, 0], [6, 3], [0, 0]]


def test_a_cycle_supposes_on_a_copy() -> None:
    real = room_of((4, 4))
    private = real.copy()

    private.take(taking(on=[0], counts=[1], ask=(4, 4)))

    assert real.free.T.tolist() == [[4, 4]]
    assert real.used.sum() == 0


def test_nobody_can_write_the_columns_past_the_ledger() -> None:
    room = room_of((4, 4))

    for column in (room.free, room.used, room.limit):
        with pytest.raises(ValueError, match="read-only"):
            column[0, 0] = 1


def test_the_columns_that_a_room_was_made_of_stay_the_callers() -> None:
    free = np.array([[4]], dtype=np.int64)
    room = Room(free, free, free)

    free[0, 0] = 1

    assert [int(column[0, 0]) for column in (room.free, room.used, room.limit)] == [4, 4, 4]


def test_a_mark_that_was_gone_back_before_is_void() -> None:
    room = room_of((4, 4))
    early = room.mark()
    room.take(taking(on=[0], counts=[1], ask=(1, 1)))
    late = room.mark()

    room.back_to(early)

    with pytest.raises(errors.Bug, match="left behind"):
        room.back_to(late)


def test_what_is_settled_stays() -> None:
    room = room_of((4, 4))
    room.take(taking(on=[0], counts=[1], ask=(1, 1)))

    room.settle()
    room.back_to(room.mark())

    assert room.free.T.tolist() == [[3, 3]]


def test_a_room_without_nodes_takes_nothing_and_stands() -> None:
    empty = np.zeros((2, 0), dtype=np.int64)
    room = Room(empty, np.zeros((2, 1), dtype=np.int64), np.zeros((2, 1), dtype=np.int64))

    room.take(taking(on=[], counts=[], ask=(1, 1)))

    assert room.used.sum() == 0
