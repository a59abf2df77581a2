"""One gang from plan to cluster: each clause of what a launch does with the server's answers."""

from __future__ import annotations

import pytest
from launch.world import DONE, PATIENCE, TERMS, TIMEOUT, Blow, World, launch, refused, start

from fullcrew import errors
from fullcrew.launch import (
    Answer,
    Bind,
    Forget,
    Moved,
    Outcome,
    Phase,
    PodSeen,
    ReadGroup,
    ReadPod,
    Rest,
    Sight,
    TermsSeen,
    answer_of,
)
from fullcrew.model.reason import Kind

LOST = answer_of(0)
WAITS = PodSeen(Sight.WAITING)
GONE = PodSeen(Sight.GONE)


def test_a_gang_with_a_group_reads_it_and_sends_nothing_before() -> None:
    begun = launch(start(2), terms=TERMS)

    assert begun.begin() == [ReadGroup()]
    assert begun.phase is Phase.PREPARING


def test_the_binds_go_out_together_once_the_group_is_as_planned() -> None:
    begun = launch(start(2), terms=TERMS)
    begun.begin()

    follows = begun.group_told(TermsSeen(TERMS))

    assert follows == [Bind("ns/p0", "u0", "n0"), Bind("ns/p1", "u1", "n1")]


def test_a_gang_without_a_group_is_bound_at_once() -> None:
    assert launch(start(1)).begin() == [Bind("ns/p0", "u0", "n0")]


def test_who_only_grows_reads_no_group() -> None:
    begun = launch(start(1, minimum=0, live=2), terms=TERMS)

    assert begun.begin() == [Bind("ns/p0", "u0", "n0")]


@pytest.mark.parametrize(
    "seen",
    [
        TermsSeen(TERMS._replace(minimum=3)),
        TermsSeen(TERMS._replace(queue="other")),
        TermsSeen(TERMS._replace(roles=(("ps", 1),))),
        TermsSeen(TERMS._replace(is_leaving=True)),
        TermsSeen(None, Answer(Outcome.GONE)),
        TermsSeen(None),
    ],
)
def test_a_group_that_changed_drops_the_plan_and_frees_its_room(seen: TermsSeen) -> None:
    begun = launch(start(2), terms=TERMS)
    begun.begin()

    *forgotten, rest = begun.group_told(seen)

    assert forgotten == [Forget("ns/p0", "u0"), Forget("ns/p1", "u1")]
    assert isinstance(rest, Rest)
    assert (rest.pods, rest.reason.kind, rest.keeps_room) == ((), Kind.UNSETTLED, False)
    assert begun.phase is Phase.DROPPED


def test_a_group_that_could_not_be_read_is_read_again_and_longer_apart() -> None:
    begun = launch(start(2), terms=TERMS)
    begun.begin()

    pauses = [begun.group_told(TermsSeen(None, answer_of(503))) for _ in range(9)]

    seconds = [request.after_seconds for [request] in pauses if isinstance(request, ReadGroup)]
    assert seconds == sorted(seconds)
    assert seconds[0] == PATIENCE.again_seconds
    assert seconds[-1] == PATIENCE.longest_seconds


def test_a_group_that_we_may_not_read_keeps_the_gang_waiting_with_the_servers_words() -> None:
    begun = launch(start(1), terms=TERMS)
    begun.begin()

    *_, rest = begun.group_told(TermsSeen(None, answer_of(403, words="not yours")))

    assert isinstance(rest, Rest)
    assert "403: not yours" in rest.reason.message


def test_a_gang_of_which_all_were_bound_stands() -> None:
    world = World(launch(start(3)))

    world.play()

    assert world.launch.phase is Phase.STANDING
    assert world.ours == {"u0": "n0", "u1": "n1", "u2": "n2"}


def test_a_lost_answer_is_asked_for_again_with_the_same_pod_and_node() -> None:
    world = World(launch(start(1)), [Blow(code=0), Blow(acts=False, code=0)])

    world.play()

    assert [(uid, node) for _, uid, node in world.sent] == [("u0", "n0")] * 3
    assert world.launch.phase is Phase.STANDING


def test_while_an_outcome_is_unknown_the_launch_says_so() -> None:
    begun = launch(start(2))
    begun.begin()

    begun.bind_answered("u0", LOST)

    assert begun.doubtful == 1
    assert begun.unsettled is not None
    assert begun.unsettled.reason.number("pods") == 1


