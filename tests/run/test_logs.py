"""Log lines: events with fields, for people or as JSON."""

from __future__ import annotations

import io
import json

from fullcrew.run.logs import Log


def logged(**settings: object) -> tuple[Log, io.StringIO]:
    stream = io.StringIO()
    clock = settings.get("clock", lambda: 1_700_000_000.25)
    assert callable(clock)
    form, verbosity = str(settings.get("form", "human")), int(str(settings.get("verbosity", 0)))
    return Log(stream, form=form, verbosity=verbosity, clock=clock), stream


def test_people_read_the_event_and_its_fields_on_one_line() -> None:
    log, stream = logged()

    log.say("planned", starts=3, seconds=0.0123456, gang="team/a b")

    line = 'planned starts=3 seconds=0.01235 gang="team/a b"'
    assert stream.getvalue() == f"2023-11-14T22:13:20.250Z {line}\n"


def test_machines_read_json() -> None:
    log, stream = logged(form="json")

    log.warn("lease lost", seconds=2)

    told = json.loads(stream.getvalue())
    assert told["event"] == "lease lost"
    assert (told["level"], told["seconds"]) == ("warning", 2)


def test_no_field_breaks_a_line() -> None:
    log, stream = logged()

    log.say("refused", why="one\ntwo\x1b[31m")

    assert stream.getvalue().count("\n") == 1
    assert "\x1b" not in stream.getvalue()


def test_details_are_written_where_they_are_asked_for() -> None:
    log, stream = logged(verbosity=1)

    log.detail(1, "starts")
    log.detail(2, "bound")

    assert "starts" in stream.getvalue()
    assert "bound" not in stream.getvalue()


def test_a_warning_that_is_new_is_told_whatever_was_told_before() -> None:
    log, stream = logged()

    for number in range(3000):
        log.once("cannot follow", number=number)

    assert "number=2999" in stream.getvalue()


def test_a_warning_that_stays_the_same_is_told_once() -> None:
    log, stream = logged()

    for name in ("a", "a", "b"):
        log.once("discovery failed", problem=name)

    assert stream.getvalue().count("discovery failed") == 2


def test_a_warning_whose_cause_has_ended_is_news_when_it_comes_again() -> None:
    log, stream = logged()
    for kind in ("Pod", "Node"):
        log.once("cannot follow", kind=kind, problem="refused")

    log.ended("cannot follow", kind="Pod")
    for kind in ("Pod", "Node"):
        log.once("cannot follow", kind=kind, problem="refused")

    assert stream.getvalue().count("kind=Pod") == 2
    assert stream.getvalue().count("kind=Node") == 1


def test_a_warning_that_stays_true_is_told_every_hour() -> None:
    times = iter([0.0, 0.0, 3599.0, 3600.0, 3600.0])
    log, stream = logged(clock=lambda: next(times))

    for _ in range(3):
        log.once("discovery failed")

    assert stream.getvalue().count("discovery failed") == 2


def test_what_is_the_same_may_be_named() -> None:
    log, stream = logged()

    for path in ("a", "b"):
        log.once("status not written", same=("code",), code=403, path=path)

    assert "path=a" in stream.getvalue()
    assert "path=b" not in stream.getvalue()
