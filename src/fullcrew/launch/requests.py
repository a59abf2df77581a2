"""What a launch asks of its shell: requests to the server, and word to the state."""

from __future__ import annotations

from typing import NamedTuple

from fullcrew.model.reason import Reason

__all__ = ["Bind", "Forget", "HeldUp", "Moved", "ReadGroup", "ReadPod", "Request", "Rest"]


class Bind(NamedTuple):
    """Bind this very pod to this node, `after_seconds` from now."""

    pod: str  # namespace/name
    uid: str
    node: str
    after_seconds: float = 0.0


class ReadPod(NamedTuple):
    """Read how this pod stands, from the server and not from what we watch."""

    pod: str
    uid: str
    after_seconds: float = 0.0


class ReadGroup(NamedTuple):
    """Read the gang's group consistently, before its first bind."""

    after_seconds: float = 0.0


class Forget(NamedTuple):
    """The pod will not be bound by this plan: its room is free again."""

    pod: str
    uid: str


class Moved(NamedTuple):
    """The pod is bound, though to another node than ours: its room is taken there."""

    pod: str
    uid: str
    node: str


class Rest(NamedTuple):
    """These pods (none: the whole gang) failed for good and are not planned again at once.

    `keeps_room`: the gang stands or stood, so their room waits for them; else it is let go.
    """

    pods: tuple[tuple[str, str], ...]  # namespace/name and uid
    reason: Reason
    keeps_room: bool


class HeldUp(NamedTuple):
    """Pods, namespace/name, that do not get on, and why: nothing waits silently."""

    pods: tuple[str, ...]
    reason: Reason


# All that a launch may ask for.
Request = Bind | ReadPod | ReadGroup | Forget | Moved | Rest
