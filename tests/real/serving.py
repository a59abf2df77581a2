"""Fullcrew's own process as the tests run it: on a real API server, with exactly its rights."""

from __future__ import annotations

import http.client
import re
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from real import children
from real.children import Child

PROGRAM = Path(sys.executable).with_name("fullcrew")
READY_SECONDS = 30
SHORT_LEASE = (  # so that nobody waits long for a dead one
    "--leader-elect-lease-duration=3s",
    "--leader-elect-renew-deadline=2s",
    "--leader-elect-retry-period=500ms",
)


@dataclass(slots=True)
class Serving:
    """A scheduler that runs."""

    child: Child
    port: int

    @property
    def has_begun(self) -> bool:
        """Whether it has said a word; before that, a signal ends it as it ends any program."""
        return self.child.log.stat().st_size > 0

    def ask(self, path: str) -> tuple[int, str]:
        """Health or metrics; 0 while nobody listens."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def log(self) -> str:
        """All that it has said."""
        return self.child.log.read_text("utf-8", "replace")

    def wait_until_ready(self) -> None:
        """Returns when it says so itself; fails at once if it ends."""
        self.child.wait_until(lambda: self.ask("/readyz")[0] == 200, seconds=READY_SECONDS)

    def metric(self, name: str) -> float:
        """The sum of a metric over its labels; 0 while it has not been counted."""
        told = self.ask("/metrics")[1]
        found = re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", told, re.MULTILINE)
        return sum(float(value) for value in found)


class Schedulers:
    """Starts schedulers as the account, and in the end stops those that still run."""

    def __init__(self, kubeconfig: Path, logs: Path) -> None:
        self.kubeconfig = kubeconfig
        self._logs = logs
        self.all: list[Serving] = []

    def start(self, *flags: str, kubeconfig: Path | None = None, wait: bool = True) -> Serving:
        """`fullcrew scheduler`; ready, unless nobody waits for that."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        name = f"scheduler-{len(self.all)}"
        command = self._command(kubeconfig or self.kubeconfig, port)
        child = children.start(name, [*command, *flags], logs=self._logs)
        serving = Serving(child, port)
        self.all.append(serving)
        if wait:
            serving.wait_until_ready()
        return serving

    def stop(self) -> None:
        """Each that runs is asked to end, and must end well; none may have met a bug."""
        codes = {one.child.stop() for one in self.all if one.has_begun and one.child.is_running}
        for one in self.all:
            one.child.kill()
        logs = [one.log() for one in self.all]
        for one in self.all:
            sys.stdout.write(f"--- {one.child.name}\n{one.child.last_words()}\n")
        bugs = [line for log in logs for line in log.splitlines() if _is_a_bug(line)]
        assert bugs == []
        assert codes <= {0}

    def _command(self, kubeconfig: Path, port: int) -> Sequence[str]:
        return (
            str(PROGRAM),
            "scheduler",
            f"--kubeconfig={kubeconfig}",
            f"--listen-address=127.0.0.1:{port}",
        )


def _is_a_bug(line: str) -> bool:
    return "Traceback (most recent call last)" in line or "never retrieved" in line
