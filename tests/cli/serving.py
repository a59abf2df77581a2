"""A small API server for commands that only list: real HTTP on loopback, objects from manifests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml
from given import Manifest

from fullcrew import objects
from fullcrew.cli.cluster import COLLECTIONS

__all__ = ["kubeconfig", "serving"]

PAGE = 2  # objects of a page, whatever was asked for


@contextmanager
def serving(*manifests: Manifest, forbidden: str = "") -> Iterator[str]:
    """The address of a server that has these objects; kinds without objects are not served.

    `forbidden` is a plural that the user may not list.
    """
    lists: dict[str, list[Manifest]] = {}
    for manifest in manifests:
        kind = objects.kind_of(manifest["apiVersion"], manifest["kind"])
        assert kind is not None
        lists.setdefault(COLLECTIONS[kind], []).append(manifest)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(lists, forbidden))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def kubeconfig(folder: Path, server: str, *, namespace: str = "default") -> Path:
    """A kubeconfig for it, with a context that has a namespace."""
    path = folder / "kubeconfig"
    context = {"cluster": "c", "user": "u", "namespace": namespace}
    config = {
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "here", "context": context}],
        "current-context": "here",
    }
    path.write_text(yaml.safe_dump(config))
    return path


def _handler(lists: Mapping[str, list[Manifest]], forbidden: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each answer waits for an acknowledgement

        def do_GET(self) -> None:
            split = urlsplit(self.path)
            if forbidden and split.path.endswith(f"/{forbidden}"):
                self._answer(403, {"kind": "Status", "message": "you may not"})
                return
            found = lists.get(split.path)
            if found is None:
                self._answer(404, {"kind": "Status", "message": "not found"})
                return
            start = int(parse_qs(split.query).get("continue", ["0"])[0])
            after = start + PAGE
            more = {"continue": str(after)} if after < len(found) else {}
            self._answer(200, {"items": found[start:after], "metadata": more})

        def _answer(self, code: int, told: Mapping[str, Any]) -> None:
            body = json.dumps(told).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_told: object) -> None:
            pass

    return Handler
