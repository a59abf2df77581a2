"""Where everything goes that is told to the cluster and to Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from fullcrew.run.events import Events
from fullcrew.run.metrics import Metrics
from fullcrew.run.sending import Sends

__all__ = ["Outlet"]


class Outlet(NamedTuple):
    """The ways out, and the wall clock that dates what goes out."""

    sends: Sends
    events: Events
    metrics: Metrics
    clock: Callable[[], float] = time.time
