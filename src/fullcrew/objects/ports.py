"""Which ports of its node a pod takes for itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from fullcrew.objects.container import ContainerPort
from fullcrew.objects.pod import Pod

__all__ = ["HostPort", "host_ports"]

_ALL_ADDRESSES: Final = ("", "0.0.0.0", "::")


class HostPort(NamedTuple):
    """A port on one address of the node, or on all of them where the address is empty."""

    protocol: str
    port: int
    address: str


def host_ports(pod: Pod) -> tuple[HostPort, ...]:
    """The host ports of containers and sidecars, sorted, each once.

    Init containers give theirs back before the pod runs. In the node's own network every port of
    a container is one of the node; the API server writes that down, a manifest may not.
    """
    return tuple(sorted({_host_port(port, of=pod) for port in _taken(pod)}))


def _taken(pod: Pod) -> Iterator[ContainerPort]:
    sidecars = (each for each in pod.spec.init_containers if each.is_sidecar)
    for container in (*pod.spec.containers, *sidecars):
        yield from (each for each in container.ports if _number(each, of=pod) > 0)


def _number(port: ContainerPort, *, of: Pod) -> int:
    return port.host_port or (port.container_port if of.spec.host_network else 0)


def _host_port(port: ContainerPort, *, of: Pod) -> HostPort:
    address = "" if port.host_ip in _ALL_ADDRESSES else port.host_ip
    return HostPort(port.protocol or "TCP", _number(port, of=of), address)
