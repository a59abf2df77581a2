"""What a server serves is read from aggregated discovery, and from plain lists where it is old."""

from __future__ import annotations

import json

from kube.server import FakeApi, serving

from fullcrew import kube, objects
from fullcrew.kube import Reply

GROUP = objects.VolcanoPodGroup.KIND
WITH_STATUS = kube.Resource(GROUP, "v1beta1", "podgroups", is_namespaced=True, has_status=True)


def aggregated(*groups: dict[str, object]) -> Reply:
    return Reply(200, json.dumps({"kind": "APIGroupDiscoveryList", "items": groups}).encode())


def served(kind: objects.Kind, plural: str, version: str, *subresources: str) -> dict[str, object]:
    resource = {
        "resource": plural,
        "responseKind": {"kind": kind.name},
        "scope": "Namespaced",
        "verbs": ["get", "list", "watch"],
        "subresources": [{"subresource": name} for name in subresources],
    }
    return {
        "metadata": {"name": kind.group},
        "versions": [{"version": version, "resources": [resource]}],
    }


async def test_one_request_for_each_root_tells_versions_and_statuses() -> None:
    api = FakeApi()
    api.fail("GET /apis", aggregated(served(GROUP, "podgroups", "v1beta1", "status")))
    api.fail("GET /api", aggregated(served(objects.Pod.KIND, "pods", "v1", "binding")))

    async with serving(api) as http:
        found = await kube.discover(http, [GROUP, objects.Pod.KIND, objects.SigsPodGroup.KIND])

    assert found[GROUP] == WITH_STATUS
    assert not found[objects.Pod.KIND].has_status
    assert found.keys() == {GROUP, objects.Pod.KIND}


async def test_an_old_server_is_read_list_by_list() -> None:
    api = FakeApi()
    plain = [
        {"name": "podgroups", "kind": "PodGroup", "namespaced": True, "verbs": ["watch"]},
        {"name": "podgroups/status", "kind": "PodGroup", "namespaced": True, "verbs": ["get"]},
    ]
    version = json.dumps({"resources": plain}).encode()
    groups = {"groups": [{"name": GROUP.group, "versions": [{"version": "v1beta1"}]}]}
    api.fail("GET /apis/scheduling.volcano.sh/v1beta1", Reply(200, version))
    api.fail("GET /apis", Reply(200, json.dumps(groups).encode()))

    async with serving(api) as http:
        found = await kube.discover(http, [GROUP])

    assert found == {GROUP: WITH_STATUS}


def test_paths_are_those_of_the_server() -> None:
    pods = kube.Resource(objects.Pod.KIND, "v1", "pods", is_namespaced=True)
    groups = kube.Resource(GROUP, "v1beta1", "podgroups", is_namespaced=True)

    assert pods.collection == "/api/v1/pods"
    assert pods.path("ns", "a") == "/api/v1/namespaces/ns/pods/a"
    assert groups.path("ns") == "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups"
