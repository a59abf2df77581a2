"""Plans are carried out gang by gang, whatever the server answers."""

from __future__ import annotations

import asyncio
import json

import pytest
from kube.binding import GROUPS, TIMEOUT, Books, Scene, growth, launching
from kube.server import LOST, status

from fullcrew.kube import Binder, Reply

BUSY = Reply(429, status(429), 2.0)
BIND = "POST /api/v1/namespaces/ns/pods"


def bodies(scene: Scene) -> list[dict[str, object]]:
    return [json.loads(wish.body) for wish in scene.api.heard if wish.body]


def test_a_gang_is_bound_and_the_books_are_told() -> None:
    scene = Scene()

    log = scene.carry_out(launching(pods=2))

    assert log == [
        "ns/g: ns/g-0 (uid-g-0) bound to n0",
        "ns/g: ns/g-1 (uid-g-1) bound to n1",
        "ns/g: standing",
    ]


def test_a_binding_names_uid_node_plan_and_minimum() -> None:
    scene = Scene()

    scene.carry_out(launching(pods=1, plan='a "plan"'))

    [body] = bodies(scene)
    assert body["target"] == {"apiVersion": "v1", "kind": "Node", "name": "n0"}
    assert body["metadata"] == {
        "name": "g-0",
        "namespace": "ns",
        "uid": "uid-g-0",
        "annotations": {"fullcrew.io/plan": 'a "plan"', "fullcrew.io/minimum": "1"},
    }
    assert scene.api.heard[0].seconds == TIMEOUT


def test_the_server_gives_a_bind_up_when_we_do_whatever_stands_between() -> None:
    scene = Scene()

    scene.carry_out(launching())

    assert scene.api.heard[0].path.endswith("/g-0/binding?timeout=5000ms")


def test_a_group_is_read_before_the_first_bind() -> None:
    scene = Scene()

    scene.carry_out(launching(grouped=True))

    asked = [f"{wish.method} {wish.path}" for wish in scene.api.heard]
    assert asked == [f"GET {GROUPS}/g", f"{BIND}/g-0/binding?timeout=5000ms"]


def test_a_group_that_changed_drops_the_plan() -> None:
    scene = Scene()
    planned = launching(pods=2, grouped=True)
    scene.pods_for(launching(pods=2))
    scene.api.add(
        f"{GROUPS}/g", {"metadata": {"name": "g"}, "spec": {"minMember": 3, "queue": "q"}}
    )

    async def scenario(binder: Binder) -> None:
        binder.launch([planned])

    scene.play(scenario)

    assert scene.books.log[-2:] == ["ns/g: rests, unsettled", "ns/g: dropped"]
    assert [wish.method for wish in scene.api.heard] == ["GET"]


def test_many_groups_of_a_namespace_are_read_by_one_list_in_pages() -> None:
    scene = Scene()
    scene.api.page_limit = 40

    scene.carry_out(*(launching(f"ns/g{number}", grouped=True) for number in range(100)))

    reads = [wish.path for wish in scene.api.heard if wish.method == "GET"]
    assert [path.partition("?")[0] for path in reads] == [GROUPS] * 3
    assert sum("standing" in line for line in scene.books.log) == 100


def with_strangers(scene: Scene, count: int) -> None:
    """So many groups that nobody asks for, behind all others."""
    for number in range(count):
        name = f"z{number:05}"
        scene.api.add(f"{GROUPS}/{name}", {"metadata": {"name": name}, "spec": {"minMember": 1}})


def reads_of(scene: Scene) -> list[str]:
    return [wish.path for wish in scene.api.heard if wish.method == "GET"]


@pytest.mark.parametrize("tells_rest", [True, False])
def test_once_all_groups_are_found_no_further_page_is_read(*, tells_rest: bool) -> None:
    scene = Scene()
    scene.api.tells_rest = tells_rest
    with_strangers(scene, 2000)

    log = scene.carry_out(*(launching(f"ns/g{number}", grouped=True) for number in range(9)))

    assert len(reads_of(scene)) == 1
    assert sum("standing" in line for line in log) == 9


def test_a_few_groups_of_very_many_are_read_one_by_one() -> None:
    scene = Scene()
    scene.api.tells_rest = True
    with_strangers(scene, 4000)
    planned = [launching(f"ns/zz{number}", grouped=True) for number in range(9)]

    async def scenario(binder: Binder) -> None:
        binder.launch(planned)
        await binder.idle()
        binder.launch([launching(f"ns/yy{number}", grouped=True) for number in range(20)])

    scene.pods_for(*planned)
    scene.pods_for(*(launching(f"ns/yy{number}", grouped=True) for number in range(20)))
    scene.play(scenario)

    reads = reads_of(scene)
    assert len([path for path in reads if "?" in path]) == 1  # by the first we know how many
    assert len(reads) == 1 + 9 + 20
    assert sum("standing" in line for line in scene.books.log) == 29


