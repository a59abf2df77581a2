"""What is written on a group: phase, conditions, counts and the reason, in its project's words.

All of it follows from the group as it was last seen, from counts of pods that the server has
confirmed, and from the reason of the last plan. Nothing remembers what was written before: what is
there already is not written again, so a steady cluster, or a restart, writes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import msgspec

from fullcrew.dialects.groups import facts
from fullcrew.dialects.words import Words
from fullcrew.model import reason as reasons
from fullcrew.model.reason import Kind as Cause
from fullcrew.model.reason import Reason, Stage
from fullcrew.objects.group import PodGroup
from fullcrew.objects.metadata import Condition

__all__ = [
    "POD_SCHEDULED",
    "REASON",
    "UNSCHEDULABLE",
    "Content",
    "Guard",
    "Look",
    "Moment",
    "Standing",
    "annotation_patch",
    "content",
    "is_whole",
    "kinds",
    "look",
    "phase",
    "pod_patch",
    "reason_text",
    "seen",
    "status_patch",
    "word_for_pods",
]

REASON: Final = "fullcrew.io/reason"
POD_SCHEDULED: Final = "PodScheduled"
UNSCHEDULABLE: Final = "Unschedulable"  # the word that autoscalers buy nodes for

LONGEST_REASON = 8192
"""Characters of the annotation; all annotations of an object share 256 KiB."""

LONGEST_MESSAGE = 1024

# An autoscaler could help against these alone. The rest is a matter of queues, gates and faults.
_ROOM_IS_SHORT: Final = frozenset({Stage.PLACEMENT, Stage.TOPOLOGY})
_NOT_ADMITTED: Final = frozenset(
    {
        Cause.FAULTY,
        Cause.UNKNOWN_QUEUE,
        Cause.UNKNOWN_PRIORITY_CLASS,
        Cause.CLOSED_QUEUE,
        Cause.ENDING,
    }
)


class Standing(NamedTuple):
    """A gang as the cluster shows it, and why it waits, if it does.

    `live` are its members on nodes that are neither leaving nor finished, `running` those of them
    that a kubelet runs; `waiting` have no node. `lacks_role` tells that the minimum of some role
    is not met, whatever the sum.
    """

    minimum: int
    waiting: int = 0
    live: int = 0
    running: int = 0
    succeeded: int = 0
    failed: int = 0
    leaving: int = 0
    lacks_role: bool = False
    reason: Reason | None = None

    @property
    def members(self) -> int:
        """All that are there."""
        return self.waiting + self.live + self.succeeded + self.failed + self.leaving


class Moment(NamedTuple):
    """When a condition changes: the time as Kubernetes writes it, and of which plan."""

    time: str
    plan: str


class Guard(NamedTuple):
    """What a write is refused for if it changed: another object of that name, or a later word."""

    uid: str
    revision: str


@dataclass(frozen=True, slots=True)
class Content:
    """A status as it should stand, and the text of the annotation; "" for none."""

    phase: str
    conditions: tuple[Condition, ...]
    running: int
    succeeded: int
    failed: int
    reason: str = ""


class Look(NamedTuple):
    """All of a status but its numbers: a change of it is worth a write at once."""

    phase: str
    kinds: tuple[object, ...]
    conditions: tuple[tuple[str, str, str], ...]
    runs_whole: bool


def is_whole(standing: Standing) -> bool:
    """The gang stands at its minimum. Succeeded members count once it has started."""
    counted = standing.live + standing.succeeded
    has_started = standing.live > 0 or standing.succeeded >= standing.minimum
    return has_started and counted >= standing.minimum and not standing.lacks_role


def phase(words: Words, standing: Standing, *, before: str) -> str:
    """The word for where the group is.

    `before` matters twice, where pods alone do not tell: a finished group whose pods were cleaned
    up stays finished, and one that a limit would refuse now stays admitted if it was.
    """
    is_known_finished = before == words.finished and words.finished != words.running
    if standing.members == 0 and is_known_finished:
        return before
    ended = standing.succeeded + standing.failed
    if ended >= standing.minimum and ended == standing.members:
        return words.finished
    if is_whole(standing):
        return words.running
    if standing.live:
        return words.wounded
    return words.admitted if _is_admitted(words, standing.reason, before) else words.fresh


def content(words: Words, group: PodGroup, standing: Standing, moment: Moment) -> Content:
    """What should stand on the group now. Where another scheduler serves it, the status is his, and
    only the annotation is ours."""
    if standing.reason is not None and standing.reason.kind is Cause.RIVAL:
        return replace(seen(group), reason=reason_text(standing.reason))
    word = phase(words, standing, before=group.status.phase)
    if standing.members == 0 and word == words.finished != words.running:
        standing = standing._replace(reason=None)  # its pods were cleaned up; it waits for none
    return Content(
        phase=word,
        conditions=_conditions(words, group, standing, moment),
        running=standing.running,
        succeeded=standing.succeeded,
        failed=standing.failed,
        reason=reason_text(standing.reason),
    )


def seen(group: PodGroup) -> Content:
    """What stands on it, as far as we were told."""
    told = group.status
    return Content(
        phase=told.phase,
        conditions=told.conditions,
        running=told.running,
        succeeded=told.succeeded,
        failed=told.failed,
        reason=group.metadata.annotations.get(REASON, ""),
    )


def look(told: Content, *, minimum: int) -> Look:
    """What of it is more than numbers."""
    conditions = tuple((each.type, each.status, each.reason) for each in told.conditions)
    runs_whole = told.running + told.succeeded >= minimum
    return Look(told.phase, _kinds(told.reason), conditions, runs_whole)


def kinds(told: Content) -> tuple[object, ...]:
    """The kinds of its reason, those of the causes below it included."""
    return _kinds(told.reason)


def status_patch(old: Content, new: Content, guard: Guard, *, has_reason: bool) -> bytes:
    """A merge patch of what differs in the status; b"" where nothing does.

    `has_reason` where the status is no resource of its own: then the annotation goes with it.
    """
    metadata: dict[str, object] = {"uid": guard.uid, "resourceVersion": guard.revision}
    status: dict[str, object] = {
        name: getattr(new, name)
        for name in ("phase", "running", "succeeded", "failed")
        if getattr(old, name) != getattr(new, name)
    }
    if old.conditions != new.conditions:
        status["conditions"] = [_written(each) for each in new.conditions]
    is_explained_anew = has_reason and old.reason != new.reason
    if is_explained_anew:
        metadata["annotations"] = {REASON: new.reason or None}
    if not status and not is_explained_anew:
        return b""
    return msgspec.json.encode({"metadata": metadata, **({"status": status} if status else {})})


def annotation_patch(new: Content, *, uid: str) -> bytes:
    """A merge patch of the reason alone. It touches one key, so it needs no revision."""
    told = {"uid": uid, "annotations": {REASON: new.reason or None}}
    return msgspec.json.encode({"metadata": told})


def reason_text(reason: Reason | None) -> str:
    """The reason as JSON on one line; without the causes below it where it would be too long."""
    if reason is None:
        return ""
    text = msgspec.json.encode(reasons.as_json(reason)).decode()
    if len(text) <= LONGEST_REASON:
        return text
    short = replace(reason, children=(), in_the_way=(), message=reason.message[:LONGEST_MESSAGE])
    return msgspec.json.encode(reasons.as_json(short)).decode()


def word_for_pods(reason: Reason) -> str:
    """The reason of the condition `PodScheduled` on a pod that waits.

    Autoscalers buy nodes for `Unschedulable`; so it stands only where room is short, and what
    waits for order, quota or an open queue has its stage there. A pod that names a rule not built
    cannot be helped by nodes either.
    """
    is_for_room = reason.stage in _ROOM_IS_SHORT and reason.kind is not Cause.NOT_BUILT
    return UNSCHEDULABLE if is_for_room else str(reason.stage).capitalize()


def pod_patch(reason: Reason, guard: Guard, *, time: str) -> bytes:
    """A strategic merge patch of a pod's status: this condition, and no other. A pod that was bound
    since it was seen must not say that it waits, so the server refuses it for any later one."""
    condition = {
        "type": POD_SCHEDULED,
        "status": "False",
        "reason": word_for_pods(reason),
        "message": reason.message[:LONGEST_MESSAGE],
        "lastTransitionTime": time,
    }
    metadata = {"uid": guard.uid, "resourceVersion": guard.revision}
    return msgspec.json.encode({"metadata": metadata, "status": {"conditions": [condition]}})


def _is_admitted(words: Words, reason: Reason | None, before: str) -> bool:
    if reason is None or reason.kind not in {*_NOT_ADMITTED, Cause.LIMIT}:
        return True
    was_admitted = before in {words.admitted, words.running, words.wounded}
    return reason.kind is Cause.LIMIT and was_admitted


def _conditions(
    words: Words, group: PodGroup, standing: Standing, moment: Moment
) -> tuple[Condition, ...]:
    """Those of others stay as they are; ours keep their time while they say the same."""
    found = {each.type: each for each in group.status.conditions}
    before, reason = found.get(words.waits), standing.reason
    if is_whole(standing):
        if before is not None and before.status == "True":
            told = Condition(type=words.waits, status="False", reason=words.events.started)
            found[words.waits] = _at(told, before, moment)
    elif reason is not None:
        told = Condition(
            type=words.waits,
            status="True",
            reason=_why(words, group, reason),
            message=reason.message[:LONGEST_MESSAGE],
        )
        found[words.waits] = _at(told, before, moment)
    if words.started:
        _started(words, found, standing, moment)
    return tuple(found.values())


def _why(words: Words, group: PodGroup, reason: Reason) -> str:
    """The project's word for the reason.

    Who has fewer pods than the minimum of a role is told so before anything else, as upstream: one
    figure of the reason is the minimum that is missed, and where the roles make up all of the
    group's minimum, a group short of pods has a role that is.
    """
    if reason.kind is not Cause.TOO_FEW_PODS:
        return words.why_waiting(reason.kind)
    its = facts(group)
    missed = dict(reason.numbers).get("minimum", its.minimum)
    is_of_role = missed != its.minimum or sum(least for _, least in its.roles) == its.minimum
    return words.why_waiting(reason.kind, is_of_role=bool(its.roles) and is_of_role)


def _started(words: Words, found: dict[str, Condition], standing: Standing, moment: Moment) -> None:
    """The condition that says it runs, where the project has one."""
    before = found.get(words.started)
    if is_whole(standing):
        told = Condition(type=words.started, status="True", reason=words.why_started)
        found[words.started] = _at(told, before, moment)
    elif before is not None and before.status == "True" and standing.reason is not None:
        why = words.why_waiting(standing.reason.kind)
        told = Condition(type=words.started, status="False", reason=why)
        found[words.started] = _at(told, before, moment)


def _at(told: Condition, before: Condition | None, moment: Moment) -> Condition:
    is_same = before is not None and before.status == told.status
    return msgspec.structs.replace(
        told,
        last_transition_time=before.last_transition_time if is_same and before else moment.time,
        transition_id=before.transition_id if is_same and before else moment.plan,
    )


def _written(condition: Condition) -> Mapping[str, str]:
    told = {
        "type": condition.type,
        "status": condition.status,
        "transitionID": condition.transition_id,
        "lastTransitionTime": condition.last_transition_time or "",
        "reason": condition.reason,
        "message": condition.message,
    }
    return {name: text for name, text in told.items() if text or name == "status"}


def _kinds(text: str) -> tuple[object, ...]:
    """The kinds in an annotation; nothing where somebody else wrote it."""
    if not text:
        return ()
    try:
        told = msgspec.json.decode(text, type=_Told)
    except msgspec.MsgspecError:
        return ("?",)
    return _kinds_in(told)


class _Told(msgspec.Struct):
    stage: str = ""
    kind: str = ""
    children: tuple[_Told, ...] = ()


def _kinds_in(told: _Told) -> tuple[object, ...]:
    return (told.stage, told.kind, *(_kinds_in(child) for child in told.children))