def test_429_waits_as_long_as_the_server_asks() -> None:
    begun = launch(start(1))
    begun.begin()

    follows = begun.bind_answered("u0", answer_of(429, after_seconds=7))

    assert follows == [Bind("ns/p0", "u0", "n0", 7)]
    assert begun.doubtful == 0


def test_after_409_the_pod_is_read() -> None:
    begun = launch(start(1))
    begun.begin()

    assert begun.bind_answered("u0", answer_of(409)) == [ReadPod("ns/p0", "u0")]


def test_a_pod_that_somebody_else_bound_is_where_it_is() -> None:
    world = World(launch(start(2)), [Blow(pod="elsewhere")])

    world.play()

    assert world.fates["u0"] == [Moved("ns/p0", "u0", "elsewhere")]
    assert world.launch.phase is Phase.STANDING


def test_our_own_bind_that_comes_back_as_409_stands() -> None:
    begun = launch(start(1))
    begun.begin()
    begun.bind_answered("u0", answer_of(409))

    assert begun.pod_told("u0", PodSeen(Sight.BOUND, "n0")) == []
    assert begun.phase is Phase.STANDING


def test_while_nothing_is_bound_a_lost_pod_stops_those_that_were_not_sent() -> None:
    begun = launch(start(3))
    begun.begin()

    begun.bind_answered("u0", answer_of(404))

    assert not begun.may_send("u1")


def test_what_may_be_under_way_is_repeated_even_when_the_gang_is_halted() -> None:
    begun = launch(start(3))
    begun.begin()
    begun.bind_answered("u1", LOST)

    begun.bind_answered("u0", answer_of(404))

    assert begun.may_send("u1")
    assert not begun.may_send("u2")


def test_when_one_of_a_halted_gang_was_bound_after_all_the_others_follow() -> None:
    begun = launch(start(3))
    begun.begin()
    begun.bind_answered("u1", LOST)
    begun.bind_answered("u0", answer_of(404))
    begun.bind_answered("u2", Answer(Outcome.UNSENT))

    follows = begun.bind_answered("u1", DONE)

    assert follows == [Bind("ns/p2", "u2", "n2")]


def test_a_gang_that_lost_a_pod_before_any_was_bound_is_dropped_whole() -> None:
    world = World(launch(start(3)), [Blow(pod="gone")], latency=lambda: 0.0)
    world.launch.begin()

    follows = [
        *world.launch.bind_answered("u0", answer_of(404)),
        *world.launch.bind_answered("u1", Answer(Outcome.UNSENT)),
        *world.launch.bind_answered("u2", Answer(Outcome.UNSENT)),
    ]

    assert {f.uid for f in follows if isinstance(f, Forget)} == {"u0", "u1", "u2"}
    assert world.launch.phase is Phase.DROPPED


def test_a_started_gang_mends_with_the_room_of_the_refused_held() -> None:
    begun = launch(start(2))
    begun.begin()
    begun.bind_answered("u0", DONE)

    [read] = begun.bind_answered("u1", refused(422))
    [rest] = begun.pod_told("u1", WAITS)

    assert read == ReadPod("ns/p1", "u1", TIMEOUT)
    assert isinstance(rest, Rest)
    assert (rest.pods, rest.keeps_room) == ((("ns/p1", "u1"),), True)
    assert "422: no" in rest.reason.message
    assert begun.phase is Phase.MENDING


def test_a_refused_pod_that_is_bound_when_it_is_read_stands() -> None:
    begun = launch(start(2))
    begun.begin()
    begun.bind_answered("u0", refused(500 - 78))

    begun.pod_told("u0", PodSeen(Sight.BOUND, "n0"))
    begun.bind_answered("u1", DONE)

    assert begun.phase is Phase.STANDING


def test_a_launch_ends_though_a_pod_failed_while_others_were_under_way() -> None:
    begun = launch(start(2, minimum=0, live=1))
    begun.begin()
    begun.bind_answered("u0", refused())
    begun.pod_told("u0", WAITS)

    [forget, rest] = begun.bind_answered("u1", DONE)

    assert forget == Forget("ns/p0", "u0")
    assert isinstance(rest, Rest)
    assert not rest.keeps_room
    assert begun.is_over


def test_in_a_namespace_that_ends_the_reason_says_so() -> None:
    begun = launch(start(1))
    begun.begin()
    begun.bind_answered("u0", refused(403, cause="NamespaceTerminating"))

    *_, rest = begun.pod_told("u0", WAITS)

    assert isinstance(rest, Rest)
    assert rest.reason.kind is Kind.ENDING


