"""Amounts as people write them."""

from __future__ import annotations

from fullcrew.model.amounts import CPU, HOST_PORT_PREFIX, MEMORY, PODS, is_host_port

__all__ = ["amount", "pods", "quantity"]

_UNITS = ("", "Ki", "Mi", "Gi", "Ti", "Pi")
_DECIMAL_UNITS = ("", "k", "M", "G", "T", "P")
_BYTES = (MEMORY, "ephemeral-storage", "hugepages-")


def amount(resource: str, much: int) -> str:
    """`500m cpu`, `2 cpu`, `16Gi memory`, `2 nvidia.com/gpu`, `host port 8080/TCP`."""
    if is_host_port(resource):
        protocol, _, port = resource.removeprefix(HOST_PORT_PREFIX).partition("/")
        return f"host port {port}/{protocol}"
    if resource == PODS:
        return f"{much} of a node's places for pods"
    return f"{quantity(resource, much)} {resource}"


def quantity(resource: str, much: int) -> str:
    """The number alone, exact: in the largest unit that leaves it whole, 16Gi or 30G, whichever
    is shorter."""
    if resource == CPU:
        return f"{much}m" if much % 1000 else str(much // 1000)
    if not resource.startswith(_BYTES):
        return str(much)
    binary, decimal = _in_units(much, 1024, _UNITS), _in_units(much, 1000, _DECIMAL_UNITS)
    return decimal if len(decimal) + 1 < len(binary) else binary


def _in_units(much: int, step: int, units: tuple[str, ...]) -> str:
    unit = 0
    while much and much % step == 0 and unit + 1 < len(units):
        much //= step
        unit += 1
    return f"{much}{units[unit]}"


def pods(count: int) -> str:
    """`1 pod`, `2 pods`."""
    return "1 pod" if count == 1 else f"{count} pods"
