"""The whole process against a small API server: it leads, binds, tells, stands back and stops."""

from __future__ import annotations

import asyncio
import gc
import json

import given
import pytest
from run.playing import LEASE, Playing, playing, started

from fullcrew import errors
from fullcrew.kube import Reply
from fullcrew.run.scheduler import RIVALS_EVERY_SECONDS
from fullcrew.state import State

pytestmark = pytest.mark.slow

VOLCANO_LEASE = "/apis/coordination.k8s.io/v1/namespaces/volcano-system/leases/volcano"


def gang(count: int = 2) -> list[given.Manifest]:
    """A node with room, a group and its pods w-0, w-1 and so on."""
    pods = [given.pod(f"w-{n}", given.in_group("job"), given.asking(gpu=1)) for n in range(count)]
    return [given.node("n", given.having(gpu=count)), given.pod_group("job", count), *pods]


def is_bound(api: Playing, count: int = 2) -> bool:
    return all(api.node_of(f"default/w-{n}") == "n" for n in range(count))


def holder(api: Playing) -> str:
    return str(api.objects.get(LEASE, {}).get("spec", {}).get("holderIdentity", ""))


async def test_a_gang_is_bound_and_its_group_says_so() -> None:
    async with playing() as api, started(api) as process:
        api.put(*gang())

        await process.until(lambda: is_bound(api))
        await process.until(lambda: api.group("job").get("status", {}).get("phase") == "Running")
        await process.until(lambda: api.wrote("/events") >= 3)

        assert api.wrote("/podgroups/") == 1
        stamp = api.objects["/api/v1/namespaces/default/pods/w-0"]["metadata"]["annotations"]
        assert stamp["fullcrew.io/minimum"] == "2"
        assert len(stamp["fullcrew.io/plan"]) == 16


async def test_it_is_ready_when_all_was_listed_and_says_how_it_goes() -> None:
    async with playing() as api, started(api) as process:
        api.put(*gang())

        await process.until(lambda: is_bound(api))

        assert await process.ask("/healthz") == (200, "ok\n")
        assert await process.ask("/readyz") == (200, "ok\n")
        _, told = await process.ask("/metrics")
        assert "fullcrew_pods_bound_total 2.0" in told
        assert 'fullcrew_request_seconds_count{lane="bind",outcome="done"} 3.0' in told
        assert "fullcrew_request_limit 48.0" in told


async def test_it_is_not_ready_while_something_cannot_be_listed() -> None:
    async with playing() as api:
        api.fail("GET /api/v1/pods", *[Reply(403, b"{}")] * 1000)
        async with started(api) as process:
            await process.until(lambda: api.wrote("/leases") > 0)
            await process.until(lambda: "leading" in process.log)
            code, words = await process.ask("/readyz")

            assert code == 503
            assert "not synced" in words
            assert (await process.ask("/healthz"))[0] == 200
            await process.until(lambda: "cannot follow kind=Pod" in process.log)


async def test_when_it_stops_the_lease_is_free() -> None:
    async with playing() as api, started(api) as process:
        api.put(*gang())
        await process.until(lambda: is_bound(api))
        assert holder(api)

        await process.stop()

        assert holder(api) == ""
        assert "lease released" in process.log


async def test_a_second_one_binds_when_the_first_has_stopped() -> None:
    async with playing() as api, started(api) as first:
        await first.until(lambda: bool(holder(api)))
        async with started(api) as second:
            await second.until(lambda: bool(second.scheduler.addresses))
            assert "leading" not in second.log
            await first.stop()
            api.put(*gang())

            await second.until(lambda: is_bound(api))

            assert (await second.ask("/readyz"))[0] == 200


async def test_a_standby_that_cannot_read_the_lease_is_not_ready() -> None:
    async with playing() as api:
        api.fail(LEASE, *[Reply(500, b"{}")] * 100_000)
        async with started(api) as process:
            await process.until(lambda: "started" in process.log)
            await process.until(lambda: api.faults != [] and len(api.heard) > 10)

            code, words = await process.ask("/readyz")

            assert code == 503
            assert "the lease cannot be read" in words


async def test_without_election_it_needs_no_lease() -> None:
    async with playing() as api, started(api, is_elected=False) as process:
        api.put(*gang())

        await process.until(lambda: is_bound(api))

        assert api.wrote("/leases") == 0


