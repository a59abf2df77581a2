"""While something is asked again, a launch says which pods do not get on, in the server's words."""

from __future__ import annotations

import pytest
from launch.world import DONE, TERMS, launch, start

from fullcrew.launch import Answer, HeldUp, Launch, Outcome, TermsSeen, answer_of
from fullcrew.model.reason import Kind

DEAD = answer_of(500, words='failed calling webhook "x"')


def begun(pods: int) -> Launch:
    """Its binds are under way."""
    told = launch(start(pods))
    told.begin()
    return told


def held_up(told: Launch) -> HeldUp:
    """What it says; it must say something."""
    assert told.unsettled is not None
    return told.unsettled


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (DEAD, Kind.UNSETTLED, '500: failed calling webhook "x"'),
        (answer_of(0, words="no answer in 5 s"), Kind.UNSETTLED, "last: no answer in 5 s"),
        (answer_of(429, words="too many"), Kind.UNSETTLED, "429: too many"),
        (answer_of(422, words="denied by policy"), Kind.REFUSED, "422: denied by policy"),
    ],
    ids=["error", "none", "busy", "refused"],
)
def test_the_pod_is_named_with_the_servers_words(answer: Answer, kind: Kind, words: str) -> None:
    told = begun(2)

    told.bind_answered("u0", DONE)
    told.bind_answered("u1", answer)

    assert held_up(told).pods == ("ns/p1",)
    assert held_up(told).reason.kind is kind
    assert words in held_up(told).reason.message


def test_a_bind_that_was_asked_again_and_is_done_holds_up_nothing() -> None:
    told = begun(2)

    told.bind_answered("u0", DEAD)
    told.bind_answered("u0", DONE)

    assert told.unsettled is None


def test_the_others_of_a_gang_that_is_refused_a_member_wait_for_the_same_reason() -> None:
    told = begun(3)

    told.bind_answered("u0", answer_of(422, words="denied"))
    told.bind_answered("u1", Answer(Outcome.UNSENT))

    assert held_up(told).pods == ("ns/p0", "ns/p1")
    assert held_up(told).reason.number("pods") == 1


def test_a_group_that_cannot_be_read_yet_holds_up_all_of_its_gang() -> None:
    told = launch(start(2), terms=TERMS)
    told.begin()

    told.group_told(TermsSeen(None, answer_of(503, words="starting")))

    assert held_up(told).pods == ("ns/p0", "ns/p1")
    assert "503: starting" in held_up(told).reason.message

    told.group_told(TermsSeen(TERMS))

    assert told.unsettled is None
