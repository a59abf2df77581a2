"""What `fullcrew.kube` takes for granted of an API server, asked of the real one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest
from real.api import Api, Object
from real.control_plane import ControlPlane

from fullcrew import client, kube, launch, objects
from fullcrew.kube import Lane, Lease, Listed, Reply, ServerSource, bodies, follow, reading
from fullcrew.kube.watching import Ended, Reader
from fullcrew.launch import Outcome, Sight
from fullcrew.objects import Event

pytestmark = pytest.mark.real

PODS = kube.Resource(objects.Pod.KIND, "v1", "pods", is_namespaced=True)
STAMP = bodies.stamp("plan", 1)


@asynccontextmanager
async def connected(cluster: ControlPlane) -> AsyncIterator[kube.Http]:
    http = kube.Http(client.from_kubeconfig([cluster.admin_kubeconfig]))
    try:
        yield http
    finally:
        await http.close()


def add_pod(api: Api, namespace: str, name: str, *, is_gated: bool = False) -> Object:
    gates = {"schedulingGates": [{"name": "test/gate"}]} if is_gated else {}
    containers = [{"name": "c", "image": "none"}]
    return api.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"schedulerName": "nobody", "containers": containers, **gates},
        }
    )


async def bind(http: kube.Http, pod: str, uid: str, node: str = "n") -> Reply:
    flow = kube.Flow(http)
    body = bodies.binding(pod, uid, node, STAMP)
    reply = await flow.request(Lane.BIND, "POST", bodies.binding_path(pod), body=body)
    await flow.close()
    return reply


@pytest.mark.parametrize("streams", [True, False])
async def test_following_tells_what_is_there_and_what_changes(
    cluster: ControlPlane, api: Api, namespace: str, *, streams: bool
) -> None:
    add_pod(api, namespace, "before")

    async with connected(cluster) as http:
        source = ServerSource(http, PODS, objects.Decoder(objects.Pod), streams=streams)
        async with aclosing(follow(source)) as stream:
            before = await told(stream)
            await asyncio.to_thread(add_pod, api, namespace, "after")
            after = await told(stream)

    assert (before, after) == (["before"], ["ADDED after"])
    assert source.tells_all == streams


async def told(
    stream: AsyncGenerator[Listed[objects.Pod] | list[Event[objects.Pod]], None],
) -> list[str]:
    """Names up to the end of a list, or the next changes."""
    names: list[str] = []
    async for part in stream:
        if not isinstance(part, Listed):
            return [f"{e.type} {e.object.name}" for e in part if isinstance(e.object, objects.Pod)]
        names += [each.metadata.name for each in part.objects]
        if part.is_last:
            break
    return names


async def test_a_revision_that_the_server_forgot_ends_the_watch_with_410(
    cluster: ControlPlane, api: Api
) -> None:
    del api
    kind = objects.VolcanoPodGroup
    async with connected(cluster) as http:
        found = await kube.discover(http, [kind.KIND])  # served later than revision 1
        source = ServerSource(http, found[kind.KIND], objects.Decoder(kind))
        reader = Reader(source.decoder, "1")
        async with aclosing(source.watch("1")) as stream:
            reader.receive(await anext(stream))

    assert isinstance(reader.ended, Ended)
    assert reader.ended.code == 410


async def test_a_bind_puts_node_and_stamp_on_the_pod_and_is_refused_a_second_time(
    cluster: ControlPlane, api: Api, namespace: str
) -> None:
    pod = add_pod(api, namespace, "p")
    uid = pod["metadata"]["uid"]

    async with connected(cluster) as http:
        first = await bind(http, f"{namespace}/p", uid)
        second = await bind(http, f"{namespace}/p", uid)
        read = await http.request("GET", bodies.pod_path(f"{namespace}/p"))

    assert (first.code, second.code) == (201, 409)
    assert reading.pod_seen(read, uid) == launch.PodSeen(Sight.BOUND, "n")
    bound = api.get(bodies.pod_path(f"{namespace}/p"))
    assert bound["metadata"]["annotations"] == {bodies.PLAN: "plan", bodies.MINIMUM: "1"}


async def test_a_pod_of_another_uid_is_not_bound(
    cluster: ControlPlane, api: Api, namespace: str
) -> None:
    add_pod(api, namespace, "p")

    async with connected(cluster) as http:
        reply = await bind(http, f"{namespace}/p", "11111111-2222-3333-4444-555555555555")
        read = await http.request("GET", bodies.pod_path(f"{namespace}/p"))

    assert reading.answer_in(reply).outcome is Outcome.CONFLICT
    assert reading.pod_seen(read, "another").sight is Sight.GONE


async def test_a_pod_that_was_deleted_is_gone(
    cluster: ControlPlane, api: Api, namespace: str
) -> None:
    pod = add_pod(api, namespace, "p")
    api.delete(bodies.pod_path(f"{namespace}/p"), grace_seconds=0)

    async with connected(cluster) as http:
        reply = await bind(http, f"{namespace}/p", pod["metadata"]["uid"])

    assert reading.answer_in(reply).outcome is Outcome.GONE


async def test_a_gated_pod_is_a_conflict_and_still_waits(
    cluster: ControlPlane, api: Api, namespace: str
) -> None:
    pod = add_pod(api, namespace, "p", is_gated=True)
    uid = pod["metadata"]["uid"]

    async with connected(cluster) as http:
        reply = await bind(http, f"{namespace}/p", uid)
        read = await http.request("GET", bodies.pod_path(f"{namespace}/p"))

    assert reading.answer_in(reply).outcome is Outcome.CONFLICT
    assert reading.pod_seen(read, uid).sight is Sight.WAITING


async def test_in_a_namespace_that_ends_a_bind_is_answered_so_that_its_pods_count_as_leaving(
    cluster: ControlPlane, api: Api, namespace: str
) -> None:
    pod = add_pod(api, namespace, "p")
    path = bodies.pod_path(f"{namespace}/p")
    api.patch(path, {"metadata": {"finalizers": ["test/kept"]}})
    api.delete(f"/api/v1/namespaces/{namespace}")

    async with connected(cluster) as http:
        reply = await bind(http, f"{namespace}/p", pod["metadata"]["uid"])
    api.patch(path, {"metadata": {"finalizers": None}})

    assert reading.answer_in(reply).outcome in {Outcome.ENDING, Outcome.CONFLICT}


async def test_groups_are_read_as_the_terms_that_a_plan_counts_on(
    cluster: ControlPlane, api: Api, namespace: str
) -> None:
    kind = objects.VolcanoPodGroup.KIND
    spec = {"minMember": 3, "minTaskMember": {"ps": 1}, "queue": "q"}
    metadata = {"name": "g", "namespace": namespace}
    api_version = "scheduling.volcano.sh/v1beta1"
    api.create({"apiVersion": api_version, "kind": "PodGroup", "metadata": metadata, "spec": spec})

    async with connected(cluster) as http:
        found = await kube.discover(http, [kind, objects.Pod.KIND])
        one = await http.request("GET", found[kind].path(namespace, "g"))
        many = await http.request("GET", f"{found[kind].path(namespace)}?limit=500")

    groups = reading.Groups()
    terms = launch.Terms(3, (("ps", 1),), "q")
    assert groups.one(kind, one).terms == terms
    assert groups.page(kind, many).found["g"].terms == terms
    assert found[objects.Pod.KIND].has_status


async def test_a_lease_goes_from_one_contender_to_the_next(
    cluster: ControlPlane, api: Api, namespace: str
) -> None:
    async with connected(cluster) as http:
        first, second = (
            Lease(http, namespace, "sched", name, duration=3, renew_deadline=2, retry=0.2)
            for name in ("first", "second")
        )
        tasks = [asyncio.ensure_future(first.run())]
        await asyncio.wait_for(first.held(), 5)
        tasks.append(asyncio.ensure_future(second.run()))
        await asyncio.sleep(0)
        rivals = await kube.Rivals(http, ["sched"], own=("ours", "sched")).look()
        await first.release()
        await asyncio.wait_for(second.held(), 2)
        for task in tasks:
            task.cancel()

    spec = api.get(f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/sched")["spec"]
    assert [rival.holder for rival in rivals] == ["first"]
    assert not first.is_held
    assert (spec["holderIdentity"], spec["leaseTransitions"]) == ("second", 1)
