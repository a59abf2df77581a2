"""From a pod's object to how it is kept: as one that waits, or as a row that takes room."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from fullcrew import dialects
from fullcrew.dialects import Membership, labels, single
from fullcrew.dialects.facts import QUEUE_NAME
from fullcrew.errors import BadInput
from fullcrew.model.reason import Kind, Stage
from fullcrew.objects import Pod, asking, seconds, selecting
from fullcrew.objects.selecting import PodTerm
from fullcrew.state import not_built
from fullcrew.state.asks import Asks
from fullcrew.state.causes import Cause, words_of
from fullcrew.state.fences import Fences
from fullcrew.state.gangs import YOUNGEST
from fullcrew.state.lost import Form
from fullcrew.state.numbers import FEW
from fullcrew.state.placed import Standing, Told, Trait
from fullcrew.state.records import Waiting
from fullcrew.state.templates import NO_ASK, Template, Templates, ask_of, is_alike
from fullcrew.state.volumes import Reach, Volumes
from fullcrew.state.wheres import Wheres

__all__ = [
    "FOREIGN",
    "Reader",
    "is_as_assumed",
    "is_asked",
    "is_same",
    "is_single",
    "standing_of",
]

FOREIGN: Final = Trait(Standing.RUNNING)  # of a pod that is not ours: it takes room, that is all

_STAMP: Final = "fullcrew.io/"
_STAMPED_PLAN: Final = f"{_STAMP}plan"  # each binding of ours leaves it on its pod
_GATED: Final = Cause(Stage.ADMISSION, Kind.GATED, "held back by scheduling gates")
_LEAVING: Final = Cause(Stage.ADMISSION, Kind.ENDING, "being deleted")

# Where it stands what a pod takes on its node, and whom it keeps out. Of a resize that cannot be
# read the most counts, so that the conditions are not among them.
_WHOLE: Final = frozenset({"", "spec", "status", "spec.affinity", "spec.affinity.podAntiAffinity"})
_ASKED: Final = (
    "spec.nodeName",
    "spec.containers",
    "spec.initContainers",
    "spec.overhead",
    "spec.resources",
    "spec.hostNetwork",
    "spec.affinity.podAntiAffinity.required",
    "status.containerStatuses",
    "status.initContainerStatuses",
    "status.resources",
    "status.allocatedResources",
)


class Reader:
    """Reads pods with what was learned from those before them."""

    __slots__ = (
        "_last_time", "_most_traits", "_traits", "asks", "fences", "templates", "volumes", "wheres",
    )  # fmt: skip

    def __init__(self, asks: Asks, volumes: Volumes, fences: Fences) -> None:
        self.asks, self.volumes, self.fences = asks, volumes, fences
        self.wheres = Wheres()
        self.templates = Templates(asks)
        self._last_time: tuple[str | None, int] = (None, YOUNGEST)
        self._traits: dict[Told, tuple[Trait, ...]] = {}  # one for each way to stand
        self._most_traits = FEW

    def read(self, into: Waiting, fault: str) -> None:
        """All that is to be known of a pod that waits. `fault` is that of its object."""
        pod = into.pod
        template = self.templates.of(pod)
        rules = template.rules(pod)
        into.role = dialects.role_of(pod)
        into.task = dialects.task_priority_of(pod)
        into.created = self.time_of(pod)
        into.told_queue = pod.metadata.annotations.get(QUEUE_NAME, "")
        into.fault = fault or into.membership.fault or template.fault or rules.fault
        into.is_plain = not_built.is_plain(pod)
        reach = None if into.is_plain else self.volumes.use(pod)
        into.cause = _cause(pod, into.membership)
        if into.cause is None:
            into.cause = next(iter(rules.causes), None) or (reach.cause if reach else None)
        into.ask = template.ask
        if template.ask != NO_ASK:
            self.asks.want_ports(template.ask)
        into.where = self.wheres.of(
            template,
            rules,
            volumes=reach.required if reach else (),
            kin=self.fences.kin(pod.namespace, pod.metadata.labels),
        )

    def ask(self, pod: Pod) -> tuple[int, str]:
        """What a bound pod asks for, and why that may be too little; NO_ASK is never told."""
        if _is_resized(pod):
            ask, unread = ask_of(pod, self.asks)
        else:
            template = self.templates.of(pod)
            ask, unread = template.ask, template.fault
        return (self.asks.of({}) if ask == NO_ASK else ask), unread

    def form(self, pod: Pod) -> Form | None:
        """What another pod in its place would ask and where it could go; None where that cannot be
        told, or hangs on rules that are not built."""
        template = Template(pod, self.asks) if _is_resized(pod) else self.templates.of(pod)
        rules = template.rules(pod)
        reach = Reach() if not_built.is_plain(pod) else self.volumes.reach(pod)
        if template.ask == NO_ASK or rules.fault or rules.causes or reach.cause:
            return None
        kin = self.fences.kin(pod.namespace, pod.metadata.labels)
        where = self.wheres.of(template, rules, volumes=reach.required, kin=kin)
        amounts = self.asks.amounts(template.ask)
        return Form(dialects.role_of(pod), amounts, self.wheres.values[where])

    def fences_of(self, pod: Pod) -> tuple[tuple[PodTerm, ...], str]:
        """Whom a bound pod keeps out, and what of that cannot be read."""
        if pod.spec.affinity is None:
            return (), ""
        try:
            return selecting.required_anti_affinity(pod), ""
        except BadInput as bad:
            return (), words_of(bad)

    def trait(self, pod: Pod, standing: Standing, membership: Membership) -> Trait:
        """How a member of ours stands."""
        spec = pod.spec
        told = (
            dialects.role_of(pod),
            spec.scheduler_name,
            spec.priority,
            spec.priority_class_name if spec.priority is None else "",
            pod.metadata.annotations.get(QUEUE_NAME, ""),
            membership.minimum if membership.dialect == labels.NAME else 0,
        )
        return self._trait(standing, told)

    def moved_on(self, trait: Trait, standing: Standing) -> Trait:
        """The same member, standing otherwise now."""
        return self._trait(standing, trait.told)

    def time_of(self, pod: Pod) -> int:
        """When it was made; what has no time is youngest. Many pods are made in one second."""
        told = pod.metadata.creation_timestamp
        if told != self._last_time[0]:
            found = seconds(told)
            self._last_time = (told, YOUNGEST if found is None else found)
        return self._last_time[1]

    @property
    def may_be_half_dead(self) -> bool:
        """Whether it is time to look which traits somebody still has."""
        return len(self._traits) > self._most_traits

    def start_again(self, used: Container[Told]) -> None:
        """The asks were numbered anew, and these traits are those that somebody has."""
        self.templates.clear()
        self._traits = {told: each for told, each in self._traits.items() if told in used}
        self._most_traits = 2 * len(self._traits) + FEW

    def _trait(self, standing: Standing, told: Told) -> Trait:
        traits = self._traits.get(told)
        if traits is None:
            traits = self._traits[told] = tuple(Trait(each, *told) for each in Standing)
        return traits[standing.value]


def standing_of(pod: Pod) -> Standing:
    """How a pod stands that has a node or has ended."""
    if pod.status.phase == "Succeeded":
        is_stamped = _STAMPED_PLAN in pod.metadata.annotations
        return Standing.FULFILLED if is_stamped else Standing.SUCCEEDED
    if pod.status.phase == "Failed":
        return Standing.FAILED
    if pod.metadata.is_leaving:
        return Standing.LEAVING
    return Standing.RUNNING if pod.status.phase == "Running" else Standing.BOUND


def is_same(old: Pod, new: Pod) -> bool:
    """Whether nothing differs that a plan could depend on, as after a write of its status."""
    before, after = old.metadata, new.metadata
    return (
        before.uid == after.uid
        and before.labels == after.labels
        and before.annotations == after.annotations
        and before.deletion_timestamp == after.deletion_timestamp
        and before.creation_timestamp == after.creation_timestamp
        and old.spec == new.spec
    )


def is_as_assumed(old: Pod, new: Pod) -> bool:
    """Whether a bound pod is the one that waited, with a node and our stamp and nothing else. Where
    that cannot be told at once the answer is no, and the pod is read like any other."""
    before, after, status = old.metadata, new.metadata, new.status
    if before.uid != after.uid or before.labels != after.labels or after.deletion_timestamp:
        return False
    if status.container_statuses or status.init_container_statuses or new.spec.resources:
        return False
    told = after.annotations
    if told != before.annotations:
        told = {key: told[key] for key in told if not key.startswith(_STAMP)}
    return (
        told == before.annotations
        and old.spec.priority == new.spec.priority
        and old.spec.priority_class_name == new.spec.priority_class_name
        and is_alike(old.spec, new.spec)
    )


def _cause(pod: Pod, membership: Membership) -> Cause | None:
    if pod.metadata.is_leaving:
        return _LEAVING
    if pod.spec.scheduling_gates:
        return _GATED
    if membership.not_built:
        return not_built.of_marker(membership.not_built)
    return None


def _is_resized(pod: Pod) -> bool:
    """Whether what it takes may be another amount than its spec tells."""
    return pod.spec.resources is not None or not asking.is_at_rest(pod)


def is_single(membership: Membership) -> bool:
    """Whether the pod is a gang of its own."""
    return membership.dialect == single.NAME


def is_asked(place: str) -> bool:
    """Whether a fault there may hide what a bound pod takes on its node, or whom it keeps out."""
    return place in _WHOLE or place.startswith(_ASKED)
