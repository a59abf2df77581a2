"""Water in vessels side by side: beside a plain reckoning of where it must stand."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from fullcrew.core.water import Vessel, Water

SOME = 10**6  # so that a whole number of them says enough

levels = st.integers(0, 12).map(lambda level: level * SOME)
vessels = st.lists(st.tuples(st.integers(1, 5), levels), min_size=1, max_size=6).map(
    lambda made: [Vessel(name, width, floor) for name, (width, floor) in enumerate(made)]
)
pours = st.lists(st.integers(0, 30).map(lambda amount: amount * SOME), max_size=8)


def stands_at(vessels: list[Vessel], brims: dict[int, int], poured: int) -> Fraction:
    """The level, by trying every one at which something changes."""
    edges = sorted({v.floor for v in vessels} | set(brims.values()))
    level, left = Fraction(edges[0]), Fraction(poured)
    for edge in [*edges[1:], None]:
        rising = [v for v in vessels if v.floor <= level < brims.get(v.name, level + 1)]
        width = sum(v.width for v in rising)
        room = None if edge is None else width * (edge - level)
        if room is None or left < room:
            return level + (left / width if width else 0)
        level, left = Fraction(edge or 0), left - room
    return level


def test_it_rises_by_width_in_all_that_are_neither_dry_nor_full() -> None:
    water = Water([Vessel(1, 3, 0), Vessel(2, 1, 0), Vessel(3, 1, 5)])

    water.pour(12)

    assert water.level == 3


def test_what_stands_above_a_brim_flows_to_the_others() -> None:
    water = Water([Vessel(1, 1, 0), Vessel(2, 1, 0)])
    water.pour(8)

    water.brim(1, 2)

    assert water.level == 6


def test_a_brim_is_lowered_but_never_raised() -> None:
    water = Water([Vessel(1, 1, 0), Vessel(2, 1, 0)])
    for brim in (3, 1, 2):
        water.brim(1, brim)

    water.pour(4)

    assert water.level == 3


@given(vessels, pours, st.dictionaries(st.integers(0, 5), levels))
def test_it_stands_where_a_plain_reckoning_says(
    made: list[Vessel], amounts: list[int], brims: dict[int, int]
) -> None:
    floors = {vessel.name: vessel.floor for vessel in made}
    told = {n: max(brim, floors[n]) for n, brim in brims.items() if n in floors}
    water = Water(made)

    for name, brim in told.items():
        water.brim(name, brim)
    for amount in amounts:
        water.pour(amount)

    due = stands_at(made, told, sum(amounts))
    assert due - 1 < water.level <= due or len(told) == len(made)


@given(vessels, pours, st.data())
def test_when_a_brim_is_told_makes_no_difference(
    made: list[Vessel], amounts: list[int], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(made)).name
    brim = made[name].floor + data.draw(levels)
    early, late = Water(made), Water(made)

    early.brim(name, brim)
    for amount in amounts:
        early.pour(amount)
        late.pour(amount)
    late.brim(name, brim)

    assert abs(early.level - late.level) <= 1 or len(made) == 1