def test_a_gated_pod_drops_the_plan() -> None:
    begun = launch(start(2))
    begun.begin()
    begun.bind_answered("u0", answer_of(409))

    begun.pod_told("u0", WAITS)
    begun.bind_answered("u1", Answer(Outcome.UNSENT))

    assert begun.phase is Phase.DROPPED


def test_a_409_does_not_settle_an_attempt_that_may_still_be_under_way() -> None:
    world = World(
        launch(start(1)),
        [Blow(code=0, act_seconds=TIMEOUT, cut_seconds=0.01), Blow(acts=False, code=409)],
    )

    world.play()

    assert world.launch.phase is Phase.STANDING
    assert isinstance(world.fates["u0"][0], ReadPod)


def test_room_that_went_away_is_let_go_only_when_the_attempt_before_is_settled() -> None:
    begun = launch(start(1))
    begun.begin()
    begun.bind_answered("u0", LOST)

    [read] = begun.bind_answered("u0", Answer(Outcome.UNSENT))
    [again] = begun.pod_told("u0", WAITS)
    follows = begun.pod_told("u0", WAITS)

    assert read == ReadPod("ns/p0", "u0")
    assert again == ReadPod("ns/p0", "u0", TIMEOUT)
    assert follows[0] == Forget("ns/p0", "u0")
    assert begun.phase is Phase.DROPPED


def test_what_is_sent_no_more_since_it_was_seen_bound_is_settled_by_one_read() -> None:
    begun = launch(start(1))
    begun.begin()
    begun.bind_answered("u0", LOST)

    [read] = begun.bind_answered("u0", Answer(Outcome.UNSENT))
    begun.pod_told("u0", PodSeen(Sight.BOUND, "n0"))

    assert read == ReadPod("ns/p0", "u0")
    assert begun.phase is Phase.STANDING


def test_a_needed_pod_that_was_not_sent_leaves_the_gang_to_be_mended() -> None:
    begun = launch(start(2))
    begun.begin()
    begun.bind_answered("u0", DONE)

    follows = begun.bind_answered("u1", Answer(Outcome.UNSENT))

    assert follows == [Forget("ns/p1", "u1")]
    assert begun.phase is Phase.MENDING


def test_a_bind_that_was_answered_201_never_expires() -> None:
    begun = launch(start(2))
    begun.begin()
    begun.bind_answered("u0", DONE)

    late = [begun.bind_answered("u0", answer) for answer in (LOST, refused(), answer_of(404))]

    assert late == [(), (), ()]
    assert begun.bound == 1


def test_more_of_the_gang_may_join_while_it_is_being_bound() -> None:
    begun = launch(start(2), terms=TERMS)
    begun.begin()
    growth = start(1, minimum=0, first=2)
    assert not begun.takes(growth)
    begun.group_told(TermsSeen(TERMS))

    follows = begun.join(growth)

    assert begun.takes(growth)
    assert follows == [Bind("ns/p2", "u2", "n2")]


def test_a_minimum_does_not_join_growth_whose_group_nobody_has_read() -> None:
    begun = launch(start(1, minimum=0, live=2), terms=TERMS)
    begun.begin()

    assert begun.takes(start(1, minimum=0, first=2))
    assert not begun.takes(start(1, first=3))


def test_a_pod_that_is_being_bound_may_not_be_planned_again() -> None:
    begun = launch(start(2))
    begun.begin()

    with pytest.raises(errors.Bug, match="planned while it is being bound"):
        begun.join(start(1, first=1))


def test_a_launch_begins_once() -> None:
    begun = launch(start(1))
    begun.begin()

    with pytest.raises(errors.Bug, match="begun twice"):
        begun.begin()


def test_a_pod_that_cannot_be_read_is_read_again() -> None:
    begun = launch(start(1))
    begun.begin()
    begun.bind_answered("u0", answer_of(409))

    [again] = begun.pod_told("u0", PodSeen(Sight.UNKNOWN))

    assert isinstance(again, ReadPod)
    assert again.after_seconds > 0


def test_a_lost_pod_above_the_minimum_stops_nobody() -> None:
    begun = launch(start(2, minimum=1))
    begun.begin()

    begun.bind_answered("u1", answer_of(404))

    assert begun.may_send("u0")
    assert begun.pod_told("u1", GONE) == ()
