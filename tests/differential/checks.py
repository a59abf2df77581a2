"""All that issue 3 promises of `fullcrew plan`, as checks over manifests and the plan's JSON.

They were written from the words of the issue, before and beside the planner, and share no code
with it. Each answers with what is wrong, in words; an empty answer is a plan that keeps its word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from differential import roomy, telling, turns, whose
from differential.case import Case, case
from differential.rows import Manifest

__all__ = ["PROMISES", "violations"]

Check = Callable[[Case], Iterator[str]]

_ALL: Final[tuple[Check, ...]] = (
    telling.the_form_is_kept,
    whose.only_ours_start,
    whose.pods_stand_once,
    whose.entries_are_of_their_gang,
    whose.whole_or_not_at_all,
    whose.held_pods_do_not_start,
    whose.a_closed_queue_starts_nothing_fresh,
    whose.gangs_short_of_pods_wait,
    whose.wounded_get_all_or_nothing,
    roomy.nodes_are_allowed,
    roomy.never_over_nodes,
    roomy.ports_do_not_clash,
    roomy.never_over_queues,
    roomy.nothing_idle,
    roomy.growth_leaves_nothing_idle,
    turns.starts_are_in_order,
    turns.best_effort_comes_last,
    turns.nobody_is_overtaken,
    telling.reasons_say_why,
    telling.limits_are_not_made_up,
)

PROMISES: Final[Mapping[str, Check]] = MappingProxyType(
    {check.__name__.replace("_", " "): check for check in _ALL}
)


def violations(documents: Sequence[Manifest], plan: Mapping[str, Any]) -> list[str]:
    """Every promise that a plan breaks, and how."""
    judged = case(documents, plan)
    return [f"{name}: {how}" for name, check in PROMISES.items() for how in check(judged)]
