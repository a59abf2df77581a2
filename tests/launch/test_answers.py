"""What an HTTP answer to a bind means."""

from __future__ import annotations

import pytest

from fullcrew.launch import Outcome, answer_of


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (200, Outcome.DONE),
        (201, Outcome.DONE),
        (404, Outcome.GONE),
        (409, Outcome.CONFLICT),
        (429, Outcome.BUSY),
        (400, Outcome.REFUSED),
        (403, Outcome.REFUSED),
        (413, Outcome.REFUSED),
        (422, Outcome.REFUSED),
        (401, Outcome.UNKNOWN),
        (408, Outcome.UNKNOWN),
        (500, Outcome.UNKNOWN),
        (504, Outcome.UNKNOWN),
        (302, Outcome.UNKNOWN),
        (0, Outcome.UNKNOWN),
    ],
)
def test_an_answer_has_one_meaning(code: int, outcome: Outcome) -> None:
    assert answer_of(code).outcome is outcome


def test_a_403_of_a_terminating_namespace_is_no_lack_of_rights() -> None:
    assert answer_of(403, cause="NamespaceTerminating").outcome is Outcome.ENDING
