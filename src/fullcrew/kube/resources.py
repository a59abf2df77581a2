"""What a server serves: which version of a kind, under which path, and whether it has a status.

One request tells it all on servers from 1.26 on (aggregated discovery); older ones, and what
stands between, answer the same request with the plain lists, which are then read one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

import msgspec

from fullcrew import client, errors
from fullcrew.kube.http import JSON, Http
from fullcrew.objects.metadata import Kind

__all__ = ["Resource", "discover"]

AGGREGATED = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json"
)

Shape = TypeVar("Shape")


class Resource(NamedTuple):
    """One kind as it is served."""

    kind: Kind
    version: str
    plural: str
    is_namespaced: bool
    has_status: bool = False

    @property
    def api_version(self) -> str:
        """As documents write it."""
        return f"{self.kind.group}/{self.version}" if self.kind.group else self.version

    @property
    def collection(self) -> str:
        """The path of all objects of the kind, in every namespace."""
        root = f"/apis/{self.kind.group}" if self.kind.group else "/api"
        return f"{root}/{self.version}/{self.plural}"

    def path(self, namespace: str, name: str = "") -> str:
        """The path of one object, or of all in a namespace."""
        root = f"/apis/{self.kind.group}" if self.kind.group else "/api"
        space = f"/namespaces/{client.in_path(namespace)}" if self.is_namespaced else ""
        last = f"/{client.in_path(name)}" if name else ""
        return f"{root}/{self.version}{space}/{self.plural}{last}"


class _Subresource(msgspec.Struct):
    subresource: str = ""


class _ResponseKind(msgspec.Struct):
    kind: str = ""


class _Served(msgspec.Struct, rename={"response_kind": "responseKind"}):
    resource: str = ""
    response_kind: _ResponseKind = msgspec.field(default_factory=_ResponseKind)
    scope: str = ""
    verbs: tuple[str, ...] = ()
    subresources: tuple[_Subresource, ...] = ()


class _Version(msgspec.Struct):
    version: str = ""
    resources: tuple[_Served, ...] = ()
    freshness: str = ""


class _Name(msgspec.Struct):
    name: str = ""


class _Group(msgspec.Struct):
    metadata: _Name = msgspec.field(default_factory=_Name)
    versions: tuple[_Version, ...] = ()


class _Aggregated(msgspec.Struct):
    kind: str = ""
    items: tuple[_Group, ...] | None = None


class _PlainVersion(msgspec.Struct):
    version: str = ""


class _PlainGroup(msgspec.Struct):
    name: str = ""
    versions: tuple[_PlainVersion, ...] = ()


class _PlainGroups(msgspec.Struct):
    groups: tuple[_PlainGroup, ...] = ()


class _PlainResource(msgspec.Struct):
    name: str = ""
    kind: str = ""
    namespaced: bool = False
    verbs: tuple[str, ...] = ()


class _PlainResources(msgspec.Struct):
    resources: tuple[_PlainResource, ...] = ()


async def discover(http: Http, wanted: Iterable[Kind]) -> dict[Kind, Resource]:
    """Those of the wanted kinds that are served, each in the version that the server prefers."""
    kinds = frozenset(wanted)
    found: dict[Kind, Resource] = {}
    for root in ("/api", "/apis"):
        told = await _asked(http, root, accept=AGGREGATED)
        listed = _decoded(told, _Aggregated)
        if listed.kind == "APIGroupDiscoveryList":
            found |= _read(listed, kinds)
        elif root == "/api":
            found |= await _plainly(http, {"": ("v1",)}, kinds)
        else:
            groups = _decoded(told, _PlainGroups).groups
            versions = {g.name: tuple(v.version for v in g.versions) for g in groups}
            found |= await _plainly(http, versions, kinds)
    return found


def _read(listed: _Aggregated, kinds: frozenset[Kind]) -> dict[Kind, Resource]:
    found: dict[Kind, Resource] = {}
    everything = (
        (Kind(group.metadata.name, served.response_kind.kind), version.version, served)
        for group in listed.items or ()
        for version in group.versions
        for served in version.resources
    )
    for kind, version, served in everything:
        if kind in kinds and "watch" in served.verbs:
            has_status = any(s.subresource == "status" for s in served.subresources)
            is_namespaced = served.scope == "Namespaced"
            resource = Resource(kind, version, served.resource, is_namespaced, has_status)
            found.setdefault(kind, resource)
    return found


async def _plainly(
    http: Http, versions: Mapping[str, tuple[str, ...]], kinds: frozenset[Kind]
) -> dict[Kind, Resource]:
    found: dict[Kind, Resource] = {}
    groups = {kind.group for kind in kinds}
    wanted = [(g, v) for g, each in versions.items() if g in groups for v in each]
    for group, version in wanted:
        root = f"/apis/{group}/{version}" if group else f"/api/{version}"
        listed = _decoded(await _asked(http, root), _PlainResources).resources
        with_status = {r.name.removesuffix("/status") for r in listed if r.name.endswith("/status")}
        for served in listed:
            kind = Kind(group, served.kind)
            if kind in kinds and "/" not in served.name and "watch" in served.verbs:
                has_status = served.name in with_status
                resource = Resource(kind, version, served.name, served.namespaced, has_status)
                found.setdefault(kind, resource)
    return found


async def _asked(http: Http, path: str, *, accept: str = JSON) -> bytes:
    reply = await http.get(path, accept=accept)
    if reply.code == 404:
        return b"{}"
    if reply.code != 200:
        raise errors.Refused(reply.code, client.refusal(reply.body).message, where=f"get {path}")
    return reply.body


def _decoded(body: bytes, shape: type[Shape]) -> Shape:
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.MsgspecError as error:
        raise errors.Refused(200, f"what it serves cannot be read: {error}") from error
