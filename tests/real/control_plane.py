"""A real control plane on loopback: etcd and kube-apiserver, and on demand the controllers and
kube-scheduler, as the pinned release has them.

    with control_plane.running(folder, binaries) as cluster:
        cluster.start_controllers()
        cluster.kubectl("get", "namespaces")

It keeps its data in `folder`, issues its own certificates, authorizes by RBAC, and stops only what
it started. etcd does not sync to disk: nothing here has to outlive the run.
"""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from real import certificates, children
from real.api import Api, ApiRefused, Object
from real.certificates import Authority
from real.children import Child, ChildEnded

SERVER_NAMES = ("localhost", "kubernetes", "kubernetes.default.svc")
READY_SECONDS = 60
TOKEN_SECONDS = 24 * 3600
# A Node's heartbeats come from a kubelet, and there is none: this controller would take every node
# for lost. So nobody removes the taint of a new node either; `arranging.add_nodes` does.
CONTROLLERS = ("*", "-node-lifecycle-controller", "-node-ipam-controller")


class ControlPlane:
    """`gangs` turns on the release's own gang scheduling (`scheduling.k8s.io/v1beta1`)."""

    def __init__(self, folder: Path, binaries: Path, *, gangs: bool = False) -> None:
        self.folder = folder
        self._binaries = binaries
        self._gates = "GenericWorkload=true" if gangs else ""
        self._authority = Authority()
        self._children: dict[str, Child] = {}
        self._sockets = tempfile.TemporaryDirectory(prefix="etcd-")  # a socket's path must be short
        self._port = 0
        self._api: Api | None = None
        self.admin_kubeconfig = folder / "admin.kubeconfig"

    @property
    def url(self) -> str:
        """Where the API server listens."""
        return f"https://127.0.0.1:{self._port}"

    def start(self) -> None:
        """etcd, then the API server; returns when it is ready."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "ca.crt").write_bytes(self._authority.certificate)
        self._start_etcd()
        self._start_api_server()

    def stop(self) -> None:
        """In the opposite order. Nobody waits for the last requests: nothing is kept."""
        if self._api is not None:
            self._api.close()
        while self._children:
            self._children.popitem()[1].kill()
        self._sockets.cleanup()

    def child(self, name: str) -> Child:
        """One of the programs that run, by its own name, such as kube-scheduler."""
        return self._children[name]

    def start_controllers(self, controllers: Sequence[str] = CONTROLLERS) -> None:
        """kube-controller-manager. Returns at once; a namespace shows when it works."""
        config = self.kubeconfig_for_user("system:kube-controller-manager")
        self._start(
            "kube-controller-manager",
            f"--kubeconfig={config}",
            f"--controllers={','.join(controllers)}",
            f"--root-ca-file={self.folder / 'ca.crt'}",
            f"--service-account-private-key-file={self.folder / 'accounts.key'}",
            "--use-service-account-credentials",
            "--leader-elect=false",
            "--secure-port=0",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
        )

    def start_scheduler(self, settings: Mapping[str, Any] | None = None) -> None:
        """kube-scheduler without its client's limits; `settings` are added to its
        KubeSchedulerConfiguration. `stop_scheduler` ends it."""
        kubeconfig = self.kubeconfig_for_user("system:kube-scheduler")
        config = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": str(kubeconfig), "qps": 10_000, "burst": 20_000},
            "leaderElection": {"leaderElect": False},
            **(settings or {}),
        }
        path = self.folder / "kube-scheduler.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        self._start("kube-scheduler", f"--config={path}", "--secure-port=0")

    def stop_scheduler(self) -> None:
        """Ends kube-scheduler, so that another one may have the pods."""
        self._children.pop("kube-scheduler").stop()

    def api(self) -> Api:
        """The client with every right, for arranging and judging."""
        if self._api is None:
            self._api = self._api_of_admin()
        return self._api

    def kubectl(
        self, *arguments: str, given: str | None = None, kubeconfig: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """kubectl, as administrator unless a kubeconfig says otherwise; `given` is its standard
        input. The caller judges the exit."""
        built = self._binaries / "kubectl"
        return subprocess.run(
            [str(built) if built.exists() else "kubectl", *arguments],
            input=given,
            env={**os.environ, "KUBECONFIG": str(kubeconfig or self.admin_kubeconfig)},
            capture_output=True,
            text=True,
            check=False,
        )

    def kubeconfig_for_user(self, user: str, groups: Sequence[str] = ()) -> Path:
        """For a user with a client certificate, who has the rights that RBAC binds to the name."""
        issued = self._authority.for_user(user, groups)
        return self._kubeconfig(user.replace(":", "-"), certificates.with_certificate(issued))

    def kubeconfig_for_account(self, namespace: str, name: str, *, server: str = "") -> Path:
        """For a ServiceAccount that exists, with a token as a pod would have it; `server` is what
        stands between it and us, if anything does."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        ask: Object = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": TOKEN_SECONDS},
        }
        token = self.api().request("POST", path, ask)["status"]["token"]
        port = f"-{server.rpartition(':')[2]}" if server else ""
        return self._kubeconfig(f"{namespace}-{name}{port}", {"token": token}, server=server)

    def _api_of_admin(self) -> Api:
        tls = ssl.create_default_context(cadata=self._authority.certificate.decode())
        admin = self.folder / "admin"
        tls.load_cert_chain(admin.with_suffix(".crt"), admin.with_suffix(".key"))
        return Api("127.0.0.1", self._port, tls)

    def _kubeconfig(self, name: str, user: Mapping[str, str], *, server: str = "") -> Path:
        return certificates.write_kubeconfig(
            self.folder / f"{name}.kubeconfig",
            server=server or self.url,
            authority=self._authority.certificate,
            user=user,
        )

    def _start_etcd(self) -> None:
        listening = Path(self._sockets.name, "etcd.sock")
        etcd = self._start(
            "etcd",
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls=unix://{listening}",
            "--advertise-client-urls=http://127.0.0.1:0",  # it refuses a socket here; nobody asks
            "--listen-peer-urls=http://127.0.0.1:0",
            "--unsafe-no-fsync",
            "--log-level=warn",
            f"--quota-backend-bytes={8 << 30}",
        )
        etcd.wait_until(listening.exists, seconds=READY_SECONDS)

    def _start_api_server(self) -> None:
        """The server wants to be told a port. Between our asking the system for one and its
        listening there, another program may have got it: then it ends, and gets another one."""
        self._write_keys()
        for is_last in (False, False, True):
            with socket.create_server(("127.0.0.1", 0)) as free:
                self._port = free.getsockname()[1]
            self._api = None
            server = self._start("kube-apiserver", *self._api_server_flags())
            try:
                server.wait_until(self._is_ready, seconds=READY_SECONDS)
            except ChildEnded as ended:
                if is_last or "address already in use" not in str(ended):
                    raise
            else:
                break
        admin = self._authority.for_user("admin", ["system:masters"])
        self._kubeconfig("admin", certificates.with_certificate(admin))

    def _write_keys(self) -> None:
        private, public = certificates.signing_key()
        (self.folder / "accounts.key").write_bytes(private)
        (self.folder / "accounts.pub").write_bytes(public)
        self._authority.for_server(SERVER_NAMES).write(self.folder, "server")
        self._authority.for_user("admin", ["system:masters"]).write(self.folder, "admin")

    def _api_server_flags(self) -> list[str]:
        folder = self.folder
        flags = {
            "etcd-servers": f"unix://{self._sockets.name}/etcd.sock",
            "bind-address": "127.0.0.1",
            "secure-port": str(self._port),
            "tls-cert-file": str(folder / "server.crt"),
            "tls-private-key-file": str(folder / "server.key"),
            "client-ca-file": str(folder / "ca.crt"),
            "authorization-mode": "Node,RBAC",
            "service-account-issuer": "https://kubernetes.default.svc",
            "service-account-key-file": str(folder / "accounts.pub"),
            "service-account-signing-key-file": str(folder / "accounts.key"),
            "service-cluster-ip-range": "10.0.0.0/24",
            "endpoint-reconciler-type": "none",  # it would publish a loopback address, and fail
            "allow-privileged": "true",
        }
        if self._gates:
            flags["runtime-config"] = "scheduling.k8s.io/v1beta1=true"
        return [f"--{name}={value}" for name, value in flags.items()]

    def _is_ready(self) -> bool:
        try:
            return self.api().text("/readyz") == "ok"
        except (OSError, ApiRefused):
            return False

    def _start(self, program: str, *flags: str) -> Child:
        gates = [f"--feature-gates={self._gates}"] if self._gates and program != "etcd" else []
        command = [str(self._binaries / program), *flags, *gates]
        self._children[program] = children.start(program, command, logs=self.folder)
        return self._children[program]


@contextmanager
def running(folder: Path, binaries: Path, *, gangs: bool = False) -> Iterator[ControlPlane]:
    """etcd and kube-apiserver, ready; all that was started is stopped in the end."""
    cluster = ControlPlane(folder, binaries, gangs=gangs)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def between(cluster: ControlPlane) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """For a proxy: how it trusts the API server, and how clients that trust the server trust it."""
    upstream = ssl.create_default_context(cafile=cluster.folder / "ca.crt")
    own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    own.load_cert_chain(cluster.folder / "server.crt", cluster.folder / "server.key")
    return upstream, own


def version(binaries: Path) -> Object:
    """What `tools/control_plane/build.py` built, and in how many seconds."""
    told: Object = json.loads((binaries / "built.json").read_text(encoding="utf-8"))
    return told
