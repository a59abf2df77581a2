"""The body of a Binding, put together from pieces that are encoded once for a launch."""

from __future__ import annotations

from msgspec import json

from fullcrew import client

__all__ = ["MINIMUM", "PLAN", "binding", "binding_path", "limit", "pod_path", "stamp"]

PLAN = "fullcrew.io/plan"
MINIMUM = "fullcrew.io/minimum"

_encode = json.Encoder().encode


def stamp(plan: str, minimum: int) -> bytes:
    """The annotations by which a bound pod tells of which plan it is, and what minimum it met."""
    return _encode({PLAN: plan, MINIMUM: str(minimum)})


def binding(pod: str, uid: str, node: str, stamped: bytes) -> bytes:
    """Binds this very pod: the server refuses it for another of the same name."""
    namespace, _, name = pod.partition("/")
    return b"".join(
        (
            b'{"apiVersion":"v1","kind":"Binding","metadata":{"name":',
            _encode(name),
            b',"namespace":',
            _encode(namespace),
            b',"uid":',
            _encode(uid),
            b',"annotations":',
            stamped,
            b'},"target":{"apiVersion":"v1","kind":"Node","name":',
            _encode(node),
            b"}}",
        )
    )


def pod_path(pod: str) -> str:
    """Where a pod stands, by `namespace/name`."""
    namespace, _, name = pod.partition("/")
    return f"/api/v1/namespaces/{client.in_path(namespace)}/pods/{client.in_path(name)}"


def binding_path(pod: str) -> str:
    """Where its binding is posted."""
    return f"{pod_path(pod)}/binding"


def limit(seconds: float) -> str:
    """Behind a write's path: when the server itself gives it up. That we hang up may never reach
    it, where a balancer stands between."""
    return f"?timeout={round(seconds * 1000)}ms"
