"""Requests that wait for their answer, for commands and users' programs: no event loop, no NumPy.

Commands make a handful of requests; what matters is how soon the first one is out, so this is the
standard library's HTTP on one connection.
"""

from __future__ import annotations

import base64
import http.client
import ssl
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Self
from urllib.parse import SplitResult, quote, unquote, urlencode, urlsplit

import msgspec

from fullcrew import errors
from fullcrew.client.credentials import Credentials
from fullcrew.client.kubeconfig import Access
from fullcrew.objects.status import Status

__all__ = ["Client", "Refusal", "in_path", "refusal"]

SECONDS = 30.0
PAGE = 1000
JSON = "application/json"
AGENT = "fullcrew"  # as audit logs show it


class Refusal(NamedTuple):
    """What a Status of the server says, in the few words that matter."""

    message: str
    cause: str = ""  # of the first detail, as NamespaceTerminating
    after_seconds: float = 0.0


def refusal(body: bytes) -> Refusal:
    """The words of an answer that is no success; proxies answer with anything, so any text does."""
    try:
        status = msgspec.json.decode(body, type=Status)
    except msgspec.MsgspecError:
        return Refusal(body[:300].decode(errors="replace").strip() or "no words")
    details = status.details
    cause = details.causes[0].reason if details.causes else ""
    return Refusal(
        status.message or status.reason or "no words", cause, float(details.retry_after_seconds)
    )


class _ListMeta(msgspec.Struct, rename={"resource_version": "resourceVersion", "more": "continue"}):
    resource_version: str = ""
    more: str = ""


class _Page(msgspec.Struct):
    items: tuple[msgspec.Raw, ...] | None = None
    metadata: _ListMeta = msgspec.field(default_factory=_ListMeta)


class Client:
    """One user of one API server. Paths are the server's own, as `/api/v1/nodes`."""

    def __init__(self, access: Access, *, seconds: float = SECONDS) -> None:
        self.access = access
        self._credentials = Credentials(access)
        self._seconds = seconds
        self._connection: http.client.HTTPConnection | None = None
        self._prefix = urlsplit(access.server).path.rstrip("/")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, path: str) -> bytes | None:
        """The object at this path, as bytes; None where there is none."""
        code, body = self.request("GET", path)
        if code == 404:
            return None
        return self._accepted(code, body, "get", path)

    def list(self, path: str) -> Iterator[msgspec.Raw]:
        """Each object of a collection, page by page; nothing where the server has no such kind.

        Pages that are asked for too late are gone (410): then all is listed once more, at one go.
        """
        found: list[msgspec.Raw] = []
        query = {"limit": str(PAGE)}
        while True:
            code, body = self.request("GET", f"{path}?{urlencode(query)}" if query else path)
            if code == 404:
                return
            if code == 410 and "continue" in query:
                found, query = [], {}
                continue
            page = self._page(self._accepted(code, body, "list", path))
            found += (raw.copy() for raw in page.items or ())
            if not page.metadata.more:
                break
            query = {"limit": str(PAGE), "continue": page.metadata.more}
        yield from found

    def request(
        self, method: str, path: str, body: bytes | None = None, *, content: str = JSON
    ) -> tuple[int, bytes]:
        """One request: the code and body of its answer.

        Credentials that the server refuses are renewed once. A connection that went stale while it
        was idle is replaced once, for reads: a write may have been carried out before it broke.
        """
        code, answer = self._sent(method, path, body, content)
        if code != 401:
            return code, answer
        self._credentials.rejected()
        self.close()  # a certificate belongs to its connection
        return self._sent(method, path, body, content)

    def _sent(self, method: str, path: str, body: bytes | None, content: str) -> tuple[int, bytes]:
        headers = {"Accept": JSON, "Content-Type": content, "User-Agent": AGENT}
        headers |= self._credentials.headers()
        may_be_stale = self._connection is not None and method == "GET"
        try:
            return self._exchange(method, path, body, headers)
        except (http.client.HTTPException, OSError) as error:
            self.close()
            if not may_be_stale or isinstance(error, TimeoutError):
                raise errors.Unreachable(self.access.server, problem=_told(error)) from error
        return self._sent(method, path, body, content)

    def _page(self, body: bytes) -> _Page:
        try:
            return msgspec.json.decode(body, type=_Page)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            problem = f"it answered with what is no list: {error}"
            raise errors.Unreachable(self.access.server, problem=problem) from error

    def close(self) -> None:
        """Lets the connection go; the next request makes another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _accepted(self, code: int, body: bytes, verb: str, path: str) -> bytes:
        if 200 <= code < 300:
            return body
        words = refusal(body).message
        if code == 403:
            raise errors.Forbidden(verb, _resource_in(path))
        raise errors.Refused(code, words, where=f"{verb} {path}")

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        connection = self._connected()
        connection.putrequest(method, self._prefix + path, skip_accept_encoding=True)
        for name, written in (*headers.items(), *self._credentials.extra):
            connection.putheader(name, written)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def _connected(self) -> http.client.HTTPConnection:
        if self._connection is None:
            self._connection = _connection(self.access, self._credentials, self._seconds)
        return self._connection


def _connection(
    access: Access, credentials: Credentials, seconds: float
) -> http.client.HTTPConnection:
    split = urlsplit(access.server)
    host, port = split.hostname or "", split.port
    via = urlsplit(access.proxy) if access.proxy else None
    if via is not None and via.scheme not in {"http", ""}:
        raise errors.BadInput(
            f"a proxy of kind {via.scheme!r} is not supported",
            try_this="an HTTP proxy in the cluster's proxy-url",
            where=access.proxy,
        )
    reached = (via.hostname or "", via.port or 3128) if via else (host, port)
    tls = credentials.tls()
    connection: http.client.HTTPConnection
    if tls is None:
        connection = http.client.HTTPConnection(*reached, timeout=seconds)
    else:
        connection = _NamedConnection(*reached, timeout=seconds, context=tls)
        connection.verified_name = access.server_name
    if via is not None:
        connection.set_tunnel(host, port or (443 if tls else 80), headers=_to_proxy(via))
    return connection


def _to_proxy(via: SplitResult) -> dict[str, str]:
    """Who we are to the proxy, where its address says so."""
    if not via.username:
        return {}
    told = f"{unquote(via.username)}:{unquote(via.password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(told).decode()}"}


class _NamedConnection(http.client.HTTPSConnection):
    """TLS under another name than the address's, as `tls-server-name` wants it."""

    verified_name = ""

    def connect(self) -> None:
        """Connects plainly, through the tunnel if there is one, then speaks TLS."""
        if not self.verified_name:
            super().connect()
            return
        http.client.HTTPConnection.connect(self)
        context: ssl.SSLContext = self._context  # type: ignore[attr-defined]
        self.sock = context.wrap_socket(self.sock, server_hostname=self.verified_name)


def _resource_in(path: str) -> str:
    """The plural in a path of the API, without namespace and name."""
    parts = path.strip("/").split("/")
    below = parts[2:] if parts[0] == "api" else parts[3:]
    if below[:1] == ["namespaces"] and len(below) > 2:
        below = below[2:]
    return below[0] if below else path


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


def in_path(name: str) -> str:
    """A name as it stands in a path."""
    return quote(name, safe="")
