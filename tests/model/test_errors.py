"""Every error says where, what is wrong and what to try, and has the exit code of its branch."""

from __future__ import annotations

import pytest

from fullcrew import errors

SAMPLES = [
    errors.BadInput("p", try_this="t"),
    errors.BadManifest("p", try_this="t", where="a.yaml"),
    errors.BadQuantity("1Xi", most=10, where="spec.cpu"),
    errors.UnknownName("queue", "tets", known=["test"]),
    errors.Forbidden("list", "pods"),
    errors.Refused(500, "m"),
    errors.Unreachable("https://x", problem="no route"),
    errors.Bug("room below zero"),
]


@pytest.mark.parametrize("error", SAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_says_what_to_try(error: errors.FullcrewError) -> None:
    first, _, rest = str(error).partition("\n")

    assert error.problem in first
    assert first.startswith(error.where)
    assert rest == f"  try: {error.try_this}"
    assert error.try_this


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.FullcrewError, 1),
        (errors.BadInput, 2),
        (errors.ClusterError, 3),
        (errors.Bug, 70),
    ],
)
def test_every_error_of_a_branch_has_its_exit_code(
    kind: type[errors.FullcrewError], code: int
) -> None:
    assert kind.exit_code == code
    assert all(below.exit_code == code for below in kind.__subclasses__() if code != 1)


@pytest.mark.parametrize(
    ("error", "code"),
    [(KeyboardInterrupt(), 130), (ValueError(), 70), (errors.Forbidden("get", "x"), 3)],
)
def test_what_is_not_in_the_tree_is_a_bug_that_we_have_not_named(
    error: BaseException, code: int
) -> None:
    assert errors.exit_code_of(error) == code


def test_the_nearest_known_name_is_offered_and_all_of_them_where_none_is_near() -> None:
    assert errors.UnknownName("q", "tets", known=["test", "b"]).try_this == "did you mean 'test'?"
    assert errors.UnknownName("q", "zz", known=["b", "a"]).try_this == "one of: a, b"
    assert errors.UnknownName("q", "zz", known=[]).try_this == "name none: nobody knows any"
