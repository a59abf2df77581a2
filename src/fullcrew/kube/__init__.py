"""The asynchronous side of one API server: following, requests in flight, binding, leases."""

from __future__ import annotations

from fullcrew.kube.backing_off import Backoff
from fullcrew.kube.binding import Binder, Launching, Witness
from fullcrew.kube.flow import Errand, Flow, Lane
from fullcrew.kube.following import Listed, Source, follow
from fullcrew.kube.http import APPLY, JSON, MERGE, Http, Reply, Wish
from fullcrew.kube.lease import Lease, LeaseSeconds, steady_seconds
from fullcrew.kube.pacing import Pace
from fullcrew.kube.resources import Resource, discover
from fullcrew.kube.rivals import Rival, Rivals
from fullcrew.kube.sources import ServerSource
from fullcrew.kube.watching import DELETED, Reader

__all__ = [
    "APPLY",
    "DELETED",
    "JSON",
    "MERGE",
    "Backoff",
    "Binder",
    "Errand",
    "Flow",
    "Http",
    "Lane",
    "Launching",
    "Lease",
    "LeaseSeconds",
    "Listed",
    "Pace",
    "Reader",
    "Reply",
    "Resource",
    "Rival",
    "Rivals",
    "ServerSource",
    "Source",
    "Wish",
    "Witness",
    "discover",
    "follow",
    "steady_seconds",
]
