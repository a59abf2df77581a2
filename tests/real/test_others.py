"""Fullcrew is not alone: others take room, make pods again, refuse them, or serve our names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from faults.proxy import Proxy
from faults.schedule import Gate, Late, Meanwhile
from real import arranging, jobs, kubelet, rights
from real.api import Object
from real.jobs import INCUBATOR, VOLCANO, Job
from real.scene import Scene

pytestmark = pytest.mark.real

BIND = "/binding"
LEASES = "/apis/coordination.k8s.io/v1"


def test_a_pod_made_again_under_its_name_is_not_bound_by_the_old_plan(
    faulty: Scene, proxy: Proxy
) -> None:
    gate = Gate()
    late = proxy.on("POST", "job-worker-1" + BIND, Late(gate))
    job = Job(faulty.namespace, "job", workers=2)
    faulty.add_nodes(2)
    faulty.schedulers.start()

    faulty.submit(job)
    late.wait()
    with proxy.stale("/pods"):
        faulty.remove("job-worker-1")
        faulty.api.create({**job.pod("job-worker-1"), "spec": gated(job)})
        gate.open()
        faulty.until(lambda now: len(jobs.bound(job, now)) == 1)
    faulty.until(lambda now: "gated" in jobs.reason(job, now) or bool(jobs.reason(job, now)))

    assert faulty.bound(job) == {"job-worker-0"}
    ungate(faulty, "job-worker-1")
    faulty.until(jobs.is_bound(job))
    faulty.judged()


def test_room_that_another_scheduler_takes_first_makes_a_wounded_gang_and_no_error(
    faulty: Scene, proxy: Proxy
) -> None:
    taken = faulty.add_nodes(2)[0]
    proxy.on("POST", BIND, Meanwhile(lambda: faulty.take(taken)))
    job = Job(faulty.namespace, "job", workers=2)
    other = Job(faulty.namespace, "other", workers=1)
    faulty.schedulers.start()

    with kubelet.played(faulty.api, refuses=lambda pod: too_late(faulty, pod, taken)):
        faulty.submit(job)
        faulty.until(lambda _: len(failed(faulty)) == 1)
        (lost,) = failed(faulty)
        make_again(faulty, job, lost)
        faulty.submit(other)
        faulty.until(jobs.waits(job))
        faulty.remove("foreign")
        faulty.until(jobs.runs(job))

    assert faulty.bound(other) == set()
    faulty.judged()


def test_a_kubelet_that_refuses_wounds_a_gang_which_is_mended_before_anything_else(
    scene: Scene,
) -> None:
    refused: list[str] = []
    job = Job(scene.namespace, "job", workers=3)
    other = Job(scene.namespace, "other", workers=1)
    scene.add_nodes(3)
    scene.schedulers.start()

    with kubelet.played(scene.api, refuses=lambda pod: once(pod, "job-worker-1", refused)):
        scene.submit(job)
        scene.until(lambda _: failed(scene) == ["job-worker-1"])
        make_again(scene, job, "job-worker-1")
        scene.submit(other)
        scene.until(jobs.waits(other))
        scene.until(jobs.runs(job))

    assert scene.bound(other) == set()
    assert scene.judged().short == {}


def test_room_of_a_member_that_is_not_made_again_yet_is_kept(scene: Scene) -> None:
    refused: list[str] = []
    job = Job(scene.namespace, "job", workers=3)
    other = Job(scene.namespace, "other", workers=1)
    scene.add_nodes(3)
    scene.schedulers.start()

    with kubelet.played(scene.api, refuses=lambda pod: once(pod, "job-worker-1", refused)):
        scene.submit(job)
        scene.until(lambda _: failed(scene) == ["job-worker-1"])
        scene.submit(other)
        scene.until(lambda now: jobs.waits(other)(now) or jobs.is_bound(other)(now))
        assert scene.bound(other) == set()
        make_again(scene, job, "job-worker-1")
        scene.until(jobs.runs(job))

    assert scene.judged().short == {}


def test_a_foreign_pod_that_was_there_first_keeps_its_room(scene: Scene) -> None:
    node = scene.add_nodes(1, gpus=4)[0]
    scene.take(node, gpus=2)
    job = Job(scene.namespace, "job", workers=3)
    scene.schedulers.start()

    scene.submit(job)
    scene.until(jobs.waits(job))
    bound_while_waiting = scene.bound(job)
    scene.remove("foreign")
    scene.until(jobs.is_bound(job))

    assert bound_while_waiting == set()
    scene.judged()


def test_a_member_that_is_deleted_wounds_its_gang_which_keeps_its_room(scene: Scene) -> None:
    job = Job(scene.namespace, "job", workers=2)
    scene.add_nodes(2)
    scene.schedulers.start()

    scene.submit(job)
    scene.until(jobs.is_bound(job))
    other = scene.submit(Job(scene.namespace, "other", workers=1))
    scene.until(jobs.waits(other))
    make_again(scene, job, "job-worker-0")
    scene.until(jobs.is_bound(job))

    assert scene.bound(other) == set()
    scene.judged()


@pytest.fixture
def rival(scene: Scene) -> Iterator[Object]:
    """Volcano's scheduler, as far as it can be seen: the Lease that it renews. In a namespace of
    this test alone, since one that is being deleted cannot be made again."""
    place = arranging.add_namespace(scene.api, f"{scene.namespace}-volcano-system")
    yield {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "volcano", "namespace": place},
        "spec": {
            "holderIdentity": "volcano-scheduler-0",
            "leaseDurationSeconds": 3600,
            "renewTime": "2126-01-01T00:00:00.000000Z",
        },
    }
    scene.api.delete(f"{LEASES}/namespaces/{place}/leases/volcano")


def test_a_name_that_another_scheduler_serves_is_not_served_twice(
    scene: Scene, rival: Object
) -> None:
    scene.api.create(rival)

    serving = scene.schedulers.start(wait=False)
    code = serving.child.process.wait(20)

    assert code != 0
    assert "volcano" in serving.child.last_words()


def test_a_rival_that_comes_later_gets_its_pods_and_the_others_stay_ours(
    scene: Scene, rival: Object
) -> None:
    serving = scene.schedulers.start()
    theirs = Job(scene.namespace, "theirs", VOLCANO, workers=2)
    ours = Job(scene.namespace, "ours", INCUBATOR, workers=2)
    scene.add_nodes(4)

    scene.api.create(rival)
    serving.child.wait_until(lambda: serving.metric("fullcrew_rivals") == 1, seconds=60)
    scene.submit(theirs)
    scene.submit(ours)
    scene.until(jobs.is_bound(ours))

    assert scene.bound(theirs) == set()
    assert "volcano" in serving.log()
    scene.judged()


def test_on_sigterm_the_lease_is_given_back_and_the_next_one_begins_at_once(scene: Scene) -> None:
    path = f"{LEASES}/namespaces/{rights.NAMESPACE}/leases"
    job = Job(scene.namespace, "job", workers=2)
    scene.add_nodes(2)

    first = scene.schedulers.start()
    held = [lease["spec"].get("holderIdentity") for lease in scene.api.list(path).items]
    code = first.child.stop()
    left = [lease["spec"].get("holderIdentity") for lease in scene.api.list(path).items]
    scene.schedulers.start()
    scene.submit(job)
    scene.until(jobs.is_bound(job), seconds=10)

    assert code == 0
    assert any(held)
    assert not any(left)
    scene.judged()


def gated(job: Job) -> Object:
    spec: Object = job.pod("any")["spec"]
    return {**spec, "schedulingGates": [{"name": "test/wait"}]}


def ungate(scene: Scene, pod: str) -> None:
    path = f"/api/v1/namespaces/{scene.namespace}/pods/{pod}"
    scene.api.patch(path, {"spec": {"schedulingGates": None}})


def make_again(scene: Scene, job: Job, pod: str) -> None:
    """As the controller of a job does it."""
    scene.remove(pod)
    scene.api.create(job.pod(pod))


def failed(scene: Scene) -> list[str]:
    pods = scene.record.pods(scene.namespace)
    return [pod["metadata"]["name"] for pod in pods if pod["status"].get("phase") == "Failed"]


def too_late(scene: Scene, pod: Object, node: str) -> kubelet.Refusal | None:
    """The kubelet of that node has a foreign pod already."""
    if pod["spec"]["nodeName"] != node or pod["metadata"]["name"] == "foreign":
        return None
    pods = scene.api.list(f"/api/v1/namespaces/{scene.namespace}/pods").items
    if any(other["metadata"]["name"] == "foreign" for other in pods):
        return "OutOf" + jobs.GPU, "Node didn't have enough resource"
    return None


def once(pod: Object, name: str, refused: list[str]) -> kubelet.Refusal | None:
    if pod["metadata"]["name"] != name or refused:
        return None
    refused.append(pod["metadata"]["uid"])
    return "OutOfcpu", "Node didn't have enough resource: cpu"
