"""A small API server in memory: pods, bindings, groups, leases, lists and watches, and faults.

`FakeApi.send` is what `Flow` needs of `Http`, without a socket; `serving` puts the same behind one.
A fault is a function that gets the request and the answer it would have; see `Fault`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web

from fullcrew import client, errors, kube
from fullcrew.kube import Reply, Wish

Object = dict[str, Any]

COLLECTIONS = {"pods", "podgroups", "leases", "events"}
EVERYTHING_TOLD = {"k8s.io/initial-events-end": "true"}


def status(code: int, reason: str = "", *, cause: str = "", message: str = "no") -> bytes:
    """A refusal as the server words it."""
    details = {"causes": [{"reason": cause}]} if cause else {}
    told = {"kind": "Status", "code": code, "reason": reason, "message": message}
    return json.dumps({**told, "details": details}).encode()


@dataclass(slots=True)
class Fault:
    """What happens to requests that it picks, for so many of them. Lost answers are code 0."""

    picks: Callable[[Wish], bool]
    answers: Iterable[Reply]
    is_after: bool = False  # the server acts first

    def strike(self) -> Reply | None:
        """The next answer instead of the server's; None when it has done enough."""
        return next(iter(self.answers), None)


LOST = Reply(0, b"")


@dataclass
class FakeApi:
    """Objects by path, each with uid and revision. `heard` tells what arrived, in order."""

    objects: dict[str, Object] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    heard: list[Wish] = field(default_factory=list)
    events: list[Object] = field(default_factory=list)
    revision: int = 100
    oldest: int = 0
    latency: float = 0.0
    under_way: int = 0
    most_under_way: int = 0
    is_due: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    tells_all: bool = False
    page_limit: int = 0
    tells_rest: bool = False  # how many follow on further pages

    async def look_again(self) -> None:
        """Credentials never run out here."""

    def add(self, path: str, document: Mapping[str, Any]) -> Object:
        """Puts an object in, as somebody else would."""
        return self._put(path, json.loads(json.dumps(document)), "ADDED")

    def remove(self, path: str) -> None:
        """Takes one out."""
        gone = self.objects.pop(path)
        self.revision += 1
        gone["metadata"]["resourceVersion"] = str(self.revision)
        self._tell("DELETED", path, gone)

    def add_pod(self, pod: str, uid: str = "", **spec: object) -> Object:
        """A pod by namespace/name."""
        namespace, name = pod.split("/")
        metadata = {"name": name, "namespace": namespace, "uid": uid or f"uid-{name}"}
        path = f"/api/v1/namespaces/{namespace}/pods/{name}"
        return self.add(path, {"metadata": metadata, "spec": spec})

    def node_of(self, pod: str) -> str:
        """Where a pod is bound; "" where it is not."""
        namespace, name = pod.split("/")
        found = self.objects[f"/api/v1/namespaces/{namespace}/pods/{name}"]
        return str(found["spec"].get("nodeName", ""))

    def fail(self, what: str, *answers: Reply, is_after: bool = False) -> None:
        """The next requests whose "METHOD path" contains `what` get these answers."""
        told = iter(answers)
        self.faults.append(Fault(lambda w: what in f"{w.method} {w.path}", told, is_after))

    async def send(self, wish: Wish) -> Reply:
        """One request, as `Http.send` would carry it."""
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(self.latency)
            reply = self.reply(wish)
        finally:
            self.under_way -= 1
        if reply.code == 0:
            raise errors.Unreachable("http://fake", problem="the answer was lost")
        return reply

    async def request(
        self, method: str, path: str, *, body: bytes | None = None, seconds: float = 30.0
    ) -> Reply:
        """As `Http.request`."""
        return await self.send(Wish(method, path, body, seconds=seconds))

    def reply(self, wish: Wish) -> Reply:
        """What the client gets, faults included."""
        self.heard.append(wish)
        for fault in self.faults:
            if fault.picks(wish) and (struck := fault.strike()) is not None:
                if fault.is_after:
                    self.act(wish)
                return struck
        return self.act(wish)

    def act(self, wish: Wish) -> Reply:
        """What the server does."""
        path, _, query = wish.path.partition("?")
        body = json.loads(wish.body) if wish.body else {}
        if path.endswith("/binding"):
            return self._bind(path.removesuffix("/binding"), body)
        if wish.method == "POST":
            return self._create(f"{path}/{body['metadata']['name']}", body)
        if wish.method == "PUT":
            return self._update(path, body)
        if wish.method == "DELETE":
            return self._delete(path, body)
        return self._get(path, dict(parse_qsl(query)))

    def _get(self, path: str, asked: Mapping[str, str]) -> Reply:
        if path in self.objects:
            return _said(200, self.objects[path])
        if path.rpartition("/")[2] in COLLECTIONS:
            return self._list(path, asked)
        return Reply(404, status(404, "NotFound"))

    def _create(self, path: str, body: Object) -> Reply:
        if path in self.objects:
            return Reply(409, status(409, "AlreadyExists"))
        return _said(201, self._put(path, body, "ADDED"))

    def _bind(self, path: str, body: Object) -> Reply:
        pod = self.objects.get(path)
        if pod is None:
            return Reply(404, status(404, "NotFound"))
        wants, has = body["metadata"].get("uid"), pod["metadata"]["uid"]
        if (wants and wants != has) or pod["spec"].get("nodeName") or pod["spec"].get("gated"):
            return Reply(409, status(409, "Conflict"))
        pod["metadata"].setdefault("annotations", {}).update(body["metadata"]["annotations"])
        pod["spec"]["nodeName"] = body["target"]["name"]
        self._put(path, pod, "MODIFIED")
        return Reply(201, b'{"kind":"Status","status":"Success","code":201}')

    def _update(self, path: str, body: Object) -> Reply:
        found = self.objects.get(path)
        if found is None:
            return Reply(404, status(404, "NotFound"))
        if body["metadata"].get("resourceVersion") != found["metadata"]["resourceVersion"]:
            return Reply(409, status(409, "Conflict"))
        return _said(200, self._put(path, body, "MODIFIED"))

    def _delete(self, path: str, body: Object) -> Reply:
        found = self.objects.get(path)
        if found is None:
            return Reply(404, status(404, "NotFound"))
        if body.get("preconditions", {}).get("uid") not in {None, found["metadata"]["uid"]}:
            return Reply(409, status(409, "Conflict"))
        self.remove(path)
        return _said(200, found)

    def _list(self, path: str, asked: Mapping[str, str]) -> Reply:
        limit = self.page_limit or int(asked.get("limit", "0")) or 1 << 30
        first = int(asked.get("continue", "0"))
        found = self.under(path)
        more = str(first + limit) if first + limit < len(found) else ""
        metadata: Object = {"resourceVersion": str(self.revision)}
        if more:
            metadata["continue"] = more
        if more and self.tells_rest:
            metadata["remainingItemCount"] = len(found) - first - limit
        return _said(200, {"metadata": metadata, "items": found[first : first + limit]})

    def under(self, path: str) -> list[Object]:
        """All objects of a collection, in one namespace or in all."""
        *root, plural = path.split("/")
        start, end = f"{'/'.join(root)}/", f"/{plural}/"
        return [o for p, o in sorted(self.objects.items()) if p.startswith(start) and end in p]

    def _put(self, path: str, document: Object, word: str) -> Object:
        self.revision += 1
        document["metadata"]["resourceVersion"] = str(self.revision)
        self.objects[path] = document
        self._tell(word, path, document)
        return document

    def _tell(self, word: str, path: str, document: Object) -> None:
        copy = json.loads(json.dumps(document))
        self.events.append({"path": path, "line": {"type": word, "object": copy}})
        self.changed.set()
        self.changed = asyncio.Event()