def test_a_group_that_is_on_no_page_is_gone() -> None:
    scene = Scene()
    planned = [launching(f"ns/g{number}", grouped=True) for number in range(9)]
    scene.pods_for(*planned)
    scene.api.remove(f"{GROUPS}/g3")

    async def scenario(binder: Binder) -> None:
        binder.launch(planned)

    scene.play(scenario)

    assert "ns/g3: dropped" in scene.books.log
    assert sum("standing" in line for line in scene.books.log) == 8


FAILED = Reply(500, b"{}")
EXPIRED = Reply(410, status(410))
GARBLED = Reply(200, b"<html>")


@pytest.mark.parametrize(
    ("count", "answer"),
    [(1, FAILED), (1, LOST), (9, FAILED), (9, LOST), (9, EXPIRED), (9, GARBLED)],
)
def test_a_group_that_cannot_be_read_now_is_read_again(count: int, answer: Reply) -> None:
    scene = Scene()
    scene.api.fail(f"GET {GROUPS}", answer)
    whole = [launching(f"ns/g{number}", grouped=True) for number in range(count)]

    log = scene.carry_out(*whole)

    assert sum("standing" in line for line in log) == count


def test_a_kind_of_group_that_is_not_served_any_more_drops_the_plan() -> None:
    scene = Scene(resources={})

    assert scene.carry_out(launching(grouped=True))[-1] == "ns/g: dropped"


def test_a_lost_answer_is_asked_for_until_the_server_settles_it() -> None:
    scene = Scene()
    scene.api.fail("binding", LOST, is_after=True)

    log = scene.carry_out(launching())

    assert log == ["ns/g: ns/g-0 (uid-g-0) bound to n0", "ns/g: standing"]
    assert [wish.method for wish in scene.api.heard] == ["POST", "POST", "GET"]


def test_a_pod_that_was_recreated_is_not_bound() -> None:
    scene = Scene()
    scene.api.add_pod("ns/g-0", "another")

    async def scenario(binder: Binder) -> None:
        binder.launch([launching()])

    scene.play(scenario)

    assert scene.api.node_of("ns/g-0") == ""
    assert scene.books.log[-1] == "ns/g: dropped"


def test_a_pod_bound_by_somebody_else_is_told_where_it_is() -> None:
    scene = Scene()
    scene.api.add_pod("ns/g-0", "uid-g-0", nodeName="theirs")

    async def scenario(binder: Binder) -> None:
        binder.launch([launching()])

    scene.play(scenario)

    assert scene.books.log == ["ns/g: ns/g-0 (uid-g-0) moved to theirs", "ns/g: standing"]


def test_a_refusal_is_final_one_request_timeout_later() -> None:
    scene = Scene()
    no = Reply(403, status(403, "Forbidden", message="exceeded quota"))
    scene.api.fail("binding", no)

    log = scene.carry_out(launching())

    assert log[-2:] == ["ns/g: rests, refused", "ns/g: dropped"]
    assert [wish.method for wish in scene.api.heard] == ["POST", "GET"]


def test_without_the_lease_nothing_is_sent() -> None:
    scene = Scene(may_bind=False)

    log = scene.carry_out(launching(pods=2))

    assert scene.api.heard == []
    assert log[-1] == "ns/g: dropped"


def test_a_pod_whose_room_is_gone_is_not_sent() -> None:
    scene = Scene(limit=1)
    scene.books.denied.add("ns/g-1")

    log = scene.carry_out(launching(pods=2))

    assert "ns/g: ns/g-1 (uid-g-1) forgotten" in log
    assert log[-1] == "ns/g: mending"


def test_a_busy_server_is_given_the_time_it_asks_for() -> None:
    scene = Scene()
    scene.api.fail("binding", BUSY)

    log = scene.carry_out(launching())

    assert log[-1] == "ns/g: standing"
    assert len(scene.api.heard) == 2


def test_a_start_of_the_same_gang_joins_the_one_under_way_with_a_stamp_of_its_own() -> None:
    scene = Scene()
    scene.api.latency = 1
    scene.pods_for(launching(), launching("ns/more"))

    async def scenario(binder: Binder) -> None:
        binder.launch([launching(plan="first")])
        await asyncio.sleep(0.5)
        binder.launch([growth("ns/g", "ns/more", plan="second")])

    scene.play(scenario)

    plans = [str(body["metadata"]).count("'first'") for body in bodies(scene)]
    assert plans == [1, 0]
    assert scene.books.log[-1] == "ns/g: standing"


