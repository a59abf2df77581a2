"""Volcano's groups, `scheduling.volcano.sh/v1beta1`.

Pods name their group in the annotation `scheduling.k8s.io/group-name`; the newer looking
`scheduling.volcano.sh/group-name` is read for membership by nobody, Volcano included. A group is
Inqueue as soon as its queue admits it, since Volcano's controller makes pods only then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from fullcrew.dialects import reading
from fullcrew.dialects.facts import GroupFacts
from fullcrew.dialects.words import EventWords, Words
from fullcrew.model.reason import Kind as Cause
from fullcrew.objects.group import PodGroup

__all__ = ["NAME", "WORDS", "facts"]

NAME: Final = "volcano"

# As its own scheduler and controller write them.
WORDS: Final = Words(
    fresh="Pending",
    admitted="Inqueue",
    running="Running",
    wounded="Unknown",
    finished="Completed",
    waits="Unschedulable",
    started="Scheduled",
    why_started="tasks in gang are ready to be scheduled",
    why={
        Cause.TOO_FEW_PODS: "NotEnoughTasks",
        Cause.GATED: "NotEnoughTasks",
        Cause.NO_GROUP: "NotEnoughTasks",
    },
    why_else="NotEnoughResources",
    why_role="NotEnoughPodsOfTask",
    events=EventWords(waits="Unschedulable", started="Scheduled"),
)


def facts(group: PodGroup) -> GroupFacts:
    """kube-batch's fields, minimums of roles, `minResources`, and rules of topology not built."""
    spec = group.spec
    found = reading.facts(group, dialect=NAME)
    roles = {role: least for role, least in spec.min_task_member.items() if least < 0}
    asked, fault = reading.amounts(spec.min_resources)
    if roles:
        fault = f"spec.minTaskMember.{min(roles)} is less than nothing"
    elif fault:
        fault = f"spec.minResources.{fault}"
    return replace(
        found,
        roles=reading.binding_roles(spec.min_task_member, minimum=spec.min_member),
        min_resources=asked,
        not_built=_rules_not_built(group),
        fault=found.fault or fault,
    )


def _rules_not_built(group: PodGroup) -> tuple[str, ...]:
    topology = group.spec.network_topology
    rules = []
    if topology is not None and topology.mode != "soft":
        rules.append("spec.networkTopology")
    if group.spec.sub_group_policy:
        rules.append("spec.subGroupPolicy")
    return tuple(rules)
