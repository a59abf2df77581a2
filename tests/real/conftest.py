"""The fixtures of the tests on a real control plane, and the one loud line when there is none."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.proxy import Proxy
from real import arranging, control_plane, rights
from real.api import Api
from real.control_plane import ControlPlane
from real.recording import Recorder, recorded
from real.scene import Scene, Tell
from real.serving import Schedulers

BUILD = Path(__file__).parents[2] / "tools" / "control_plane" / "build.py"
NO_GO = 69  # as tools/control_plane/build.py ends then
SKIPPED = pytest.StashKey[str]()
TOLD = pytest.StashKey[list[str]]()
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def binaries(request: pytest.FixtureRequest) -> Path:
    """Where kube-apiserver and its companions are. Without Go these tests are skipped; in CI,
    where they are the point, that is a failure."""
    built = subprocess.run(
        [sys.executable, str(BUILD)], capture_output=True, text=True, check=False
    )
    if built.returncode == NO_GO and not os.environ.get("CI"):
        request.config.stash[SKIPPED] = built.stderr.strip()
        pytest.skip(built.stderr.strip())
    if built.returncode:
        pytest.fail(built.stderr.strip())
    return Path(built.stdout.strip())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says it once, where it is read: a suite that was skipped in silence counts as passed."""
    for words in terminalreporter.config.stash.get(TOLD, []):
        terminalreporter.write_line(words)
    why = terminalreporter.config.stash.get(SKIPPED, "")
    if why:
        terminalreporter.write_line(f"NOTHING WAS TESTED ON A REAL CONTROL PLANE: {why}", red=True)


@pytest.fixture(scope="session")
def cluster(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """etcd, kube-apiserver and the controllers, with our CRDs and the scheduler's account."""
    folder = tmp_path_factory.mktemp("control-plane")
    with control_plane.running(folder, binaries) as running:
        running.start_controllers()
        rights.install(running.api())
        yield running


@pytest.fixture(scope="session")
def scheduler_kubeconfig(cluster: ControlPlane) -> Path:
    """With exactly the rights of deploy/rbac.yaml: a scheduler under test gets no others."""
    return cluster.kubeconfig_for_account(rights.NAMESPACE, rights.ACCOUNT)


@pytest.fixture
def api(cluster: ControlPlane) -> Iterator[Api]:
    """A client with every right, on a cluster without nodes, pods and groups; the session's only
    control plane is emptied again when the test is over."""
    client = cluster.api()
    yield client
    arranging.clear(client)


@pytest.fixture
def namespace(api: Api) -> str:
    """A namespace of this test alone."""
    return arranging.add_namespace(api, f"test-{next(_numbers)}")


@pytest.fixture
def record(api: Api) -> Iterator[Recorder]:
    """All that happens during the test, for `promises.judge`."""
    with recorded(api) as recorder:
        yield recorder


@pytest.fixture
def schedulers(scheduler_kubeconfig: Path, tmp_path: Path) -> Iterator[Schedulers]:
    """Fullcrew's processes. Each must stop when asked to, and none may have met a bug."""
    them = Schedulers(scheduler_kubeconfig, tmp_path)
    yield them
    them.stop()


@pytest.fixture
def scene(
    cluster: ControlPlane, api: Api, namespace: str, record: Recorder, schedulers: Schedulers
) -> Scene:
    """All that a story needs; its schedulers talk to the API server itself."""
    return Scene(cluster, api, namespace, record, schedulers)


@pytest.fixture
def proxy(cluster: ControlPlane) -> Iterator[Proxy]:
    """Between a scheduler and the API server, TLS on both sides."""
    upstream, own = control_plane.between(cluster)
    with Proxy(cluster.url, upstream=upstream, own=own) as it:
        yield it


@pytest.fixture
def faulty(proxy: Proxy, cluster: ControlPlane, scene: Scene) -> Scene:
    """The same, though its schedulers talk to the API server through the proxy."""
    account = (rights.NAMESPACE, rights.ACCOUNT)
    scene.schedulers.kubeconfig = cluster.kubeconfig_for_account(*account, server=proxy.url)
    return scene


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Tell:
    """Says it at the end of the run, where people look."""

    def say(words: str) -> None:
        request.config.stash.setdefault(TOLD, []).append(f"{request.node.name}: {words}")

    return say
