"""Sound manifests, and ways to spoil them: what people, programs and broken disks make of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, Final

import yaml
from cli.clusters import bundle, gpu_node, gpu_pods
from given import (
    GPU,
    annotated,
    asking,
    claim,
    in_labelled_group,
    namespace,
    on_node,
    pod,
    pod_group,
    priority_class,
    queue,
    spec,
    status,
    volume,
)
from hypothesis import strategies as st

__all__ = ["spoilt_bytes", "spoilt_documents"]

Document = dict[str, Any]

SOUND: Final[list[Document]] = bundle(
    [gpu_node(f"n{n}", 4, status(conditions=[{"type": "Ready", "status": "True"}])) for n in "ab"],
    gpu_node("c", 2, spec(taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}])),
    [
        queue("q", spec(capability={GPU: "8", "cpu": "100"}), weight=2),
        queue("r", status(state="Closed")),
    ],
    [priority_class("high", 1000), namespace("team", annotated({"a": "b"}))],
    [volume("v", spec(capacity={"storage": "1Gi"})), claim("c", volume_name="v")],
    [pod_group("g", 2, spec(queue="q", minTaskMember={"w": 1})), *gpu_pods("g", 3)],
    [pod_group("h", 2, dialect="kube-batch"), *gpu_pods("h", 2, on_node("na"))],
    [pod(f"l{n}", asking(cpu="500m", memory="1Gi"), in_labelled_group("l", 2)) for n in range(2)],
    pod(
        "rich",
        spec(
            priorityClassName="high",
            nodeSelector={"a": "b"},
            tolerations=[{"key": "k", "operator": "Exists", "effect": "NoSchedule"}],
            overhead={"cpu": "1m"},
            initContainers=[{"name": "i", "restartPolicy": "Always"}],
            volumes=[{"name": "x", "persistentVolumeClaim": {"claimName": "c"}}],
        ),
    ),
)

# What stands where something else belongs.
_ODD: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        ["", " ", "a/b", "1e999999999", "9" * 400, "-1", "1Ei", "\x1b[2J", "é", "\U0001d54f"]
    ),
    st.text(max_size=20),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
)


@st.composite
def spoilt_documents(draw: st.DrawFn) -> list[Document]:
    """Sound manifests with a few places dropped, renamed, doubled or filled with odd values."""
    documents = copy.deepcopy(SOUND)
    for _ in range(draw(st.integers(1, 4))):
        holder, key = draw(st.sampled_from(_places(documents)))
        _spoil(holder, key, draw)
    return documents


def _places(documents: list[Document]) -> list[tuple[Any, Any]]:
    """Each map or list with each key in it, at any depth; but the documents themselves."""
    found: list[tuple[Any, Any]] = []
    ahead: list[Any] = list(documents)
    while ahead:
        holder = ahead.pop()
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        found += [(holder, key) for key in keys]
        ahead += [holder[key] for key in keys if isinstance(holder[key], dict | list)]
    return found


def _spoil(holder: Any, key: Any, draw: st.DrawFn) -> None:  # noqa: ANN401 - of any JSON
    deed = draw(st.sampled_from(["drop", "odd", "wrap", "rename", "twice"]))
    if deed == "drop":
        del holder[key]
    elif deed == "odd":
        holder[key] = draw(_ODD)
    elif deed == "wrap":
        holder[key] = [holder[key]]
    elif deed == "rename" and isinstance(holder, dict):
        holder[draw(st.text(max_size=8))] = holder.pop(key)
    elif isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))


_AS_TEXT: Final[tuple[Callable[[list[Document]], str], ...]] = (
    lambda documents: json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}),
    lambda documents: "\n".join(json.dumps(document) for document in documents),
    lambda documents: yaml.safe_dump_all(documents, sort_keys=False),
)


@st.composite
def spoilt_bytes(draw: st.DrawFn) -> bytes:
    """Sound text that was cut, or in which bytes were changed, dropped, put in or repeated."""
    data = bytearray(draw(st.sampled_from(_AS_TEXT))(SOUND).encode())
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        deed = draw(st.sampled_from(["cut", "put", "drop", "repeat"]))
        if deed == "cut":
            del data[at:]
        elif deed == "drop":
            del data[at : at + draw(st.integers(1, 50))]
        elif deed == "put":
            data[at:at] = draw(st.binary(min_size=1, max_size=8))
        else:
            data[at:at] = data[at : at + draw(st.integers(1, 200))]
    return bytes(data)
