"""What a gang lacks, when it is wounded, and what it is called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullcrew.model import amounts
from fullcrew.model.gang import Gang, Role


def gang(
    *, minimum: int = 1, live: int = 0, roles: tuple[Role, ...] = (), name: str = "team/train"
) -> Gang:
    return Gang(
        name=name,
        dialect="volcano",
        queue="q",
        minimum=minimum,
        priority=0,
        created=0,
        roles=roles,
        live=live,
        counted=sum(role.standing for role in roles),
    )


def role(name: str = "", *, minimum: int = 0, standing: int = 0) -> Role:
    return Role(name, minimum, standing, ())


@pytest.mark.parametrize(
    ("minimum", "roles", "lacks"),
    [
        (3, (role(),), 3),
        (3, (role(standing=1),), 2),
        (3, (role(standing=3),), 0),
        (3, (role(standing=5),), 0),
        (3, (role("ps", minimum=1), role("worker", minimum=2)), 3),
        (3, (role("ps", minimum=1, standing=0), role("worker", minimum=2, standing=2)), 1),
        (3, (role("ps", minimum=2, standing=0), role("worker", standing=3)), 2),
        (6, (role("ps", minimum=1, standing=4), role("worker", minimum=2, standing=1)), 1),
    ],
)
def test_a_gang_lacks_what_its_minimum_and_its_roles_still_want(
    minimum: int, roles: tuple[Role, ...], lacks: int
) -> None:
    assert gang(minimum=minimum, roles=roles).lacks == lacks


@given(
    minimum=st.integers(1, 12),
    stands=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=4),
)
def test_no_fewer_members_than_it_lacks_bring_a_gang_to_its_minimums(
    minimum: int, stands: list[tuple[int, int]]
) -> None:
    roles = tuple(
        role(str(at), minimum=least, standing=now) for at, (least, now) in enumerate(stands)
    )

    fewest = sum(max(0, least - now) for least, now in stands)
    while sum(now for _, now in stands) + fewest < minimum:
        fewest += 1

    assert gang(minimum=minimum, roles=roles).lacks == fewest


@pytest.mark.parametrize(
    ("live", "standing", "is_wounded"),
    [(0, 0, False), (0, 2, False), (2, 2, True), (3, 3, False), (1, 3, False)],
)
def test_a_gang_is_wounded_while_it_lives_and_lacks_members(
    *, live: int, standing: int, is_wounded: bool
) -> None:
    found = gang(minimum=3, live=live, roles=(role(standing=standing),))

    assert found.is_wounded is is_wounded


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("team/train", "team/train"),
        ("team/train (labels)", "team/train"),
        ("team/w-0 (single)", "team/w-0"),
    ],
)
def test_people_see_the_name_without_its_dialect(name: str, title: str) -> None:
    assert gang(name=name).title == title


def test_a_host_port_is_a_resource_by_its_name() -> None:
    assert amounts.is_host_port("hostport/TCP/8080")
    assert not amounts.is_host_port("example.com/hostport")
