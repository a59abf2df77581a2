"""Names that another scheduler serves too: nothing is planned or bound for them."""

from __future__ import annotations

import io

import given

from fullcrew.model.reason import Kind
from fullcrew.run.logs import Log
from fullcrew.run.rivalry import Rivalry, told
from fullcrew.state import State


def state() -> State:
    found = State()
    for name, scheduler in (("theirs", "volcano"), ("ours", "fullcrew")):
        pod = given.pod(name, given.served_by(scheduler), given.with_uid(f"u-{name}"))
        found.put(given.decoded(pod))
    return found


def test_gangs_of_such_a_name_wait_and_tell_for_whom() -> None:
    known = state()
    rivalry = Rivalry(known.answers.pending_pod)

    is_news = rivalry.seen({"volcano": "volcano-system/volcano"})

    found = {gang.title: gang.fault for gang in rivalry.applied_to(known.snapshot(0).gangs)}
    assert is_news
    assert found["default/ours"] is None
    fault = found["default/theirs"]
    assert fault is not None
    assert fault.kind is Kind.RIVAL
    assert "volcano-system/volcano" in fault.message


def test_no_bind_goes_out_for_such_a_name() -> None:
    rivalry = Rivalry(state().answers.pending_pod)
    rivalry.seen({"volcano": "volcano-system/volcano"})

    assert rivalry.forbids("default/theirs")
    assert not rivalry.forbids("default/ours")
    assert not rivalry.forbids("default/gone")


def test_when_the_rival_has_gone_all_is_as_before() -> None:
    known = state()
    rivalry = Rivalry(known.answers.pending_pod)
    rivalry.seen({"volcano": "volcano-system/volcano"})

    is_news = rivalry.seen({})

    gangs = known.snapshot(0).gangs
    assert is_news
    assert rivalry.applied_to(gangs) == gangs
    assert not rivalry.forbids("default/theirs")


def test_a_rival_that_went_and_comes_again_is_logged_again() -> None:
    stream = io.StringIO()
    log, known = Log(stream), dict[str, str]()
    theirs = {"volcano": "ns/volcano"}

    for leases in (theirs, theirs, {}, theirs):
        known = told(log, known, leases)

    events = [
        line.partition(" ")[2].partition(" name")[0] for line in stream.getvalue().split("\n")
    ]
    came, gone = "warning: another scheduler came", "the other scheduler is gone"
    assert events == [came, gone, came, ""]
