"""What becomes of launches is brought to the state, the loop and the cluster."""

from __future__ import annotations

import asyncio
import io

import pytest

from fullcrew import kube, launch
from fullcrew.launch import Launch, Patience, Rest, Resting
from fullcrew.model.gang import Gang
from fullcrew.model.reason import Kind, Reason, Stage
from fullcrew.room import Binding, Start
from fullcrew.run.events import Events
from fullcrew.run.logs import Log
from fullcrew.run.metrics import Metrics
from fullcrew.run.outcomes import Outcomes
from fullcrew.run.waking import Alarm

REFUSED = Reason(Stage.BINDING, Kind.REFUSED, "no")


class Books:
    """The state's part, and the flow's: what they were told."""

    def __init__(self, *, holds: bool = True) -> None:
        self.told: list[tuple[str, ...]] = []
        self.events: list[kube.Errand] = []
        self._holds = holds

    def holds(self, _pod: str, _uid: str) -> bool:
        """Whether the room is still there."""
        return self._holds

    def forget(self, pod: str, uid: str) -> None:
        """Written down."""
        self.told.append(("forget", pod, uid))

    def moved(self, pod: str, uid: str, node: str) -> None:
        """Written down."""
        self.told.append(("moved", pod, uid, node))

    async def request(self, lane: kube.Lane, method: str, path: str, **_: object) -> kube.Reply:
        """Nobody asks."""
        raise AssertionError(lane, method, path)

    def submit(self, lane: kube.Lane, errand: kube.Errand) -> None:
        """Kept."""
        assert lane is kube.Lane.POD_EVENT
        self.events.append(errand)


class Told:
    """A witness, and what rang."""

    def __init__(self, *, holds: bool = True) -> None:
        self.books = Books(holds=holds)
        self.metrics, self.alarm, self.resting = Metrics(), Alarm(), Resting()
        self.log = io.StringIO()
        events, notes = Events(self.books, self.metrics), (Log(self.log), self.metrics)
        self.witness = Outcomes(self.books, events, notes, self.alarm, self.resting)

    async def has_rung(self) -> bool:
        """Whether the loop would plan now."""
        soon = asyncio.get_running_loop().time() + 0.01
        return (await self.alarm.wait(lambda: soon)).value == "change"


def standing() -> Launch:
    """A launch whose only pod was bound."""
    start = Start(Gang("a/b", "single", "q", 1, 0, 0, ()), (Binding("a/b", "u", "n"),), 1)
    told = Launch(start, terms=None, patience=Patience(1.0))
    told.begin()
    told.bind_answered("u", launch.Answer(launch.Outcome.DONE))
    return told


@pytest.mark.parametrize(
    ("holds", "forbids", "may"), [(True, False, True), (False, False, False), (True, True, False)]
)
async def test_a_bind_goes_out_while_its_room_is_there_and_its_name_is_ours(
    holds: bool,  # noqa: FBT001
    forbids: bool,  # noqa: FBT001
    may: bool,  # noqa: FBT001
) -> None:
    told = Told(holds=holds)
    told.witness.forbids = lambda _: forbids

    assert told.witness.may_send("a/b", "u") is may


async def test_a_bound_pod_gets_an_event_and_wakes_nobody() -> None:
    told = Told()

    told.witness.bound("a/b", "a/b", "u", "n")

    (errand,) = told.books.events
    wish = errand.wish()
    assert wish is not None
    assert b"Successfully assigned a/b to n" in (wish.body or b"")
    assert told.metrics.value("pods_bound_total") == 1
    assert not await told.has_rung()


async def test_room_that_is_let_go_is_planned_with_at_once() -> None:
    told = Told()

    told.witness.forget("a/b", "a/b", "u")

    assert told.books.told == [("forget", "a/b", "u")]
    assert await told.has_rung()


async def test_a_pod_that_somebody_else_bound_takes_its_room_there() -> None:
    told = Told()

    told.witness.moved("a/b", "a/b", "u", "elsewhere")

    assert told.books.told == [("moved", "a/b", "u", "elsewhere")]
    assert await told.has_rung()


async def test_what_failed_for_good_rests_and_tells_why() -> None:
    told = Told()

    told.witness.rest("a/b", Rest((), REFUSED, keeps_room=False))

    assert told.resting.reason("a/b") == REFUSED
    assert told.metrics.value("rests_total", kind="refused") == 1


async def test_a_gang_that_rests_is_looked_at_though_no_watch_may_speak_of_it() -> None:
    told = Told()
    looked: list[str] = []
    told.witness.held_up = looked.append

    told.witness.rest("a/b", Rest((), REFUSED, keeps_room=True))

    assert looked == ["a/b"]


async def test_a_gang_that_stands_is_told_and_wakes_nobody() -> None:
    told = Told()
    looked: list[str] = []
    told.witness.over_with = looked.append

    told.witness.over("a/b", standing())

    assert looked == ["a/b"]
    assert told.metrics.value("launches_total", phase="standing") == 1
    assert not await told.has_rung()


async def test_answers_are_counted_and_those_that_settle_nothing_are_looked_at() -> None:
    told = Told()
    looked: list[str] = []
    told.witness.held_up = looked.append

    told.witness.answered("a/b", "bind", launch.Answer(launch.Outcome.DONE))
    told.witness.answered("a/b", "bind", launch.answer_of(429))

    assert looked == ["a/b"]
    for outcome in ("done", "busy"):
        assert told.metrics.value("answers_total", asked="bind", outcome=outcome) == 1


async def test_a_gang_whose_binds_stay_unanswered_is_logged_once_in_the_servers_words() -> None:
    told = Told()

    for _ in range(10):
        told.witness.answered("a/b", "bind", launch.answer_of(500, words="dead webhook"))

    assert told.log.getvalue().count("500: dead webhook") == 1
