"""Which ports of its node a pod takes for itself."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final, NamedTuple

from fullcrew.errors import BadManifest
from fullcrew.objects.container import ContainerPort
from fullcrew.objects.pod import Pod

__all__ = ["HostPort", "host_ports"]

# As kube-scheduler has it: `::` is one address there, beside all those of IPv4.
_ALL_ADDRESSES: Final = ("", "0.0.0.0")
_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_LAST: Final = 65535
_MOST: Final = 1000  # each is counted on each node; who needs more takes the node's network


class HostPort(NamedTuple):
    """A port on one address of the node, or on all of them where the address is empty."""

    protocol: str
    port: int
    address: str


def host_ports(pod: Pod) -> tuple[HostPort, ...]:
    """The host ports of containers and sidecars, sorted, each once.

    Init containers give theirs back before the pod runs. In the node's own network every port of
    a container is one of the node; the API server writes that down, a manifest may not. Raises
    BadManifest, with the place, for a port that no API server would take.
    """
    found = set()
    for place, port in _told(pod):
        number, field = port.host_port, "hostPort"
        if not number and pod.spec.host_network:
            number, field = port.container_port, "containerPort"
        if number:
            found.add(_host_port(port, number, f"{place}.", field))
    if len(found) > _MOST:
        raise _bad(
            f"{len(found)} host ports, more than {_MOST}",
            f"no more than {_MOST} on one pod",
            "spec",
        )
    return tuple(sorted(found))


def _told(pod: Pod) -> Iterator[tuple[str, ContainerPort]]:
    """Ports with their places."""
    for at, container in enumerate(pod.spec.containers):
        for number, port in enumerate(container.ports):
            yield f"spec.containers[{at}].ports[{number}]", port
    for at, container in enumerate(pod.spec.init_containers):
        for number, port in enumerate(container.ports if container.is_sidecar else ()):
            yield f"spec.initContainers[{at}].ports[{number}]", port


def _host_port(port: ContainerPort, number: int, place: str, field: str) -> HostPort:
    if not 0 < number <= _LAST:
        raise _bad(f"{number} is no port", f"a number from 1 to {_LAST}", f"{place}{field}")
    protocol = port.protocol or "TCP"
    if protocol not in _PROTOCOLS:
        raise _bad(f"{protocol!r:.40} is no protocol", "TCP, UDP or SCTP", f"{place}protocol")
    address = "" if port.host_ip in _ALL_ADDRESSES else port.host_ip
    try:
        if address:
            ip_address(address)
    except ValueError:
        raise _bad(
            f"{address!r:.60} is no address", "an address of the node", f"{place}hostIP"
        ) from None
    return HostPort(protocol, number, address)


def _bad(problem: str, form: str, where: str) -> BadManifest:
    return BadManifest(problem, try_this=f"write {form}", where=where)
