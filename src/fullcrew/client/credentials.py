"""Who we are to the API server, kept current: tokens that rotate, certificates, exec plugins.

One object serves the blocking and the asynchronous client alike. `headers` and `tls` are cheap
while nothing expires; where a program must run first, `is_slow` says so beforehand, so that an
event loop can ask from a thread.
"""

from __future__ import annotations

import base64
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from fullcrew import errors
from fullcrew.client.addresses import as_header, as_url, with_scheme
from fullcrew.client.kubeconfig import (
    DEFAULT_PATH,
    PROXIES,
    Access,
    Certificate,
    Exec,
    from_kubeconfig,
    kubeconfig_paths,
)
from fullcrew.client.proxies import proxy_for

__all__ = ["Credentials", "find_access", "in_cluster"]

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
READ_AGAIN_SECONDS = 60.0  # a kubelet renews a token long before it ends
RUNS_OUT_SECONDS = 10.0  # what ends so soon is renewed first
PLUGIN_SECONDS = 60.0


def find_access(*, kubeconfig: str = "", context: str = "", master: str = "") -> Access:
    """What was asked for, else KUBECONFIG, else this pod's account, else the file at home.

    A proxy that the cluster's entry does not name is the environment's.
    """
    access = _found(kubeconfig, context, master)
    if access.proxy or not (proxy := proxy_for(access.server, os.environ)):
        return access
    name = f"{access.server.partition(':')[0].upper()}_PROXY"
    return replace(access, proxy=as_url(proxy, what="the proxy", where=name, schemes=PROXIES))


def _found(kubeconfig: str, context: str, master: str) -> Access:
    if master and not kubeconfig and not os.environ.get("KUBECONFIG") and not context:
        return Access(server=with_scheme(master))
    if kubeconfig or context or os.environ.get("KUBECONFIG"):
        return from_kubeconfig(kubeconfig_paths(kubeconfig), context=context, master=master)
    if (access := in_cluster()) is not None:
        return access
    if not (Path.home() / DEFAULT_PATH).exists():
        raise errors.BadInput(
            "no cluster is known: no kubeconfig, and this is no pod",
            try_this="--kubeconfig FILE, or set KUBECONFIG",
        )
    return from_kubeconfig(kubeconfig_paths(), context=context, master=master)


def in_cluster(folder: Path = SERVICE_ACCOUNT) -> Access | None:
    """The access of the pod that we run in; None where this is no pod."""
    host = os.environ.get("KUBERNETES_SERVICE_HOST")
    token = folder / "token"
    if not host or not token.exists():
        return None
    port = os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    bracketed = f"[{host}]" if ":" in host else host
    try:
        namespace = (folder / "namespace").read_text("utf-8").strip()
    except OSError:  # not every way to mount a token brings it along
        namespace = ""
    return Access(
        server=f"https://{bracketed}:{port}",
        namespace=namespace or "default",
        authority=Certificate(path=folder / "ca.crt"),
        token_path=token,
    )


@dataclass(slots=True)
class _Given:
    """What an exec plugin gave, until when."""

    token: str
    certificate: bytes
    key: bytes
    ends_at: float


