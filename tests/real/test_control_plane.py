"""The control plane of the tests is a real one, and clean at the start of each test."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from real import arranging, history, kubelet, rights
from real.api import Api, ApiRefused, Object
from real.control_plane import ControlPlane
from real.recording import Recorder

pytestmark = pytest.mark.real

Right = tuple[str, str, str, str]  # verb, API group, resource, name


def test_it_is_the_pinned_release_with_our_kinds(cluster: ControlPlane, binaries: Path) -> None:
    built = json.loads((binaries / "built.json").read_text("utf-8"))

    told = json.loads(cluster.kubectl("version", "-o", "json").stdout)
    kinds = cluster.kubectl("api-resources", "-o", "name").stdout.split()

    assert told["serverVersion"]["gitVersion"] == built["kubernetes"]
    assert {crd["metadata"]["name"] for crd in rights.crd_documents()} <= set(kinds)


def test_a_node_that_was_added_is_ready_and_takes_pods(cluster: ControlPlane, api: Api) -> None:
    arranging.add_nodes(api, ["n1"], {"cpu": "4", "nvidia.com/gpu": "2"})

    node = api.get("/api/v1/nodes/n1")
    row = cluster.kubectl("get", "node", "n1", "--no-headers").stdout.split()

    assert row[:2] == ["n1", "Ready"]
    assert "taints" not in node["spec"]
    assert node["status"]["allocatable"] == {"cpu": "4", "nvidia.com/gpu": "2", "pods": "110"}


def test_a_resized_node_keeps_what_was_not_named(api: Api) -> None:
    arranging.add_nodes(api, ["n1"], {"cpu": "4", "nvidia.com/gpu": "2"})

    arranging.resize_node(api, "n1", {"nvidia.com/gpu": "4"})

    allocatable = api.get("/api/v1/nodes/n1")["status"]["allocatable"]
    assert allocatable == {"cpu": "4", "nvidia.com/gpu": "4", "pods": "110"}


def test_nothing_of_a_test_is_left_for_the_next(api: Api, namespace: str) -> None:
    arranging.add_nodes(api, ["n1"], {"cpu": "4"})
    api.create(pod_in(namespace))
    group = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup"}
    api.create({**group, "metadata": {"name": "g", "namespace": namespace}, "spec": {}})

    arranging.clear(api)
    arranging.clear(api)

    groups = "/apis/scheduling.volcano.sh/v1beta1/podgroups"
    left = {path: api.list(path).items for path in ("/api/v1/nodes", "/api/v1/pods", groups)}
    assert not any(left.values())


def test_a_played_kubelet_runs_refuses_and_ends_pods(
    api: Api, namespace: str, record: Recorder
) -> None:
    arranging.add_nodes(api, ["n1"], {"cpu": "4"})
    refusal = ("OutOfcpu", "Node didn't have enough resource: cpu")
    with kubelet.played(api, refuses=lambda pod: refusal if is_named(pod, "no") else None):
        for name in ("yes", "no"):
            api.create(pod_in(namespace, name, node="n1"))
        record.until(lambda _: phases(record) == {"yes": "Running", "no": "Failed"}, seconds=10)
        api.delete(f"/api/v1/namespaces/{namespace}/pods/yes")
        record.until(lambda _: phases(record) == {"no": "Failed"}, seconds=10)

    assert record.pods(namespace)[0]["status"]["reason"] == "OutOfcpu"


def test_the_record_holds_each_change_in_the_order_of_the_server(
    api: Api, namespace: str, record: Recorder
) -> None:
    api.create(pod_in(namespace))
    arranging.add_nodes(api, ["n1"], {"cpu": "4"})
    api.delete(f"/api/v1/namespaces/{namespace}/pods/p", grace_seconds=0)

    told = [event for event in record.history() if event.what != "LISTED"]

    kinds = [(event.path, event.what) for event in told if event.name != namespace]
    pod, node = history.PODS, history.NODES
    changes = [(pod, "ADDED"), (node, "ADDED"), (node, "MODIFIED"), (pod, "DELETED")]
    assert [kind for kind in dict.fromkeys(kinds) if kind in changes] == changes


def test_the_account_may_do_what_rbac_yaml_lists_and_nothing_else(
    cluster: ControlPlane, namespace: str, scheduler_kubeconfig: Path
) -> None:
    nobody = cluster.kubeconfig_for_account(namespace, "default")
    listed = {kind: set(rights_in(kind)) for kind in ("ClusterRole", "Role")}

    everywhere = rights_of(cluster, namespace, scheduler_kubeconfig)
    at_home = rights_of(cluster, rights.NAMESPACE, scheduler_kubeconfig)

    anybody = rights_of(cluster, namespace, nobody)
    assert everywhere - anybody == listed["ClusterRole"]
    assert at_home - everywhere == listed["Role"]


def test_a_right_that_is_not_listed_is_refused(
    cluster: ControlPlane, namespace: str, scheduler_kubeconfig: Path
) -> None:
    refused = cluster.kubectl("get", "secrets", "-n", namespace, kubeconfig=scheduler_kubeconfig)

    assert refused.returncode == 1
    assert "Forbidden" in refused.stderr
    assert "system:serviceaccount:fullcrew-system:fullcrew" in refused.stderr


def test_a_refusal_of_the_server_is_an_error_of_the_test(api: Api) -> None:
    with pytest.raises(ApiRefused) as refused:
        api.get("/api/v1/nodes/nowhere")

    assert refused.value.code == 404


def pod_in(namespace: str, name: str = "p", *, node: str = "") -> Object:
    where = {"nodeName": node} if node else {}
    containers = [{"name": "c", "image": "i"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"schedulerName": "nobody", "containers": containers, **where},
    }


def is_named(pod: Object, name: str) -> bool:
    return bool(pod["metadata"]["name"] == name)


def phases(record: Recorder) -> dict[str, str]:
    return {pod["metadata"]["name"]: pod["status"]["phase"] for pod in record.pods()}


def rights_in(kind: str) -> Iterator[Right]:
    """The rules of deploy/rbac.yaml's roles of this kind, one by one."""
    for document in rights.documents(rights.DEPLOY / "rbac.yaml"):
        if document["kind"] == kind:
            for rule in document["rules"]:
                yield from one_by_one(rule)


def rights_of(cluster: ControlPlane, namespace: str, kubeconfig: Path) -> set[Right]:
    """As the server tells the user himself."""
    ask = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": namespace},
    }
    create = ("create", "--validate=false", "-f", "-", "-o", "json")
    told = cluster.kubectl(*create, given=json.dumps(ask), kubeconfig=kubeconfig)
    assert told.returncode == 0, told.stderr
    rules = json.loads(told.stdout)["status"]["resourceRules"]
    return {right for rule in rules for right in one_by_one(rule)}


def one_by_one(rule: Object) -> Iterator[Right]:
    names = rule.get("resourceNames") or [""]
    groups = rule.get("apiGroups", [""])
    yield from itertools.product(rule["verbs"], groups, rule["resources"], names)