async def test_without_the_lease_nothing_is_bound_and_with_it_all_goes_on() -> None:
    async with playing() as api, started(api) as process:
        await process.until(lambda: "synced" in process.log)
        api.fail(f"PUT {LEASE}", *[Reply(500, b"{}")] * 60)
        await process.until(lambda: "lease lost" in process.log)

        api.put(*gang())

        await process.until(lambda: is_bound(api))
        assert process.log.count("leading") == 2


def states() -> int:
    """How many there are in this process, those that Python was told not to look at included."""
    gc.unfreeze()
    return sum(type(each) is State for each in gc.get_objects())


async def test_what_was_known_before_the_lease_was_lost_is_forgotten() -> None:
    gc.unfreeze()
    gc.collect()
    before = states()
    async with playing() as api, started(api) as process:
        await process.until(lambda: "synced" in process.log)
        api.fail(f"PUT {LEASE}", *[Reply(500, b"{}")] * 60)

        await process.until(lambda: process.log.count("synced") == 2)

        assert states() == before + 1


async def test_who_leads_again_waits_for_what_was_sent_before_the_lease_was_lost() -> None:
    async with playing() as api, started(api) as process:
        api.fail("/binding", *[Reply(503, b"{}")] * 1000)
        api.put(*gang())
        await process.until(lambda: api.wrote("/binding") > 0)
        api.fail(f"PUT {LEASE}", *[Reply(500, b"{}")] * 1000)
        await process.until(lambda: "lease left to expire" in process.log)
        lost_at = asyncio.get_running_loop().time()
        api.faults.clear()

        await process.until(lambda: process.log.count("leading") == 2)

        waited = asyncio.get_running_loop().time() - lost_at
        assert waited >= 0.9 * process.scheduler.settings.longest_bind_seconds
        await process.until(lambda: is_bound(api))


def wounded() -> list[given.Manifest]:
    """A gang of two that stood, of which one is bound and the other fits nowhere."""
    node, group, *pods = gang()
    owner = {"kind": "Job", "name": "j", "uid": "o", "controller": True}
    stamp = given.annotated({"fullcrew.io/minimum": "2", "fullcrew.io/plan": "p"})
    first, second = (given.changed(pod, given.meta(ownerReferences=[owner])) for pod in pods)
    return [
        given.changed(node, given.having(gpu=1)),
        group,
        given.changed(first, given.on_node("n"), stamp),
        second,
    ]


async def test_a_gang_that_cannot_be_mended_is_released() -> None:
    async with playing() as api, started(api, mending_seconds=0.0) as process:
        api.put(*wounded())

        await process.until(lambda: "released" in process.log)

        assert api.wrote("/pods/w-0") >= 1
        assert "/api/v1/namespaces/default/pods/w-0" not in api.objects


async def test_a_lease_is_not_let_go_while_a_deletion_may_yet_be_carried_out() -> None:
    async with playing() as api, started(api, mending_seconds=0.0) as process:
        api.fail("DELETE", *[Reply(0, b"")] * 1000)
        api.put(*wounded())
        await process.until(lambda: "release failed" in process.log)

        await process.stop()

        assert "lease left to expire" in process.log
        assert holder(api)


async def test_where_volcanos_kinds_are_not_served_labels_still_make_gangs() -> None:
    async with playing(has_groups=False) as api, started(api) as process:
        pods = [given.pod(f"w-{n}", given.in_labelled_group("job", 2)) for n in range(2)]
        api.put(given.node("n"), *pods)

        await process.until(lambda: is_bound(api))


async def test_it_does_not_start_beside_a_scheduler_of_the_same_name() -> None:
    async with playing() as api:
        with_rival(api)
        async with started(api) as process:
            with pytest.raises(errors.BadInput, match="--scheduler-name fullcrew"):
                await process.ended()

        assert api.wrote("/") == 0


def led_by_another(api: Playing) -> None:
    """Who is dead, so that we lead in a second."""
    theirs = {"holderIdentity": "another", "leaseDurationSeconds": 1}
    metadata = {"name": "fullcrew", "namespace": "fullcrew-system", "uid": "l"}
    api.add(LEASE, {"metadata": metadata, "spec": theirs})


