"""How an API server says no: a Status, as an answer or at the end of a watch."""

from __future__ import annotations

from fullcrew.objects.shape import Int32, Shape

__all__ = ["Cause", "Status", "StatusDetails"]


class Cause(Shape, frozen=True):
    """One of several things that are wrong, or the budget that forbids an eviction."""

    reason: str = ""
    message: str = ""
    field: str = ""


class StatusDetails(Shape, frozen=True):
    """What it is about, and when to come back."""

    name: str = ""
    kind: str = ""
    uid: str = ""
    retry_after_seconds: Int32 = 0
    causes: tuple[Cause, ...] = ()


class Status(Shape, frozen=True):
    """`code` is that of HTTP, `reason` one word of Kubernetes for it, such as `Expired`."""

    status: str = ""
    code: Int32 = 0
    reason: str = ""
    message: str = ""
    details: StatusDetails = StatusDetails()
