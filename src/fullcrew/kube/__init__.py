"""The asynchronous side of one API server: following, requests in flight, binding, leases."""

from __future__ import annotations

from fullcrew.kube.binding import Binder
from fullcrew.kube.carried import Launching, Witness
from fullcrew.kube.flow import Errand, Flow, Lane
from fullcrew.kube.following import Listed, Source, follow
from fullcrew.kube.http import JSON, MERGE, Http, Reply, Wish
from fullcrew.kube.lease import Lease
from fullcrew.kube.pacing import Pace
from fullcrew.kube.removing import Remover
from fullcrew.kube.resources import Resource, discover
from fullcrew.kube.rivals import Rival, Rivals
from fullcrew.kube.sources import ServerSource
from fullcrew.kube.tally import BOUNDS, Tally, Took
from fullcrew.kube.watching import DELETED, Reader

__all__ = [
    "BOUNDS",
    "DELETED",
    "JSON",
    "MERGE",
    "Binder",
    "Errand",
    "Flow",
    "Http",
    "Lane",
    "Launching",
    "Lease",
    "Listed",
    "Pace",
    "Reader",
    "Remover",
    "Reply",
    "Resource",
    "Rival",
    "Rivals",
    "ServerSource",
    "Source",
    "Tally",
    "Took",
    "Wish",
    "Witness",
    "discover",
    "follow",
]
