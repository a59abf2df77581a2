"""What a scheduler tells besides its binds, written again by the client that has nothing to tell:
as many requests of each kind as the API server counted, of about the same size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tools.e2e import shapes
from tools.e2e.shapes import Shape
from tools.e2e.wire import JSON, MERGE, Write

BIND = "POST pods/binding"
_SENTENCE = "0 of 1000 nodes have room for all of it: short by 12 of 40 cpu on the best of them"


def statuses(shape: Shape, counted: Mapping[str, int]) -> Iterator[Write]:
    """In the order of importance, as a scheduler does it: groups, pods, then events."""
    makers = {
        "PATCH podgroups": _group,
        "PATCH podgroups/status": _group_status,
        "PATCH pods/status": _pod_status,
        "PATCH queues": _queue,
        "PATCH queues/status": _queue_status,
        "POST events": _event,
    }
    if unknown := counted.keys() - makers.keys() - {BIND}:
        raise RuntimeError(f"the bare client cannot write {', '.join(sorted(unknown))}")
    for kind, make in makers.items():
        yield from (make(shape, number) for number in range(counted.get(kind, 0)))


def _group(shape: Shape, number: int) -> Write:
    name = shapes.group_of(number % max(1, shape.gangs))
    return _patch(f"{shapes.VOLCANO}/{name}", _group_body(shape, number))


def _group_status(shape: Shape, number: int) -> Write:
    name = shapes.group_of(number % max(1, shape.gangs))
    return _patch(f"{shapes.VOLCANO}/{name}/status", _group_body(shape, number))


def _group_body(shape: Shape, number: int) -> dict[str, Any]:
    told = {
        "type": "Scheduled",
        "status": "True",
        "reason": "tasks in gang are ready to be scheduled",
        "message": _SENTENCE,
        "lastTransitionTime": "2026-11-19T12:00:00Z",
        "transitionID": f"{number:08}",  # so that no two patches are the same
    }
    status = {"phase": "Running", "running": shape.members, "conditions": [told]}
    marks = {"fullcrew.io/reason": json.dumps({"stage": "placement", "message": _SENTENCE})}
    return {"metadata": {"annotations": marks}, "status": status}


def _pod_status(shape: Shape, number: int) -> Write:
    gang, member = divmod(number % shape.pods, shape.members)
    told = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": f"{_SENTENCE} ({number})",
    }
    path = f"{shapes.PODS}/{shapes.pod_of(gang, member)}/status"
    body = {"status": {"conditions": [told]}}
    content = "application/strategic-merge-patch+json"
    return Write("PATCH", path, json.dumps(body).encode(), content)


def _queue(_shape: Shape, number: int) -> Write:
    return _patch(shapes.QUEUE, {"status": {"state": "Open", "running": number}})


def _queue_status(_shape: Shape, number: int) -> Write:
    return _patch(f"{shapes.QUEUE}/status", {"status": {"state": "Open", "running": number}})


def _event(shape: Shape, number: int) -> Write:
    name = shapes.group_of(number % max(1, shape.gangs))
    about = {"kind": "PodGroup", "namespace": shapes.NAMESPACE, "name": name}
    body = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.{number:x}", "namespace": shapes.NAMESPACE},
        "involvedObject": about,
        "reason": "Scheduled",
        "message": f"{shape.members} pods of {name} were placed on {shape.members} nodes",
        "type": "Normal",
        "source": {"component": "fullcrew"},
        "count": 1,
    }
    path = f"/api/v1/namespaces/{shapes.NAMESPACE}/events"
    return Write("POST", path, json.dumps(body).encode(), JSON)


def _patch(path: str, body: dict[str, Any]) -> Write:
    return Write("PATCH", path, json.dumps(body).encode(), MERGE)
