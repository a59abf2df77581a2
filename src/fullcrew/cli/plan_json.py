"""A plan for scripts: the contract of docs/plan-json.md, as plain maps and lists."""

from __future__ import annotations

from typing import Any

from fullcrew.model import reason
from fullcrew.room import Plan, Start, Wait

__all__ = ["contract"]


def contract(plan: Plan, *, read_seconds: float, plan_seconds: float) -> dict[str, Any]:
    """Fields may be added to it later, never renamed, moved or removed."""
    return {
        "starts": [_start(start) for start in plan.starts],
        "waits": [_wait(wait) for wait in plan.waits],
        "evictions": [],
        "seconds": {"read": round(read_seconds, 6), "plan": round(plan_seconds, 6)},
    }


def _start(start: Start) -> dict[str, Any]:
    return {
        "gang": start.gang.title,
        "queue": start.gang.queue,
        "minimum": start.gang.minimum,
        "pods": {binding.pod: binding.node for binding in start.bindings},
    }


def _wait(wait: Wait) -> dict[str, Any]:
    return {
        "gang": wait.gang.title,
        "queue": wait.gang.queue,
        "minimum": wait.gang.minimum,
        "pods": list(wait.pods),
        "reason": {**reason.as_json(wait.reason)},
    }
