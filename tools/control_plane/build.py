"""Builds etcd and the Kubernetes control plane that `make check-real` runs against.

    python tools/control_plane/build.py

Prints the folder with the binaries on standard output; everything else goes to standard error.
It runs on a bare Python 3.11: no environment, root or Docker is needed, only Go. A release is
built once and kept in the user's cache, so the minutes are paid once per machine.

Exit codes: 0 built, or found; 69 there is no Go that can build it; 1 the build failed.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

KUBERNETES = "v1.37.1"
ETCD = "v3.7.3"
GO_AT_LEAST = (1, 26)
NO_GO = 69
SERVERS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


class CannotBuild(Exception):
    """Why there will be no binaries, as one sentence, and how the program ends."""

    def __init__(self, sentence: str, *, code: int = 1) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True, slots=True)
class Recipe:
    """What stands in a main module of our own, and the commands that are built in it."""

    pins: str
    packages: tuple[str, ...]
    linker_flags: str = "-s -w"
    tags: str = ""


def main() -> int:
    """Build what is missing; say where it lies."""
    try:
        folder = binaries()
    except CannotBuild as error:
        _say(str(error))
        return error.code
    sys.stdout.write(f"{folder}\n")
    return 0


def binaries() -> Path:
    """The folder with the binaries of the pinned releases; with kubectl if the PATH has none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "fullcrew" / "control-plane"
    ready = home / f"kubernetes-{KUBERNETES}-etcd-{ETCD}"
    if not _is_complete(ready):
        go = _go()
        home.mkdir(parents=True, exist_ok=True)
        with _alone(home):
            _complete(ready, go)
    return ready


def _is_complete(ready: Path) -> bool:
    has_kubectl = shutil.which("kubectl") is not None or (ready / "kubectl").exists()
    return ready.is_dir() and has_kubectl


def _complete(ready: Path, go: str) -> None:
    """Published by renaming, so that a killed build never looks like a finished one."""
    for left_by_a_killed_build in ready.parent.glob("building-*"):
        shutil.rmtree(left_by_a_killed_build)
    with tempfile.TemporaryDirectory(prefix="building-", dir=ready.parent) as scratch:
        if not ready.is_dir():
            _build_servers(Path(scratch), go).rename(ready)
        if not _is_complete(ready):
            _say("building kubectl, of which there is none on the PATH")
            made = _build(go, Path(scratch, "command"), _kubernetes(go, ("kubectl",)))
            (made / "kubectl").rename(ready / "kubectl")


def _build_servers(scratch: Path, go: str) -> Path:
    began = time.monotonic()
    _say(f"building Kubernetes {KUBERNETES} and etcd {ETCD}, once; this takes some minutes")
    etcd = _build(go, scratch / "etcd", _etcd())
    made = _build(go, scratch / "kubernetes", _kubernetes(go, SERVERS))
    (etcd / "server").rename(made / "etcd")
    seconds = round(time.monotonic() - began)
    told = {"kubernetes": KUBERNETES, "etcd": ETCD, "seconds": seconds}
    (made / "built.json").write_text(json.dumps(told) + "\n", encoding="utf-8")
    _say(f"built in {seconds} s")
    return made


def _etcd() -> Recipe:
    # The command is the module itself; Go names its binary `server`, after the last folder.
    module = "go.etcd.io/etcd/server/v3"
    return Recipe(f"require {module} {ETCD}\n", (module,))


def _kubernetes(go: str, commands: Sequence[str]) -> Recipe:
    """Kubernetes names its staging modules by folders of its own tree, which a module that is
    downloaded does not carry. Each is published too, as v0.X.Y beside v1.X.Y."""
    module = "k8s.io/kubernetes"
    told = _answer(go, "mod", "download", "-json", f"{module}@{KUBERNETES}")
    source = _answer(go, "mod", "edit", "-json", str(json.loads(told)["GoMod"]))
    staging = KUBERNETES.replace("v1.", "v0.", 1)
    replaced = [
        str(pair["Old"]["Path"])
        for pair in json.loads(source)["Replace"]
        if str(pair["New"]["Path"]).startswith("./staging/")
    ]
    pins = [f"replace {name} => {name} {staging}" for name in sorted(replaced)]
    return Recipe(
        "\n".join([f"require {module} {KUBERNETES}", *pins, ""]),
        tuple(f"{module}/cmd/{name}" for name in commands),
        linker_flags=_version_flags(),
        tags="grpcnotrace,notest",  # as in the official builds
    )


def _version_flags() -> str:
    """What the official build stamps in; without it `/version` says v0.0.0-master."""
    major, minor, _ = KUBERNETES.removeprefix("v").split(".")
    facts = {
        "gitVersion": KUBERNETES,
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "clean",
    }
    packages = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    stamps = [f"-X {p}.{name}={value}" for p in packages for name, value in facts.items()]
    return " ".join(["-s", "-w", *stamps])


def _build(go: str, module: Path, recipe: Recipe) -> Path:
    made = module / "bin"
    made.mkdir(parents=True)
    head = f"module fullcrew.io/control-plane\n\ngo {'.'.join(map(str, GO_AT_LEAST))}\n\n"
    (module / "go.mod").write_text(head + recipe.pins, encoding="utf-8")
    cores = str(len(os.sched_getaffinity(0)))
    flags = ["-mod=mod", "-trimpath", "-buildvcs=false", "-p", cores, f"-tags={recipe.tags}"]
    flags += [f"-ldflags={recipe.linker_flags}", "-o", f"{made}/"]
    command = [go, "build", *flags, *recipe.packages]
    done = subprocess.run(command, cwd=module, env=_environment(), stdout=sys.stderr, check=False)
    if done.returncode:
        raise CannotBuild(f"go build ended with {done.returncode}; its words stand above")
    return made


def _go() -> str:
    """The Go on the path, if it can build these releases."""
    found = shutil.which("go")
    if found is None:
        raise CannotBuild(_needs_go("there is none on the PATH"), code=NO_GO)
    version = _answer(found, "env", "GOVERSION").strip()
    numbers = re.match(r"go(\d+)\.(\d+)", version)
    if numbers and tuple(map(int, numbers.groups())) < GO_AT_LEAST:
        raise CannotBuild(_needs_go(f"this is {version}"), code=NO_GO)
    return found


def _needs_go(situation: str) -> str:
    needed = ".".join(map(str, GO_AT_LEAST))
    return f"the real control plane is built with Go {needed} or later, and {situation}"


def _environment() -> Mapping[str, str]:
    """The user's own, so that a proxy or a mirror is used, without what would change the build."""
    fixed = {"CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    return {**os.environ, **fixed}


def _answer(*command: str) -> str:
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"{' '.join(command)} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """One build at a time: a second one waits and then finds the work done."""
    with (home / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _say(sentence: str) -> None:
    sys.stderr.write(f"control plane: {sentence}\n")


if __name__ == "__main__":
    sys.exit(main())
