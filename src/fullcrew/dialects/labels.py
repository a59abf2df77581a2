"""ACK's and Tencent's gangs: two labels on each pod, and no group object anywhere.

All pods of a gang repeat its minimum. What is wrong with the labels keeps the pod waiting: bound
as an ordinary pod it would run alone, which is what its labels say must not happen.
"""

from __future__ import annotations

from typing import Final

from fullcrew.dialects.facts import Membership
from fullcrew.objects.pod import Pod

__all__ = ["MINIMUM", "NAME", "NAME_LABEL", "membership"]

NAME: Final = "labels"
NAME_LABEL: Final = "pod-group.scheduling.sigs.k8s.io/name"
MINIMUM: Final = "pod-group.scheduling.sigs.k8s.io/min-available"

_MOST = 2**31 - 1


def membership(pod: Pod) -> Membership | None:
    """The gang that the labels name; None for a pod that has neither."""
    labels = pod.metadata.labels
    name, told = labels.get(NAME_LABEL), labels.get(MINIMUM)
    if name is None and told is None:
        return None
    if not name:
        fault = f"label {NAME_LABEL} is missing beside {MINIMUM}"
        return Membership(NAME, pod.full_name, minimum=1, fault=fault)
    gang = f"{pod.namespace}/{name}"
    if told is None:
        return Membership(NAME, gang, fault=f"label {MINIMUM} is missing beside {NAME_LABEL}")
    minimum = _number(told)
    if minimum is None:
        fault = f"label {MINIMUM} is {told[:40]!r}, not a whole number from 1 to {_MOST}"
        return Membership(NAME, gang, fault=fault)
    return Membership(NAME, gang, minimum=minimum)


def _number(told: str) -> int | None:
    if not (told.isascii() and told.isdecimal() and len(told.lstrip("0")) <= len(str(_MOST))):
        return None
    number = int(told.lstrip("0") or "0")
    return number if 1 <= number <= _MOST else None
