"""The containers of a pod, as far as they take room on a node."""

from __future__ import annotations

import msgspec

from fullcrew.objects.shape import NO_AMOUNTS, Amounts, Int32, Shape

__all__ = ["Container", "ContainerPort", "ContainerStatus", "Resources"]


class Resources(Shape, frozen=True):
    """What is asked for and what it may grow to; `asking` says what that makes."""

    requests: Amounts = NO_AMOUNTS
    limits: Amounts = NO_AMOUNTS


class ContainerPort(Shape, frozen=True):
    """A port of the container, and of the node where `host_port` is set."""

    container_port: Int32 = 0
    host_port: Int32 = 0
    host_ip: str = msgspec.field(default="", name="hostIP")
    protocol: str = "TCP"


class Container(Shape, frozen=True):
    """A container or init container; one that is `Always` restarted among the latter stays on."""

    name: str = ""
    resources: Resources = Resources()
    restart_policy: str = ""
    ports: tuple[ContainerPort, ...] = ()

    @property
    def is_sidecar(self) -> bool:
        """Of an init container: it runs beside what follows, for as long as the pod does."""
        return self.restart_policy == "Always"


class ContainerStatus(Shape, frozen=True):
    """What the kubelet allocated to a container and what it runs with, while it is resized."""

    name: str = ""
    resources: Resources | None = None
    allocated_resources: Amounts = NO_AMOUNTS
