"""Plays the kubelets of a cluster that has none: pods that are bound run, end when a test says so,
may be refused, and go away when they are deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from real.api import Api, ApiRefused, Object
from real.following import Follower

_STRATEGIC = "application/strategic-merge-patch+json"  # so that other conditions stay
Refusal = tuple[str, str]  # reason and message, such as OutOfcpu


@contextmanager
def played(
    api: Api, *, refuses: Callable[[Object], Refusal | None] = lambda _: None
) -> Iterator[None]:
    """While this lasts, each pod that is bound runs, unless `refuses` has a reason against it."""

    def told(what: str, pod: Object) -> None:
        if what == "DELETED" or "nodeName" not in pod["spec"]:
            return
        with suppress(ApiRefused):  # it changed or went meanwhile; the next event tells
            _play(api, pod, refuses)

    follower = Follower(api, "/api/v1/pods", told)
    follower.start()
    try:
        yield
    finally:
        follower.stop()
    follower.check()


def run(api: Api, namespace: str, name: str) -> None:
    """The pod's containers run."""
    ready = {"type": "Ready", "status": "True"}
    _patch(api, namespace, name, {"phase": "Running", "conditions": [ready]})


def finish(api: Api, namespace: str, name: str, *, succeeded: bool = True) -> None:
    """The pod's containers have ended."""
    ready = {"type": "Ready", "status": "False", "reason": "PodCompleted"}
    phase = "Succeeded" if succeeded else "Failed"
    _patch(api, namespace, name, {"phase": phase, "conditions": [ready]})


def refuse(api: Api, namespace: str, name: str, refusal: Refusal) -> None:
    """The kubelet does not admit the pod: it has failed, and keeps its node."""
    reason, message = refusal
    _patch(api, namespace, name, {"phase": "Failed", "reason": reason, "message": message})


def _play(api: Api, pod: Object, refuses: Callable[[Object], Refusal | None]) -> None:
    metadata = pod["metadata"]
    namespace, name = metadata["namespace"], metadata["name"]
    if "deletionTimestamp" in metadata:
        path = f"/api/v1/namespaces/{namespace}/pods/{name}"
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": metadata["uid"]}}
        api.request("DELETE", path, options)
    elif pod["status"].get("phase") == "Pending":
        refusal = refuses(pod)
        if refusal is None:
            run(api, namespace, name)
        else:
            refuse(api, namespace, name, refusal)


def _patch(api: Api, namespace: str, name: str, status: dict[str, Any]) -> None:
    path = f"/api/v1/namespaces/{namespace}/pods/{name}/status"
    api.request("PATCH", path, {"status": status}, content=_STRATEGIC)
