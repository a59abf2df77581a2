"""Where everything goes that is told to the cluster, to Prometheus and to the log."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from fullcrew.run.events import Events
from fullcrew.run.logs import Field, Log
from fullcrew.run.metrics import Metrics
from fullcrew.run.sending import Sends

__all__ = ["Outlet"]

GONE = 404


class Outlet(NamedTuple):
    """The ways out, and the wall clock that dates what goes out."""

    sends: Sends
    events: Events
    metrics: Metrics
    log: Log
    clock: Callable[[], float] = time.time

    def wrote(self, what: str, path: str, code: int, words: str = "") -> None:
        """Counts a write, and logs one that failed: once for each kind of object and code, since
        what is refused for one is refused for all. An object that changed meanwhile, or is gone, is
        nothing to be told of; code 0 is no answer."""
        outcome = "written" if 200 <= code < 300 else "conflict" if code == 409 else "failed"
        self.metrics.count("status_writes_total", object=what, outcome=outcome)
        if outcome == "failed" and code != GONE:
            told: dict[str, Field] = {"object": what, "code": code, "path": path, "problem": words}
            self.log.once("status not written", same=("object", "code"), **told)
