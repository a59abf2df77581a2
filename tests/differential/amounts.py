"""What a pod asks for, read from a plain manifest a second time, in the slowest and plainest way.

Nothing here is shared with `fullcrew.objects`: where the two differ, one of them is wrong.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

__all__ = ["Amounts", "asked", "has", "ports", "total"]

Amounts = dict[str, int]
Port = tuple[str, int, str]  # protocol, number, address ("" for all)

_UNITS: Final = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    **{unit: Fraction(1000**power) for power, unit in enumerate("kMGTPE", start=1)},
    **{unit: Fraction(1024**power) for power, unit in enumerate(("Ki", "Mi", "Gi"), start=1)},
    **{unit: Fraction(1024**power) for power, unit in enumerate(("Ti", "Pi", "Ei"), start=4)},
}


def thousandths(told: object) -> int:
    """A quantity in thousandths, rounded up, as Kubernetes stores it. ValueError if it is none."""
    text = str(told).strip()
    if text.startswith("-"):
        raise ValueError(f"{text} is less than nothing")
    for unit in sorted(_UNITS, key=len, reverse=True):
        if text.endswith(unit):
            return math.ceil(Fraction(text.removesuffix(unit)) * _UNITS[unit] * 1000)
    return math.ceil(Fraction(text) * 1000)


def in_units(amounts: Mapping[str, int]) -> Amounts:
    """Thousandths as they are compared: millicores of cpu, whole units of everything else."""
    return {
        name: worth if name == "cpu" else math.ceil(Fraction(worth, 1000))
        for name, worth in amounts.items()
    }


def has(amounts: Mapping[str, object]) -> Amounts:
    """What a node has, or what a queue may use."""
    return in_units({name: thousandths(told) for name, told in amounts.items()})


def asked(pod: Mapping[str, Any]) -> Amounts:
    """What a pod asks for; it is one pod itself. Nothing that is zero."""
    spec = pod.get("spec") or {}
    running: Counter[str] = Counter()
    for container in spec.get("containers") or ():
        running.update(_requests(container))
    sidecars: Counter[str] = Counter()
    peak: Counter[str] = Counter()
    for container in spec.get("initContainers") or ():
        requests = _requests(container)
        if container.get("restartPolicy") == "Always":
            sidecars.update(requests)
            peak |= sidecars
        else:
            peak |= sidecars + requests
    most = dict((running + sidecars) | peak)
    most.update(_of_the_pod(spec, most))
    summed = Counter(most)
    summed.update({name: thousandths(told) for name, told in (spec.get("overhead") or {}).items()})
    return {**{name: much for name, much in in_units(summed).items() if much}, "pods": 1}


def _requests(container: Mapping[str, Any]) -> Counter[str]:
    """Requests, and limits where a request is missing."""
    resources = container.get("resources") or {}
    told = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return Counter({name: thousandths(much) for name, much in told.items()})


def _of_the_pod(spec: Mapping[str, Any], summed: Mapping[str, int]) -> Amounts:
    """Pod-level resources stand in the place of the containers' sum.

    A pod-level limit without a request asks for what the containers ask for, or for the limit
    where they ask for nothing.
    """
    resources = spec.get("resources") or {}
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    found = {name: summed.get(name) or thousandths(much) for name, much in limits.items()}
    found.update({name: thousandths(much) for name, much in requests.items()})
    return {
        name: much
        for name, much in found.items()
        if name in {"cpu", "memory"} or name.startswith("hugepages-")
    }


def ports(pod: Mapping[str, Any]) -> frozenset[Port]:
    """The ports of its node that a pod takes for itself."""
    spec = pod.get("spec") or {}
    sidecars = [
        each for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always"
    ]
    found = set()
    for container in (*(spec.get("containers") or ()), *sidecars):
        for port in container.get("ports") or ():
            number = port.get("hostPort") or (
                port.get("containerPort") if spec.get("hostNetwork") else 0
            )
            if number:
                address = port.get("hostIP") or ""
                everywhere = address in {"0.0.0.0", "::"}
                protocol = port.get("protocol") or "TCP"
                found.add((protocol, int(number), "" if everywhere else address))
    return frozenset(found)


def total(several: Iterable[Mapping[str, int]]) -> Amounts:
    """The sum of several."""
    summed: Counter[str] = Counter()
    for amounts in several:
        summed.update(amounts)
    return dict(summed)
