"""kubeconfig files as kubectl reads them: several merged, contexts, and what a user shows.

Only reading and choosing is here; nothing is connected or executed.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

from fullcrew import errors
from fullcrew.client.addresses import as_header, as_url, with_scheme

__all__ = ["Access", "Certificate", "Exec", "from_kubeconfig", "kubeconfig_paths"]

DEFAULT_PATH = Path(".kube") / "config"
PROXIES = ("http", "https", "socks5")  # kubectl's; which of them serve is told where one is used
PLUGIN_GROUP = "client.authentication.k8s.io"
PLUGIN_VERSIONS = (f"{PLUGIN_GROUP}/v1", f"{PLUGIN_GROUP}/v1beta1")


@dataclass(frozen=True, slots=True)
class Certificate:
    """PEM text, or the file it stands in; files are read again when they change."""

    pem: bytes = b""
    path: Path | None = None

    @property
    def is_there(self) -> bool:
        """Whether one is given at all."""
        return bool(self.pem) or self.path is not None

    def read(self) -> bytes:
        """The PEM text as it is now."""
        if self.path is None:
            return self.pem
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise errors.BadInput(
                f"cannot be read: {error.strerror}",
                try_this="the path stands in the kubeconfig; is it right for this machine?",
                where=str(self.path),
            ) from error


@dataclass(frozen=True, slots=True)
class Exec:
    """A program that gives credentials (`user.exec`), as cloud providers use it."""

    command: tuple[str, ...]
    version: str
    environment: tuple[tuple[str, str], ...] = ()
    hint: str = ""
    tells_cluster: bool = False
    interactive: str = "IfAvailable"  # or Never, or Always
    config: object = None  # the cluster's own words for the plugin, told with the cluster
    folder: Path | None = None  # a command with a slash is relative to its kubeconfig


@dataclass(frozen=True, slots=True)
class Access:
    """All that is needed to talk to one API server as one user. Secrets stay out of its repr."""

    server: str
    namespace: str = "default"
    authority: Certificate = Certificate()
    is_insecure: bool = False
    server_name: str = ""  # to verify instead of the address's own
    proxy: str = ""
    certificate: Certificate = field(default=Certificate(), repr=False)
    key: Certificate = field(default=Certificate(), repr=False)
    token: str = field(default="", repr=False)
    token_path: Path | None = None
    basic: tuple[str, str] | None = field(default=None, repr=False)
    exec: Exec | None = None
    impersonate: tuple[tuple[str, str], ...] = ()  # headers


def kubeconfig_paths(given: str = "") -> tuple[Path, ...]:
    """The files to read: the one given, those of KUBECONFIG, else the one at home."""
    if given:
        return (Path(given),)
    listed = [part for part in os.environ.get("KUBECONFIG", "").split(os.pathsep) if part]
    return tuple(Path(part) for part in listed) or (Path.home() / DEFAULT_PATH,)


def from_kubeconfig(paths: Sequence[Path], *, context: str = "", master: str = "") -> Access:
    """The access that these files give, the first file that knows a name winning."""
    merged = _merged(paths)
    chosen = context or merged.current
    place = ", ".join(str(path) for path in paths)
    if not chosen and not merged.contexts and merged.clusters:
        chosen_context: Mapping[str, Any] = {}
    elif not chosen:
        raise errors.BadInput(
            "no context is chosen", try_this="kubectl config use-context NAME", where=place
        )
    else:
        chosen_context = _named("context", chosen, merged.contexts, where=place)
    access = _access(merged, chosen_context, where=place)
    return replace(access, server=with_scheme(master)) if master else access


@dataclass(slots=True)
class _Merged:
    """Entries by name, each with the folder that its relative paths start from."""

    clusters: dict[str, dict[str, Any]] = field(default_factory=dict)
    users: dict[str, dict[str, Any]] = field(default_factory=dict)
    contexts: dict[str, dict[str, Any]] = field(default_factory=dict)
    current: str = ""


def _merged(paths: Sequence[Path]) -> _Merged:
    merged = _Merged()
    texts = [(path, _text(path, is_only=len(paths) == 1)) for path in paths]
    for path, text in texts:
        config = _parsed(text, path)
        merged.current = merged.current or str(config.get("current-context") or "")
        for plural, single, known in (
            ("clusters", "cluster", merged.clusters),
            ("users", "user", merged.users),
            ("contexts", "context", merged.contexts),
        ):
            _take(config.get(plural) or [], single, known, path)
    return merged


def _text(path: Path, *, is_only: bool) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        if not is_only:  # kubectl passes over what is missing of a list
            return ""
        raise errors.BadInput(
            "there is no such kubeconfig",
            try_this="--kubeconfig FILE, or KUBECONFIG, or run inside the cluster",
            where=str(path),
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise errors.BadInput(
            f"this kubeconfig cannot be read: {error}", try_this=f"ls -l {path}", where=str(path)
        ) from error


def _parsed(text: str, path: Path) -> Mapping[str, Any]:
    try:
        config = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date that is none, say
        raise _malformed(str(error).partition("\n")[0], path) from error
    if config is None:
        return {}
    if not isinstance(config, dict):
        raise _malformed("it is no mapping", path)
    return config


def _take(entries: object, single: str, known: dict[str, dict[str, Any]], path: Path) -> None:
    if not isinstance(entries, list):
        raise _malformed(f"its {single}s are no list", path)
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get(single) or {}, dict):
            raise _malformed(f"a {single} of it is no mapping", path)
        folder = {"": path.parent}  # no key of a kubeconfig is empty
        known.setdefault(str(entry.get("name", "")), {**(entry.get(single) or {}), **folder})


def _named(what: str, name: str, known: Mapping[str, Any], *, where: str) -> Mapping[str, Any]:
    if name not in known:
        raise errors.UnknownName(what, name, known=known, where=where)
    found: Mapping[str, Any] = known[name]
    return found


def _access(merged: _Merged, context: Mapping[str, Any], *, where: str) -> Access:
    cluster_name = str(context.get("cluster") or next(iter(merged.clusters), ""))
    cluster = _named("cluster", cluster_name, merged.clusters, where=where)
    user: Mapping[str, Any] = {"": Path()}
    if context.get("user"):
        user = _named("user", str(context["user"]), merged.users, where=where)
    server = str(cluster.get("server") or "").rstrip("/")
    token = str(user.get("token") or "").strip()
    return Access(
        server=as_url(server, what=f"the server of cluster {cluster_name!r}", where=where),
        namespace=str(context.get("namespace") or "default"),
        authority=_certificate(cluster, "certificate-authority", where=where),
        is_insecure=bool(cluster.get("insecure-skip-tls-verify")),
        server_name=str(cluster.get("tls-server-name") or ""),
        proxy=_proxy(cluster, cluster_name, where=where),
        certificate=_certificate(user, "client-certificate", where=where),
        key=_certificate(user, "client-key", where=where),
        token=as_header(token, what="the token of this user", where=where),
        token_path=_path(user, "tokenFile"),
        basic=(str(user["username"]), str(user.get("password") or ""))
        if user.get("username")
        else None,
        exec=_exec(user, cluster, where=where),
        impersonate=_impersonated(user, where=where),
    )


def _proxy(cluster: Mapping[str, Any], name: str, *, where: str) -> str:
    told = str(cluster.get("proxy-url") or "")
    what = f"the proxy-url of cluster {name!r}"
    return as_url(told, what=what, where=where, schemes=PROXIES) if told else ""


def _certificate(entry: Mapping[str, Any], key: str, *, where: str) -> Certificate:
    inline = entry.get(f"{key}-data")
    if not inline:
        return Certificate(path=_path(entry, key))
    try:
        return Certificate(pem=base64.b64decode(str(inline), validate=False))
    except (binascii.Error, ValueError) as error:
        raise errors.BadInput(
            f"{key}-data is no base64", try_this="kubectl config view --raw", where=where
        ) from error


def _path(entry: Mapping[str, Any], key: str) -> Path | None:
    written = entry.get(key)
    folder: Path = entry[""]
    return folder / Path(str(written)).expanduser() if written else None


def _exec(user: Mapping[str, Any], cluster: Mapping[str, Any], *, where: str) -> Exec | None:
    """The plugin; none where a token or a password stands beside it, which kubectl prefers."""
    told = user.get("exec")
    if not told:
        if user.get("auth-provider"):
            raise errors.BadInput(
                "this user has an auth-provider, which Kubernetes removed in 1.26",
                try_this="an exec plugin, as your provider's documentation has it by now",
                where=where,
            )
        return None
    if not isinstance(told, dict) or not told.get("command"):
        raise errors.BadInput(
            "this user's exec names no command", try_this="kubectl config view", where=where
        )
    if any(user.get(key) for key in ("token", "tokenFile", "username")):
        return None
    version = str(told.get("apiVersion") or PLUGIN_VERSIONS[0])
    if version not in PLUGIN_VERSIONS:
        raise errors.BadInput(
            f"this user's exec plugin speaks {version}",
            try_this=f"apiVersion: one of {', '.join(PLUGIN_VERSIONS)}",
            where=where,
        )
    variables = (v for v in _listed(told, "env", where=where) if isinstance(v, dict))
    return Exec(
        command=(str(told["command"]), *map(str, _listed(told, "args", where=where))),
        version=version,
        environment=tuple((str(v.get("name")), str(v.get("value") or "")) for v in variables),
        hint=str(told.get("installHint") or ""),
        tells_cluster=bool(told.get("provideClusterInfo")),
        interactive=str(told.get("interactiveMode") or "IfAvailable"),
        config=_config_of_plugin(cluster, where=where),
        folder=user[""],
    )


def _config_of_plugin(cluster: Mapping[str, Any], *, where: str) -> object:
    extensions = _listed(cluster, "extensions", where=where)
    named = (each for each in extensions if isinstance(each, dict))
    found = (e.get("extension") for e in named if e.get("name") == f"{PLUGIN_GROUP}/exec")
    return next(found, None)


def _impersonated(user: Mapping[str, Any], *, where: str) -> tuple[tuple[str, str], ...]:
    headers = []
    if user.get("as"):
        headers.append(("Impersonate-User", str(user["as"])))
    if user.get("as-uid"):
        headers.append(("Impersonate-Uid", str(user["as-uid"])))
    headers += [
        ("Impersonate-Group", str(each)) for each in _listed(user, "as-groups", where=where)
    ]
    extra = user.get("as-user-extra") or {}
    if not isinstance(extra, dict):
        raise _no_list("as-user-extra", where=where)
    for key in extra:
        name = f"Impersonate-Extra-{quote(str(key), safe='')}"  # a header's name takes no slash
        headers += [(name, str(one)) for one in _listed(extra, key, where=where)]
    for name, value in headers:
        as_header(value, what=f"what this user impersonates ({name})", where=where)
    return tuple(headers)


def _listed(entry: Mapping[str, Any], key: str, *, where: str) -> list[object]:
    """A list that may be left out; a text would be taken apart into letters."""
    found = entry.get(key) or []
    if not isinstance(found, list):
        raise _no_list(key, where=where)
    return found


def _no_list(key: str, *, where: str) -> errors.BadInput:
    return errors.BadInput(
        f"{key} in this kubeconfig is not what it should be",
        try_this="kubectl config view, with the same file",
        where=where,
    )


def _malformed(problem: str, path: Path) -> errors.BadInput:
    return errors.BadInput(
        f"this is no kubeconfig: {problem}",
        try_this="kubectl config view, with the same file",
        where=str(path),
    )
