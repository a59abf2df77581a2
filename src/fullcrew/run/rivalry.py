"""Names that another scheduler serves too: no pod of such a name is planned or bound by us.

Who bound with us would take room that we had planned, and half a gang of theirs could meet half a
gang of ours. So we do not start beside one, and if it comes later, we stand back for its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from fullcrew.model.gang import Gang
from fullcrew.model.reason import Kind, Reason, Stage, numbers
from fullcrew.objects import Pod
from fullcrew.run.logs import Log

__all__ = ["Rivalry", "told"]


def told(log: Log, before: Mapping[str, str], leases: Mapping[str, str]) -> dict[str, str]:
    """Logs who came and who went, by the Leases there were and those there are."""
    for name, lease in leases.items():
        log.once("another scheduler came", name=name, lease=lease)
    for name in before.keys() - leases.keys():
        log.ended("another scheduler came", name=name)
        log.say("the other scheduler is gone", name=name)
    return dict(leases)


class Rivalry:
    """Which Lease of another's stands for which name that we serve."""

    def __init__(self, pending_pod: Callable[[str], Pod | None]) -> None:
        self._pending_pod = pending_pod
        self._leases: Mapping[str, str] = {}

    def __len__(self) -> int:
        return len(self._leases)

    def seen(self, leases: Mapping[str, str]) -> bool:
        """The Leases there are now, by name that we serve; whether that is news."""
        is_news = leases.keys() != self._leases.keys()
        self._leases = dict(leases)
        return is_news

    def forbids(self, pod: str) -> bool:
        """Whether a pod is of such a name."""
        if not self._leases:
            return False
        found = self._pending_pod(pod)
        return found is not None and found.spec.scheduler_name in self._leases

    def applied_to(self, gangs: Sequence[Gang]) -> Sequence[Gang]:
        """The gangs as a plan may read them: those of such a name wait, and tell for whom."""
        if not self._leases:
            return gangs
        return [self._held(gang) for gang in gangs]

    def _held(self, gang: Gang) -> Gang:
        names = {pod.spec.scheduler_name for pod in self._pods_of(gang)} & self._leases.keys()
        if gang.fault is not None or not names:
            return gang
        name = min(names)
        reason = Reason(
            Stage.BINDING,
            Kind.RIVAL,
            f"another scheduler holds the Lease {self._leases[name]} and serves {name!r} too;"
            " nothing is bound for that name while it does",
            numbers(minimum=gang.minimum),
        )
        return replace(gang, fault=reason)

    def _pods_of(self, gang: Gang) -> Iterable[Pod]:
        members = (member for role in gang.roles for part in role.parts for member in part.members)
        found = (self._pending_pod(member.pod) for member in members)
        return (pod for pod in found if pod is not None)