def with_rival(api: Playing) -> None:
    spec = {"holderIdentity": "volcano-0", "renewTime": "2126-01-01T00:00:00.000000Z"}
    metadata = {"name": "volcano", "namespace": "volcano-system", "uid": "l"}
    api.add(VOLCANO_LEASE, {"metadata": metadata, "spec": spec})


async def test_a_rival_that_came_before_it_led_is_seen_at_once() -> None:
    async with playing() as api:
        led_by_another(api)
        async with started(api) as process:
            await process.until(lambda: "started" in process.log)
            with_rival(api)

            async with asyncio.timeout(0.5 * RIVALS_EVERY_SECONDS):
                await process.until(lambda: "another scheduler came" in process.log)


async def test_nothing_is_bound_before_a_rival_could_be_seen() -> None:
    async with playing() as api:
        led_by_another(api)
        async with started(api) as process:
            await process.until(lambda: "started" in process.log)
            with_rival(api)
            api.fail("GET /apis/coordination.k8s.io/v1/leases", *[Reply(503, b"{}")] * 3)
            names = ("fullcrew", "volcano")
            api.put(given.node("n"), *(given.pod(f"p-{n}", given.served_by(n)) for n in names))

            await process.until(lambda: api.node_of("default/p-fullcrew") == "n")

            assert api.node_of("default/p-volcano") == ""


async def test_while_nobody_could_look_for_rivals_it_is_not_ready() -> None:
    async with playing() as api:
        led_by_another(api)
        async with started(api) as process:
            await process.until(lambda: "started" in process.log)
            api.fail("GET /apis/coordination.k8s.io/v1/leases", *[Reply(503, b"{}")] * 1000)
            await process.until(lambda: "synced" in process.log)

            code, words = await process.ask("/readyz")

            assert code == 503
            assert "another scheduler" in words


async def test_who_cannot_see_rivals_says_so_once() -> None:
    async with playing() as api:
        api.fail("leases/foo", *[Reply(403, b"{}")] * 1000)
        api.fail("name%3Dfoo", *[Reply(403, b"{}")] * 1000)
        async with started(api, scheduler_names=("foo",)) as process:
            api.put(given.node("n"), given.pod("p", given.served_by("foo")))

            await process.until(lambda: api.node_of("default/p") == "n")

            assert process.log.count("rivals cannot be seen") == 1
            assert "foo" in process.log


async def test_a_promise_that_does_not_hold_ends_the_process() -> None:
    async with playing() as api, started(api) as process:
        await process.until(lambda: "synced" in process.log)
        bug = errors.Bug("a gang was split")

        asyncio.get_running_loop().call_exception_handler({"message": "x", "exception": bug})

        with pytest.raises(errors.Bug, match="a gang was split"):
            await process.ended()


async def test_a_fault_in_one_errand_does_not_stop_the_others() -> None:
    async with playing() as api, started(api) as process:
        await process.until(lambda: "synced" in process.log)

        fault = {"message": "an errand failed", "exception": ValueError("why")}
        asyncio.get_running_loop().call_exception_handler(fault)
        api.put(*gang())

        await process.until(lambda: is_bound(api))
        assert "ValueError: why" in process.log


async def test_a_pod_that_is_gone_leaves_its_room_to_the_next() -> None:
    async with playing() as api, started(api) as process:
        api.put(given.node("n", given.having(gpu=1)), given.pod("old", given.asking(gpu=1)))
        await process.until(lambda: api.node_of("default/old") == "n")
        api.put(given.pod("next", given.asking(gpu=1)))

        api.remove("/api/v1/namespaces/default/pods/old")

        await process.until(lambda: api.node_of("default/next") == "n")


async def test_a_gang_that_waits_for_room_says_so_on_group_and_pods() -> None:
    async with playing() as api, started(api) as process:
        api.put(*gang(2)[1:], given.node("n", given.having(gpu=1)))

        await process.until(lambda: api.wrote("/pods/w-1/status") > 0)
        await process.until(lambda: "annotations" in api.group("job")["metadata"])

        told = json.loads(api.group("job")["metadata"]["annotations"]["fullcrew.io/reason"])
        assert (told["stage"], told["kind"]) == ("placement", "short")
        (condition,) = api.group("job")["status"]["conditions"]
        assert condition["message"] == told["message"]
