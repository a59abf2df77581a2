"""The units of what is asked for and what there is, and the limits that keep sums exact."""

from __future__ import annotations

from typing import Final

__all__ = [
    "CPU",
    "HOST_PORT_PREFIX",
    "MEMORY",
    "MOST_AMOUNT",
    "MOST_TOTAL",
    "NO_LIMIT",
    "PODS",
    "is_device",
    "is_host_port",
]

CPU: Final = "cpu"  # millicores; every other resource counts whole units
MEMORY: Final = "memory"
PODS: Final = "pods"  # each pod asks for one, so that pods per node is a resource like others

MOST_AMOUNT: Final = 1 << 50
MOST_TOTAL: Final = 1 << 62  # nodes that would bring a cluster's total beyond it are refused
NO_LIMIT: Final = 1 << 62

_NO_DEVICES: Final = (CPU, MEMORY, PODS, "storage", "ephemeral-storage")
_NO_DEVICE_PREFIXES: Final = ("hugepages-", "attachable-volumes-")

HOST_PORT_PREFIX: Final = "hostport/"


def is_host_port(resource: str) -> bool:
    """Whether a resource is one of ours for a host port, as `hostport/TCP/8080`.

    A host port is a resource that a node has once, so the ledger, its journal and the memo need
    no second kind of room. `hostport/TCP/8080` holds as many as there may be addresses; a pod on
    all addresses asks for all of it, a pod on one address for 1 of it and for the only one of
    `hostport/TCP/8080/10.0.0.1`.
    """
    return resource.startswith(HOST_PORT_PREFIX)


def is_device(resource: str) -> bool:
    """Whether a node has it by what is plugged into it, as a GPU, and not by being a computer."""
    is_plain = resource in _NO_DEVICES or resource.startswith(_NO_DEVICE_PREFIXES)
    return not (is_plain or is_host_port(resource))
