"""Pods without a group: each is a gang of one under its own name.

It claims what no other dialect claims. There is no object to read and none to write a status to;
such a pod's reason stands on the pod.
"""

from __future__ import annotations

from typing import Final

from fullcrew.dialects.facts import Membership
from fullcrew.objects.pod import Pod

__all__ = ["NAME", "membership"]

NAME: Final = "single"


def membership(pod: Pod) -> Membership:
    """The gang of this pod alone."""
    return Membership(NAME, pod.full_name, minimum=1)