def _said(code: int, document: Object) -> Reply:
    return Reply(code, json.dumps(document).encode())


async def _streamed(
    api: FakeApi, request: web.Request, asked: Mapping[str, str]
) -> web.StreamResponse:
    """A watch, until the client goes."""
    if asked.get("sendInitialEvents") and not api.tells_all:
        return _answer(Reply(422, status(422, "Invalid")))
    if asked.get("resourceVersion", "") and int(asked["resourceVersion"]) < api.oldest:
        line = {"type": "ERROR", "object": json.loads(status(410, "Expired"))}
        return web.Response(body=json.dumps(line).encode() + b"\n")
    answer = web.StreamResponse()
    await answer.prepare(request)
    since = int(asked.get("resourceVersion") or api.revision)
    if asked.get("sendInitialEvents"):
        for each in api.under(request.path):
            await answer.write(_line({"type": "ADDED", "object": each}))
        told = {"resourceVersion": str(api.revision), "annotations": EVERYTHING_TOLD}
        await answer.write(_line({"type": "BOOKMARK", "object": {"metadata": told}}))
    *root, plural = request.path.split("/")
    start, end = f"{'/'.join(root)}/", f"/{plural}/"
    while True:
        changed = api.changed
        for event in api.events:
            revision = int(event["line"]["object"]["metadata"]["resourceVersion"])
            if revision > since and event["path"].startswith(start) and end in event["path"]:
                since = revision
                await answer.write(_line(event["line"]))
        await changed.wait()


def _line(told: Object) -> bytes:
    return json.dumps(told).encode() + b"\n"


def _answer(reply: Reply) -> web.Response:
    headers = {"Retry-After": str(int(reply.after_seconds))} if reply.after_seconds else {}
    return web.Response(status=reply.code, body=reply.body, headers=headers)


@asynccontextmanager
async def serving(api: FakeApi) -> AsyncIterator[kube.Http]:
    """The fake behind a socket, and a client of it."""

    async def handle(request: web.Request) -> web.StreamResponse:
        wish = Wish(request.method, request.path_qs, await request.read())
        if request.query.get("watch"):
            api.heard.append(wish)
            for fault in api.faults:
                if fault.picks(wish) and (struck := fault.strike()) is not None:
                    return await _played(struck, request)
            return await _streamed(api, request, request.query)
        reply = api.reply(wish)
        if reply.code == 0 and request.transport is not None:
            request.transport.abort()
            return web.Response()
        return _answer(reply)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.01)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    http = kube.Http(client.Access(server=f"http://{host}:{port}"))
    try:
        yield http
    finally:
        await http.close()
        await runner.cleanup()


async def _played(reply: Reply, request: web.Request) -> web.StreamResponse:
    """A watch that is answered by a fault: code 200 plays the bytes and cuts the connection."""
    if reply.code != 200:
        return _answer(reply)
    answer = web.StreamResponse()
    await answer.prepare(request)
    await answer.write(reply.body)
    if request.transport is not None:
        request.transport.close()
    return answer