class Credentials:
    """The current headers and TLS settings of one access. Safe to use from several threads."""

    def __init__(self, access: Access, *, clock: Callable[[], float] = time.time) -> None:
        self.access = access
        self._clock = clock
        self._lock = threading.Lock()
        self._given: _Given | None = None
        self._token = ("", float("-inf"))  # and when it was read
        self._tls: ssl.SSLContext | None = None
        self._tls_made_of: tuple[object, ...] = ()
        self._tls_checked_at = float("-inf")

    @property
    def is_slow(self) -> bool:
        """Whether the next question runs a program."""
        return self.access.exec is not None and self._needs_plugin()

    def headers(self) -> dict[str, str]:
        """What each request carries. Impersonated groups are several headers: see `extra`."""
        if token := self._current_token():
            return {"Authorization": f"Bearer {token}"}
        if self.access.basic is not None:
            told = ":".join(self.access.basic).encode()
            return {"Authorization": f"Basic {base64.b64encode(told).decode()}"}
        return {}

    @property
    def extra(self) -> tuple[tuple[str, str], ...]:
        """Headers that may stand several times."""
        return self.access.impersonate

    def tls(self) -> ssl.SSLContext | None:
        """The settings for new connections; made anew when a file changed. None for plain HTTP."""
        if not self.access.server.startswith("https://"):
            return None
        with self._lock:
            now = self._clock()
            given = self._plugin_credentials()
            if self._tls is None or given or now - self._tls_checked_at > READ_AGAIN_SECONDS:
                made_of = (*self._stamps(), given and given.certificate)
                if self._tls is None or made_of != self._tls_made_of:
                    self._tls = _tls(self.access, given)
                    self._tls_made_of = made_of
                self._tls_checked_at = now
            return self._tls

    def rejected(self) -> None:
        """The server answered 401: what we remember is not asked again."""
        with self._lock:
            self._token = (self._token[0], float("-inf"))
            self._given = None

    def _current_token(self) -> str:
        with self._lock:
            if (given := self._plugin_credentials()) is not None:
                return given.token
            path = self.access.token_path
            token, read_at = self._token
            if path is not None and self._clock() - read_at > READ_AGAIN_SECONDS:
                token = _token_in(path, otherwise=token or self.access.token)
                self._token = (token, self._clock())
            return token or self.access.token

    def _needs_plugin(self) -> bool:
        return self._given is None or self._given.ends_at - RUNS_OUT_SECONDS < self._clock()

    def _plugin_credentials(self) -> _Given | None:
        if self.access.exec is None:
            return None
        if self._given is None or self._needs_plugin():
            self._given = _asked(self.access.exec, self.access)
        return self._given

    def _stamps(self) -> tuple[object, ...]:
        """What tells a changed file."""
        parts = (self.access.authority, self.access.certificate, self.access.key)
        return tuple(_stamp(part.path) for part in parts if part.path is not None)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def _token_in(path: Path, *, otherwise: str) -> str:
    try:
        read = path.read_text(encoding="utf-8").strip()
        return as_header(read, what="the token in it", where=str(path)) or otherwise
    except OSError as error:
        if otherwise:  # it is being replaced: the one we have is good for a while
            return otherwise
        raise errors.BadInput(
            f"the token cannot be read: {error.strerror}",
            try_this="is the service account's token mounted?",
            where=str(path),
        ) from error
    except UnicodeDecodeError as error:
        raise errors.BadInput(
            f"this is no token: {error}", try_this="the text of a token", where=str(path)
        ) from error


