"""What is written on a queue: its groups by phase, its state, and what its pods have.

kube-batch counts pending, running and unknown groups; Volcano also those that are admitted and
those that ended, and it tells the queue's state and what is allocated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from fullcrew.dialects.status import Guard
from fullcrew.errors import BadQuantity
from fullcrew.model.amounts import CPU, PODS, is_host_port
from fullcrew.objects import quantity
from fullcrew.objects.queue import Queue, VolcanoQueue

__all__ = ["Tally", "patch"]

OPEN: Final = "Open"
CLOSING: Final = "Closing"
CLOSED: Final = "Closed"

_PHASES: Final = ("pending", "running", "unknown")
_PHASES_OF_VOLCANO: Final = (*_PHASES, "inqueue", "completed")


@dataclass(frozen=True, slots=True)
class Tally:
    """How many groups of a queue are in each phase, and what its bound pods ask for."""

    phases: Mapping[str, int]
    allocated: Mapping[str, int]


def patch(queue: Queue, tally: Tally, guard: Guard) -> bytes:
    """A merge patch of what differs in the queue's status; b"" where nothing does."""
    is_volcano = isinstance(queue, VolcanoQueue)
    counts = _counts(tally, names=_PHASES_OF_VOLCANO if is_volcano else _PHASES)
    status: dict[str, object] = {
        name: count for name, count in counts.items() if getattr(queue.status, name) != count
    }
    if is_volcano:
        state = _state(queue.status.state, groups=sum(counts.values()))
        if state != queue.status.state:
            status["state"] = state
        status |= _allocated(queue, tally.allocated)
    if not status:
        return b""
    metadata = {"uid": guard.uid, "resourceVersion": guard.revision}
    return msgspec.json.encode({"metadata": metadata, "status": status})


def _counts(tally: Tally, *, names: tuple[str, ...]) -> Mapping[str, int]:
    """A phase without a counter of its own is a pending one, as one that has no phase yet."""
    counts = dict.fromkeys(names, 0)
    for phase, count in tally.phases.items():
        name = phase.lower()
        counts[name if name in counts else "pending"] += count
    return counts


def _state(before: str, *, groups: int) -> str:
    """Who closes a queue writes Closing; it is Closed when the last group has left."""
    if before == CLOSING and not groups:
        return CLOSED
    return before or OPEN


def _allocated(queue: Queue, amounts: Mapping[str, int]) -> Mapping[str, object]:
    """Only what differs in worth: `1` and `1000m` are the same amount of cpu."""
    told = queue.status.allocated
    wanted = {name: much for name, much in amounts.items() if much and _is_shown(name)}
    changed: dict[str, object] = {
        name: _in_units(name, much)
        for name, much in sorted(wanted.items())
        if _worth(name, told.get(name)) != much
    }
    changed |= {name: None for name in sorted(told) if name not in wanted}
    return {"allocated": changed} if changed else {}


def _is_shown(resource: str) -> bool:
    """Ports are resources to us alone, and Volcano counts pods elsewhere."""
    return resource != PODS and not is_host_port(resource)


def _in_units(resource: str, much: int) -> str:
    if resource != CPU:
        return str(much)
    return f"{much}m" if much % 1000 else str(much // 1000)


def _worth(resource: str, told: str | int | float | None) -> int | None:
    if told is None:
        return None
    try:
        return quantity.amount(resource, told)
    except BadQuantity:
        return None
