"""What every Kubernetes object carries: its name, its labels, its owners, its times."""

from __future__ import annotations

import re
from datetime import date
from typing import ClassVar, Final, NamedTuple

import msgspec

from fullcrew.objects.shape import NO_STRINGS, Int64, Shape, Strings, Time

__all__ = ["Condition", "Kind", "KubernetesObject", "ObjectMeta", "OwnerReference", "seconds"]

DEFAULT_NAMESPACE: Final = "default"

_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))",
    re.ASCII,
)
_LONGEST_TIMESTAMP = 64
_UNIX_DAY = date(1970, 1, 1).toordinal()
_HOUR = 3600


class Kind(NamedTuple):
    """The API group and the name of a kind; versions of one kind are read alike."""

    group: str
    name: str


class OwnerReference(Shape, frozen=True):
    """Who made this object; its controller makes it again."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


class ObjectMeta(Shape, frozen=True):
    """Times stay text as the server sent them; `seconds` reads the few that are needed."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: Time | None = ""  # null in every manifest that a program wrote
    deletion_timestamp: str = ""
    deletion_grace_period_seconds: Int64 | None = None
    labels: Strings = NO_STRINGS
    annotations: Strings = NO_STRINGS
    owner_references: tuple[OwnerReference, ...] = ()

    @property
    def is_leaving(self) -> bool:
        """Somebody deleted the object; it is there until its last user lets go."""
        return self.deletion_timestamp != ""

    @property
    def controller(self) -> OwnerReference | None:
        """The one owner that makes this object again when it is gone."""
        return next((owner for owner in self.owner_references if owner.controller), None)


class Condition(Shape, frozen=True):
    """One line of a status. `transition_id` is kube-batch's and Volcano's own."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = ""  # null on gated pods, as the API server makes them
    transition_id: str = msgspec.field(default="", name="transitionID")


_NAMELESS: Final = ObjectMeta()


class KubernetesObject(Shape, frozen=True):
    """What has a name in the API. The class alone tells the kind: one class per group and kind."""

    KIND: ClassVar[Kind]
    IS_NAMESPACED: ClassVar[bool] = True

    metadata: ObjectMeta = _NAMELESS

    @property
    def namespace(self) -> str:
        """Where it lives: manifests may leave the default namespace out, a server never does."""
        return (self.metadata.namespace or DEFAULT_NAMESPACE) if self.IS_NAMESPACED else ""

    @property
    def name(self) -> str:
        """The name inside its namespace."""
        return self.metadata.name

    @property
    def full_name(self) -> str:
        """`namespace/name`, or the name alone for what belongs to the cluster."""
        return f"{self.namespace}/{self.name}" if self.IS_NAMESPACED else self.name


def seconds(timestamp: str | None) -> int | None:
    """Seconds since 1970 of an RFC 3339 time, fractions dropped; None where there is no time."""
    if not timestamp or len(timestamp) > _LONGEST_TIMESTAMP:
        return None
    found = _RFC3339.fullmatch(timestamp)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    offset = int(found[8]) * _HOUR + int(found[9]) * 60 if found[7] else 0
    if hour > 23 or minute > 59 or second > 59 or offset >= 24 * _HOUR:
        return None
    try:
        days = date(year, month, day).toordinal() - _UNIX_DAY
    except ValueError:
        return None
    local = (days * 24 + hour) * _HOUR + minute * 60 + second
    return local + offset if found[7] == "-" else local - offset
