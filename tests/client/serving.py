"""A server on loopback that answers as it is told to and keeps what it was asked."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

__all__ = ["HANG_UP", "Asked", "Serving", "serving"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    headers: Message
    body: bytes
    connection: int  # the port at the other end

    @property
    def token(self) -> str:
        """The bearer token, if there is one."""
        return str(self.headers.get("Authorization", "")).removeprefix("Bearer ")


Answer = tuple[int, bytes]
HANG_UP: Final[Answer] = (0, b"")  # closes the connection without a word


@dataclass
class Serving:
    """Where it listens, and what it was asked so far."""

    address: str = ""
    asked: list[Asked] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """The paths, in the order of arrival."""
        return [each.path for each in self.asked]


@contextmanager
def serving(
    answer: Callable[[Asked], Answer], *, tls: ssl.SSLContext | None = None
) -> Iterator[Serving]:
    """Serves until the block ends. `answer` runs in the connection's thread."""
    kept = Serving()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(answer, kept))
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    kept.address = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(answer: Callable[[Asked], Answer], kept: Serving) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            asked = Asked(
                self.command,
                self.path,
                self.headers,
                self.rfile.read(length),
                self.client_address[1],
            )
            kept.asked.append(asked)
            told = answer(asked)
            if told == HANG_UP:
                self.close_connection = True
                return
            self.send_response(told[0])
            self.send_header("Content-Length", str(len(told[1])))
            self.end_headers()
            self.wfile.write(told[1])

        do_POST = do_PATCH = do_GET  # noqa: N815

        def do_CONNECT(self) -> None:
            kept.asked.append(Asked("CONNECT", self.path, self.headers, b"", 0))
            self.send_response(502)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Tests are quiet."""

    return Handler
