"""What a scheduler process is told at its start, and what of it cannot be.

The names are kube-batch's and Volcano's where they mean the same. Some that have no meaning here
are accepted with one warning; all others are refused, so that nobody believes in vain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from fullcrew import errors
from fullcrew.model.offered import OWNED, Score

__all__ = ["Address", "Settings", "Terms", "address", "duration", "from_flags"]

LOG_FORMATS: Final = ("human", "json")

LONGEST_BIND_SECONDS = 10.0
SHARE_FOR_BINDS = 0.8
"""Of the time between the end of renewing and the end of the lease, how much a bind may take."""

_LEASE_FLAGS: Final = (
    "leader_elect_lease_duration",
    "leader_elect_renew_deadline",
    "leader_elect_retry_period",
)
_REFUSED: Final = {
    "scheduler_conf": (
        "--scheduler-conf names a file of actions and plugins, and such files cannot be read yet:"
        " priority, gangs and proportional shares are built in",
        "leave it out, with its volume; --score pack or spread tells how nodes are chosen",
    ),
    "node_selector": (
        "--node-selector: all nodes of the cluster are planned with, since one that is left out"
        " could not be told from one that is full",
        "leave it out, and give the pods of schedulerName fullcrew a nodeSelector, or the other"
        " nodes a taint",
    ),
    "plugins_dir": (
        "--plugins-dir: plugins of Go cannot be loaded",
        "leave --plugins-dir out",
    ),
    "scheduler_sharding_mode": (
        "--scheduler-sharding-mode: one scheduler plans with all nodes",
        "--scheduler-sharding-mode none, or leave it out",
    ),
}
_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h))+", re.ASCII)
_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_NAME = re.compile(rf"{_LABEL.pattern}(?:\.{_LABEL.pattern})*")
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)", re.ASCII)


class Address(NamedTuple):
    """Where to listen; "" is every address of the machine."""

    host: str
    port: int


class Terms(NamedTuple):
    """The times of a Lease, in seconds."""

    duration: float = 15.0
    renew_deadline: float = 10.0
    retry: float = 2.0


MOST_VERBOSE: Final = 10
VOLCANOS_HEALTHZ: Final = Address("", 11251)
LISTEN: Final = Address("", 8080)
LEASE: Final = Terms()


@dataclass(frozen=True, slots=True)
class Settings:
    """All flags, read. `bind_seconds` of 0: as long as the lease allows."""

    kubeconfig: str = ""
    context: str = ""
    master: str = ""
    scheduler_names: tuple[str, ...] = OWNED
    default_queue: str = "default"
    score: str = Score.PACK
    listen: Address | None = LISTEN
    healthz: Address | None = None
    is_elected: bool = True
    lock_namespace: str = ""  # that of our pod, else fullcrew-system
    lock_name: str = "fullcrew"
    lease: Terms = LEASE
    bind_seconds: float = 0.0
    mending_seconds: float = 300.0
    log_format: str = "human"
    verbosity: int = 0
    notes: tuple[tuple[str, str], ...] = ()  # flags that mean nothing here, and why

    def __post_init__(self) -> None:
        _check_lease(self.lease)
        room = self.lease.duration - self.lease.renew_deadline
        if self.bind_seconds >= room:
            raise errors.BadInput(
                f"a bind may take {self.bind_seconds:g} s, and a lease that was not renewed in time"
                f" is another's {room:g} s later",
                try_this="--bind-timeout below --leader-elect-lease-duration minus -renew-deadline",
            )
        if self.mending_seconds < 0:
            raise errors.BadInput(
                "--mending-timeout is less than nothing", try_this="--mending-timeout 300s"
            )
        _check_names(self)
        _check_lock(self)

    @property
    def longest_bind_seconds(self) -> float:
        """After which a bind counts as unanswered."""
        room = self.lease.duration - self.lease.renew_deadline
        return self.bind_seconds or min(LONGEST_BIND_SECONDS, SHARE_FOR_BINDS * room)

    def warnings(self) -> Iterator[str]:
        """What was asked for and means nothing here."""
        reasons = dict.fromkeys(why for _, why in self.notes)
        for why in reasons:
            flags = [flag for flag, told in self.notes if told == why]
            yield f"{' and '.join(flags)} {'is' if len(flags) == 1 else 'are'} not needed: {why}"


def duration(text: str, *, flag: str) -> float:
    """Seconds, as Go writes them: `1m30s`, `500ms`; a bare number is seconds."""
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return float(text)
    if not _DURATION.fullmatch(text):
        raise errors.BadInput(
            f"{flag} is {text[:40]!r}, which is no duration", try_this=f"{flag} 15s, or 1m30s"
        )
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def address(text: str, *, flag: str) -> Address | None:
    """`:8080`, `127.0.0.1:8080`, `[::1]:0`; nothing, or `0`, listens nowhere."""
    if text in {"", "0"}:
        return None
    host, colon, port = text.rpartition(":")
    if not colon or not (port.isascii() and port.isdecimal() and len(port) < 6):
        raise errors.BadInput(
            f"{flag} is {text[:80]!r}, which is no address", try_this=f"{flag} :8080"
        )
    if int(port) > 65535:
        raise errors.BadInput(f"{flag}: there is no port {port}", try_this=f"{flag} :8080")
    return Address(host.removeprefix("[").removesuffix("]"), int(port))


def _check_lease(lease: Terms) -> None:
    if not 0 < lease.retry < lease.renew_deadline < lease.duration:
        raise errors.BadInput(
            f"a lease of {lease.duration:g} s, renewed for {lease.renew_deadline:g} s, every"
            f" {lease.retry:g} s, cannot be kept",
            try_this="--leader-elect-lease-duration above -renew-deadline above -retry-period",
        )
    if lease.duration < 1:
        raise errors.BadInput(
            "Kubernetes counts a lease's duration in whole seconds",
            try_this="--leader-elect-lease-duration 15s",
        )


def _check_names(settings: Settings) -> None:
    if settings.score not in set(Score):
        raise errors.UnknownName("score", settings.score, known=map(str, Score), where="--score")
    if settings.log_format not in LOG_FORMATS:
        where = "--log-format"
        raise errors.UnknownName("format", settings.log_format, known=LOG_FORMATS, where=where)
    if not settings.scheduler_names or "" in settings.scheduler_names:
        raise errors.BadInput(
            "no scheduler name is served", try_this="--scheduler-name fullcrew, or leave it out"
        )
    if not settings.default_queue:
        raise errors.BadInput("--default-queue is empty", try_this="--default-queue default")


def _check_lock(settings: Settings) -> None:
    """The server would refuse the Lease again and again, and nothing would ever be bound."""
    for flag, told, form, longest in (
        ("--lock-object-name", settings.lock_name, _NAME, 253),
        ("--lock-object-namespace", settings.lock_namespace or "default", _LABEL, 63),
    ):
        if len(told) > longest or not form.fullmatch(told):
            raise errors.BadInput(
                f"{flag} is {told[:80]!r}, which is no name in Kubernetes",
                try_this=f"{flag} with small letters, digits and dashes",
            )


def _bind_seconds(told: str) -> float:
    """Nothing told: as long as the lease allows. No time at all is never that."""
    found = duration(told, flag="--bind-timeout") if told else 0.0
    if told and not found:
        raise errors.BadInput(
            "--bind-timeout is no time at all", try_this="--bind-timeout 2s, or leave it out"
        )
    return found


def from_flags(flags: Mapping[str, Any]) -> Settings:
    """Settings of the flags as the command line has them. Raises `BadInput` for what cannot be."""
    _refuse(flags)
    if not flags["priority_class"]:
        raise errors.BadInput(
            "priority classes cannot be switched off",
            try_this="leave --priority-class out, and the classes out of the groups",
        )
    return Settings(
        kubeconfig=flags["kubeconfig"],
        context=flags["context"],
        master=flags["master"],
        scheduler_names=tuple(flags["scheduler_names"]) or OWNED,
        default_queue=flags["default_queue"],
        score=flags["score"],
        listen=address(flags["listen_address"], flag="--listen-address"),
        healthz=_healthz(flags),
        is_elected=flags["leader_elect"],
        lock_namespace=flags["lock_object_namespace"],
        lock_name=flags["lock_object_name"],
        lease=Terms(
            *(duration(flags[name], flag=f"--{name.replace('_', '-')}") for name in _LEASE_FLAGS)
        ),
        bind_seconds=_bind_seconds(flags["bind_timeout"]),
        mending_seconds=duration(flags["mending_timeout"], flag="--mending-timeout"),
        log_format=flags["log_format"],
        verbosity=min(flags["verbosity"], MOST_VERBOSE),
        notes=tuple(flags.get("notes", ())),
    )


def _healthz(flags: Mapping[str, Any]) -> Address | None:
    """Volcano has a flag that says whether, and one that says where."""
    is_wanted, place = flags["enable_healthz"], flags["healthz_address"]
    if is_wanted is False:
        return None
    if is_wanted and not place:
        return VOLCANOS_HEALTHZ
    return address(place, flag="--healthz-address")


def _refuse(flags: Mapping[str, Any]) -> None:
    """What would have to change what is planned, and does not yet."""
    for name, (problem, try_this) in _REFUSED.items():
        if flags[name] not in {"", "none"}:
            raise errors.BadInput(problem, try_this=try_this)
