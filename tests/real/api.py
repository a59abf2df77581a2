"""A small client of the API server that shares no code with Fullcrew.

The tests arrange and judge with it, so a fault in the product's client cannot hide itself. It is
blocking, safe to use from several threads, and keeps as many connections as were busy at a time.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

Object = dict[str, Any]

MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
JSON = "application/json"
_PAGE = 2000


class ApiRefused(Exception):
    """The server answered with a Status that is no success."""

    def __init__(self, code: int, message: str, *, where: str) -> None:
        super().__init__(f"{where}: {code} {message}")
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Listed:
    """A whole collection at one revision."""

    items: list[Object]
    revision: str


class Watch:
    """Events of one collection, bookmarks included, until the server or `close` ends them."""

    def __init__(self, connection: http.client.HTTPSConnection, path: str, since: str) -> None:
        query = urlencode({"watch": "1", "resourceVersion": since, "allowWatchBookmarks": "true"})
        connection.request("GET", f"{path}?{query}", headers={"Accept": JSON})
        self._answer = connection.getresponse()
        self._connection = connection
        if self._answer.status != 200:
            words = _words(self._answer.read())
            connection.close()
            raise ApiRefused(self._answer.status, words, where=f"watch {path}")

    def __iter__(self) -> Iterator[Object]:
        """Event after event; returns when the connection is gone."""
        try:
            with suppress(OSError, ValueError, http.client.HTTPException):  # however it was cut
                for line in self._answer:
                    yield json.loads(line)
        finally:
            self._answer.close()
            self._connection.close()

    def close(self) -> None:
        """From any thread: whoever reads is woken and finds the end. The socket itself is left
        to that reader, because closing it under a read is not safe in TLS."""
        sock: socket.socket | None = self._connection.sock
        if sock is not None:
            with suppress(OSError), socket.socket(fileno=os.dup(sock.fileno())) as same:
                same.shutdown(socket.SHUT_RDWR)


class Api:
    """Requests as one user. Paths are the server's own, such as /api/v1/nodes."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext) -> None:
        self._host = host
        self._port = port
        self._tls = tls
        self._idle: list[http.client.HTTPSConnection] = []  # append and pop are atomic
        self._kinds: dict[tuple[str, str], tuple[str, bool]] = {}

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        content: str = JSON,
    ) -> Object:
        """One request and the object it is answered with; anything but 2xx is `ApiRefused`."""
        answer: Object = json.loads(self._accepted(method, path, body, content))
        return answer

    def get(self, path: str) -> Object:
        """The object at this path."""
        return self.request("GET", path)

    def text(self, path: str) -> str:
        """What is no object: health, metrics."""
        return self._accepted("GET", path, None, JSON).decode()

    def list(self, path: str, **query: str) -> Listed:
        """The whole collection, page by page at one revision."""
        items: list[Object] = []
        more = {"limit": str(_PAGE), **query}
        while True:
            page = self.request("GET", f"{path}?{urlencode(more)}")
            items += page["items"]
            following = page["metadata"].get("continue")
            if not following:
                return Listed(items, page["metadata"]["resourceVersion"])
            more["continue"] = following

    def create(self, document: Object) -> Object:
        """POST of a document; its namespace is in it."""
        return self.request("POST", self.path_of(document, named=False), document)

    def apply(self, document: Object) -> Object:
        """Server-side apply: made, or brought into this form."""
        path = f"{self.path_of(document)}?fieldManager=tests&force=true"
        return self.request("PATCH", path, document, content=APPLY)

    def patch(self, path: str, change: Mapping[str, Any]) -> Object:
        """A JSON merge patch."""
        answer: Object = self.request("PATCH", path, change, content=MERGE)
        return answer

    def delete(self, path: str, *, grace_seconds: int | None = None) -> bool:
        """Whether there was something to delete: one object, or a whole collection."""
        options: Object = {} if grace_seconds is None else {"gracePeriodSeconds": grace_seconds}
        try:
            self.request("DELETE", path, options)
        except ApiRefused as refused:
            if refused.code != 404:
                raise
            return False
        return True

    def watch(self, path: str, since: str) -> Watch:
        """What happens after a revision, on a connection of its own."""
        return Watch(
            http.client.HTTPSConnection(self._host, self._port, context=self._tls), path, since
        )

    def close(self) -> None:
        """Ends the connections that nobody uses now."""
        while self._idle:
            self._idle.pop().close()

    def path_of(self, document: Object, *, named: bool = True) -> str:
        """Where a document lives, by the server's own discovery."""
        version, kind = document["apiVersion"], document["kind"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        plural, is_namespaced = self._kind(root, version, kind)
        metadata = document["metadata"]
        space = f"/namespaces/{metadata.get('namespace', 'default')}" if is_namespaced else ""
        return f"{root}{space}/{plural}" + (f"/{quote(metadata['name'])}" if named else "")

    def _kind(self, root: str, version: str, kind: str) -> tuple[str, bool]:
        if (version, kind) not in self._kinds:
            for resource in self.get(root)["resources"]:
                if "/" not in resource["name"]:
                    found = (resource["name"], resource["namespaced"])
                    self._kinds[version, resource["kind"]] = found
        return self._kinds[version, kind]

    def _accepted(
        self, method: str, path: str, body: Mapping[str, Any] | None, content: str
    ) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": content, "Accept": JSON}
        code, answer = self._exchange(method, path, data, headers)
        if not 200 <= code < 300:
            raise ApiRefused(code, _words(answer), where=f"{method} {path}")
        return answer

    def _exchange(
        self, method: str, path: str, data: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """On the thread's connection; once more on a fresh one when the server had closed it."""
        for is_last in (False, True):
            connection = self._connection(is_fresh=is_last)
            try:
                connection.request(method, path, body=data, headers=dict(headers))
                answer = connection.getresponse()
                code, body = answer.status, answer.read()
            except (http.client.RemoteDisconnected, ConnectionError, ssl.SSLError):
                connection.close()
                if is_last:
                    raise
            except BaseException:
                connection.close()
                raise
            else:
                self._idle.append(connection)
                return code, body
        raise AssertionError("unreachable")

    def _connection(self, *, is_fresh: bool) -> http.client.HTTPSConnection:
        if self._idle and not is_fresh:
            with suppress(IndexError):  # another thread was faster
                return self._idle.pop()
        return http.client.HTTPSConnection(self._host, self._port, context=self._tls, timeout=30)


def _words(answer: bytes) -> str:
    try:
        return str(json.loads(answer)["message"])
    except (ValueError, KeyError, TypeError):
        return answer[:200].decode(errors="replace")