def test_a_start_that_cannot_join_goes_out_when_the_one_before_it_stands() -> None:
    scene = Scene()
    scene.api.latency = 1
    scene.pods_for(launching(grouped=True), launching("ns/more"))

    async def scenario(binder: Binder) -> None:
        binder.launch([launching(grouped=True)])
        await asyncio.sleep(0.5)
        binder.launch([growth("ns/g", "ns/more")])

    scene.play(scenario)

    assert [line for line in scene.books.log if "standing" in line] == ["ns/g: standing"] * 2


def test_a_start_that_waited_for_a_gang_that_was_dropped_is_let_go() -> None:
    scene = Scene()
    scene.pods_for(launching("ns/more"))

    async def scenario(binder: Binder) -> None:
        binder.launch([launching(grouped=True), growth("ns/g", "ns/more")])

    scene.play(scenario)

    assert scene.books.log[-1] == "ns/g: ns/more-0 (uid-more-0) forgotten"


class Faulty(Books):
    """A witness with a fault of its own."""

    def bound(self, gang: str, pod: str, uid: str, node: str) -> None:
        if gang == "ns/a":
            raise ValueError(gang)
        super().bound(gang, pod, uid, node)


def test_a_fault_in_one_launch_never_stops_the_others() -> None:
    scene = Scene(books=Faulty())

    log = scene.carry_out(launching("ns/a", pods=2), launching("ns/b"))

    assert log[:2] == ["ns/b: ns/b-0 (uid-b-0) bound to n0", "ns/b: standing"]
    assert scene.problems == ["the launch of ns/a broke"]


def test_what_a_broken_launch_left_rests_with_a_reason_once_the_server_has_given_it_up() -> None:
    scene = Scene(books=Faulty())
    scene.pods_for(launching("ns/a", pods=2), launching("ns/more"))
    told: list[object] = []

    async def scenario(binder: Binder) -> None:
        binder.launch([launching("ns/a", pods=2), growth("ns/a", "ns/more")])
        await asyncio.sleep(2 * TIMEOUT - 0.1)
        held_up = binder.unsettled("ns/a")
        kind = held_up and held_up.reason.kind
        told.extend((binder.is_open("ns/a"), kind, scene.books.log))

    scene.play(scenario)

    assert told == [True, "unsettled", scene.books.log]
    assert scene.books.log == ["ns/a: rests, unsettled"]
    (rest,) = scene.books.rests
    assert rest.keeps_room
    assert [pod for pod, _ in rest.pods] == ["ns/a-0", "ns/a-1", "ns/more-0"]


def test_binds_of_a_broken_launch_that_nobody_answered_count_until_then() -> None:
    scene = Scene(books=Faulty())
    scene.api.fail("a-0/binding", LOST)
    scene.api.latency = 0.01
    counts: list[int] = []

    async def scenario(binder: Binder) -> None:
        binder.launch([launching("ns/a", pods=2)])
        await asyncio.sleep(0.5)
        counts.append(binder.unanswered)
        await binder.idle()
        counts.append(binder.unanswered)

    scene.pods_for(launching("ns/a", pods=2))
    scene.play(scenario)

    assert counts == [1, 0]


def test_while_it_is_under_way_a_launch_is_open_and_its_binds_unanswered() -> None:
    scene = Scene()
    scene.api.latency = 1
    scene.pods_for(launching())
    seen: list[tuple[bool, int]] = []

    async def scenario(binder: Binder) -> None:
        binder.launch([launching()])
        await asyncio.sleep(0.5)
        seen.append((binder.is_open("ns/g"), binder.unanswered))
        await binder.idle()
        seen.append((binder.is_open("ns/g"), binder.unanswered))

    scene.play(scenario)

    assert seen == [(True, 1), (False, 0)]


def test_a_bind_without_an_answer_is_unanswered_until_it_is_settled() -> None:
    scene = Scene()
    scene.api.fail("binding", *[LOST] * 6)
    scene.pods_for(launching())

    async def scenario(binder: Binder) -> None:
        binder.launch([launching()])
        await asyncio.sleep(1)
        held_up = binder.unsettled("ns/g")
        assert held_up is not None
        assert (held_up.reason.kind, binder.unanswered) == ("unsettled", 1)

    scene.play(scenario)

    assert scene.books.log[-1] == "ns/g: standing"


def test_gangs_go_out_in_the_order_of_the_plan() -> None:
    scene = Scene(limit=4)

    scene.carry_out(*(launching(f"ns/g{number:03}", pods=3) for number in range(300)))

    sent = [wish.path for wish in scene.api.heard]
    assert sent == sorted(sent)
