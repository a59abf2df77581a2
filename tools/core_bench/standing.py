"""A cluster that is full of running pods, fed to `state` object by object, as a list is.

The pods come as the bytes that an API server sends, so their names and uids are strings of their
own, and what is measured is what a scheduler would hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from fullcrew import core, objects
from fullcrew.objects import Decoder, KubernetesObject, Node, Pod, VolcanoPodGroup
from fullcrew.state import State
from tools.core_bench import measuring
from tools.core_bench.loads import NOW

_GANG = 50  # pods
_ASKS = 40
_WAITING = 100  # gangs that ask for more than any node has
_WAITING_MEMBERS = 4
_TOO_MUCH = {"cpu": "1", "nvidia.com/gpu": "16"}
_LATER = 5


@dataclass(slots=True)
class Cluster:
    """A state that holds all of it, and the memo that goes from cycle to cycle."""

    state: State
    pods: int
    nodes: int
    memo: core.Memo = field(default_factory=core.Memo)

    def first_cycle(self) -> float:
        """Seconds of a snapshot and a plan that knows nothing yet, as after a start."""
        return measuring.seconds_of(self._cycle, rounds=1)

    def later_cycle(self) -> float:
        """Seconds of the same once more, each time after a pod ended and another came."""
        return sorted(self._changed_cycle(number) for number in range(_LATER))[_LATER // 2]

    def _changed_cycle(self, number: int) -> float:
        old, new = (_pod(self.pods - 1 - number, self.nodes, again=again) for again in (0, 1))
        self.state.drop(_POD.one(old))
        self.state.put(_POD.one(new))
        started = perf_counter()
        self._cycle()
        return perf_counter() - started

    def _cycle(self) -> None:
        plan = measuring.planned(self.state.snapshot(NOW), self.memo)
        measuring.expect(plan, starts=0)


_POD, _NODE, _GROUP = Decoder(Pod), Decoder(Node), Decoder(VolcanoPodGroup)


def filled(nodes: int, pods: int) -> tuple[Cluster, float]:
    """The cluster, and how many seconds it took to decode and take in all of it. The number of
    pods is rounded to whole gangs."""
    state = State()
    groups = max(1, pods // 2 // _GANG)
    pods = groups * 2 * _GANG
    fed = 0.0
    for decoder, documents in (
        (_NODE, (_node(number) for number in range(nodes))),
        (_GROUP, _groups(groups)),
        (_POD, _pods(pods, nodes, groups)),
    ):
        fed += _feed(state, decoder, documents)
    return Cluster(state, pods, nodes), fed


def _feed(state: State, decoder: Decoder[Any], documents: Iterator[bytes]) -> float:
    kind = decoder.kind.KIND
    seconds = 0.0
    state.begin(kind)
    for document in documents:
        started = perf_counter()
        told: KubernetesObject | objects.Faulty[KubernetesObject] = decoder.one(document)
        state.put(told)
        seconds += perf_counter() - started
    state.end(kind)
    return seconds


def _groups(running: int) -> Iterator[bytes]:
    yield from (_group(number, minimum=_GANG) for number in range(running))
    waiting = range(running, running + _WAITING)
    yield from (_group(number, minimum=_WAITING_MEMBERS) for number in waiting)


def _pods(count: int, nodes: int, groups: int) -> Iterator[bytes]:
    """Running ones: one half in gangs of ours, the others somebody else's; and some that wait."""
    yield from (_pod(number, nodes) for number in range(count))
    for gang in range(groups, groups + _WAITING):
        for member in range(_WAITING_MEMBERS):
            number = (1 << 30) + gang * _WAITING_MEMBERS + member
            spec = {"schedulerName": "volcano", "containers": [_container(_TOO_MUCH)]}
            metadata = _metadata(f"waiting-{gang:06}-{member}", number, group=gang)
            yield _document("v1", "Pod", metadata, spec=spec, status={"phase": "Pending"})


def _pod(number: int, nodes: int, *, again: int = 0) -> bytes:
    asks = {"cpu": f"{100 + number % _ASKS}m", "memory": "512Mi"}
    is_ours = number % 2 == 0
    group = number // 2 // _GANG if is_ours else None
    spec = {
        "nodeName": f"node-{number % nodes:06}",
        "schedulerName": "volcano" if is_ours else "default-scheduler",
        "containers": [_container(asks)],
    }
    name = f"running-{number:07}-{again}"
    metadata = _metadata(name, number + (again << 24), group=group)
    return _document("v1", "Pod", metadata, spec=spec, status={"phase": "Running"})


def _node(number: int) -> bytes:
    amounts = {"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": "8"}
    status = {
        "allocatable": amounts,
        "capacity": amounts,
        "conditions": [{"type": "Ready", "status": "True"}],
    }
    name = f"node-{number:06}"
    labels = {"kubernetes.io/hostname": name, "zone": f"zone-{number % 8}"}
    metadata = {"name": name, "uid": _uid(number), "labels": labels}
    return _document("v1", "Node", metadata, status=status)


def _group(number: int, *, minimum: int) -> bytes:
    metadata = {"name": f"gang-{number:06}", "namespace": "work", "uid": _uid(number)}
    version = "scheduling.volcano.sh/v1beta1"
    return _document(version, "PodGroup", metadata, spec={"minMember": minimum})


def _metadata(name: str, number: int, *, group: int | None) -> dict[str, Any]:
    marks = {} if group is None else {"scheduling.k8s.io/group-name": f"gang-{group:06}"}
    return {
        "name": name,
        "namespace": "work",
        "uid": _uid(number),
        "creationTimestamp": "2026-11-01T12:00:00Z",
        "annotations": marks,
        "labels": {"app": f"app-{number % 50}", "index": str(number)},
    }


def _container(asks: dict[str, str]) -> dict[str, Any]:
    return {"name": "main", "image": "registry/image:1", "resources": {"requests": asks}}


def _uid(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def _document(version: str, kind: str, metadata: dict[str, Any], **more: dict[str, Any]) -> bytes:
    return json.dumps({"apiVersion": version, "kind": kind, "metadata": metadata, **more}).encode()