def _tls(access: Access, given: _Given | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    # Python 3.13 began to refuse authorities without key identifiers, as many clusters have.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    try:
        if access.authority.is_there:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody else
            text = access.authority.read().decode("ascii", errors="ignore")  # umlauts in comments
            context.load_verify_locations(cadata=text)
        if access.is_insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if given is not None and given.certificate:
            _load(context, given.certificate, given.key)
        elif access.certificate.is_there:
            _load(context, access.certificate.read(), access.key.read())
    except (ssl.SSLError, ValueError, TypeError) as error:
        raise errors.BadInput(
            f"a certificate or key is not valid PEM: {error}",
            try_this="kubectl config view --raw; are certificate and key a pair?",
            where=access.server,
        ) from error
    context.set_alpn_protocols(["http/1.1"])
    return context


def _load(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """OpenSSL reads a pair from files only; ours is there for a moment and for its owner alone.

    The empty password keeps it from asking for one at the terminal.
    """
    with tempfile.NamedTemporaryFile(prefix="fullcrew-", suffix=".pem") as file:
        file.write(certificate.rstrip() + b"\n" + key.rstrip() + b"\n")
        file.flush()
        context.load_cert_chain(file.name, password="")


def _asked(plugin: Exec, access: Access) -> _Given:
    """Runs the program and reads what it prints; it may talk to whoever sits at our terminal."""
    may_talk = plugin.interactive != "Never" and sys.stdin is not None and sys.stdin.isatty()
    if plugin.interactive == "Always" and not may_talk:
        raise _plugin_failed(plugin, "it wants a terminal (interactiveMode: Always)")
    program = plugin.command[0]
    if plugin.folder is not None and "/" in program:
        program = str(plugin.folder / Path(program).expanduser())
    told: dict[str, Any] = {"interactive": may_talk}
    if plugin.tells_cluster:
        told["cluster"] = _cluster(access, plugin)
    wish = {"apiVersion": plugin.version, "kind": "ExecCredential", "spec": told}
    environment = {**os.environ, **dict(plugin.environment)}
    environment["KUBERNETES_EXEC_INFO"] = msgspec.json.encode(wish).decode()
    try:
        done = subprocess.run(
            [program, *plugin.command[1:]],
            stdin=None if may_talk else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None if may_talk else subprocess.PIPE,
            check=True,
            env=environment,
            timeout=None if may_talk else PLUGIN_SECONDS,
        )
    except FileNotFoundError as error:
        hint = plugin.hint.strip() or f"install {plugin.command[0]}, or put it on PATH"
        raise _plugin_failed(plugin, "it is not there", try_this=hint) from error
    except subprocess.CalledProcessError as error:
        words = (error.stderr or b"").decode(errors="replace").strip()[-300:]
        raise _plugin_failed(plugin, f"it ended with {error.returncode}: {words}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _plugin_failed(plugin, str(error)) from error
    return _read(plugin, done.stdout)


def _cluster(access: Access, plugin: Exec) -> Mapping[str, Any]:
    told: dict[str, Any] = {"server": access.server}
    if access.authority.is_there:
        told["certificate-authority-data"] = base64.b64encode(access.authority.read()).decode()
    if access.is_insecure:
        told["insecure-skip-tls-verify"] = True
    if access.server_name:
        told["tls-server-name"] = access.server_name
    if access.proxy:
        told["proxy-url"] = access.proxy
    if plugin.config is not None:
        told["config"] = plugin.config
    return told


class _Status(msgspec.Struct, rename="camel"):
    token: str | None = None
    client_certificate_data: str | None = None
    client_key_data: str | None = None
    expiration_timestamp: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class _Credential(msgspec.Struct, rename="camel"):
    api_version: str
    status: _Status


def _read(plugin: Exec, printed: bytes) -> _Given:
    try:
        told = msgspec.json.decode(printed, type=_Credential)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _plugin_failed(plugin, f"it printed no ExecCredential: {error}") from error
    if told.api_version != plugin.version:
        raise _plugin_failed(plugin, f"it speaks {told.api_version}, not {plugin.version}")
    status = told.status
    certificate, key = status.client_certificate_data or "", status.client_key_data or ""
    if bool(certificate) != bool(key):
        raise _plugin_failed(plugin, "a certificate and its key come together or not at all")
    if not certificate and not status.token:
        raise _plugin_failed(plugin, "neither a token nor a certificate is in what it printed")
    as_header((status.token or "").strip(), what="its token", where=plugin.command[0])
    ends = status.expiration_timestamp
    return _Given(
        token=(status.token or "").strip(),
        certificate=certificate.encode(),
        key=key.encode(),
        ends_at=ends.timestamp() if ends is not None else float("inf"),
    )


def _plugin_failed(plugin: Exec, problem: str, *, try_this: str = "") -> errors.BadInput:
    command = " ".join(plugin.command)
    return errors.BadInput(
        f"the credential plugin {plugin.command[0]!r} gave nothing: {problem}",
        try_this=try_this or f"run it yourself: {command}",
    )
