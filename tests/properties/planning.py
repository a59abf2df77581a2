"""Plans by the entry that `fullcrew plan` uses, from documents to the JSON of its contract."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from given import Manifest, decoded

from fullcrew import core, policies, state
from fullcrew.cli import plan_json, planning
from fullcrew.model import offered

__all__ = ["EVERYBODY", "NOW", "applied", "planned", "planned_as_fed", "without_seconds"]

NOW: Final = 1_800_000_000
EVERYBODY: Final = planning.EVERYBODYS.union(offered.OWNED)


def planned(documents: Sequence[Manifest]) -> dict[str, Any]:
    """What `fullcrew plan -o json` prints."""
    told = {"apiVersion": "v1", "kind": "List", "items": list(documents)}
    sources = [("cluster.json", json.dumps(told).encode())]
    outcome = planning.planned(sources, planning.Settings(), now=NOW, stopwatch=lambda: 0.0)
    contract = plan_json.contract(outcome.plan, read_seconds=0.0, plan_seconds=0.0)
    made: dict[str, Any] = json.loads(json.dumps(contract))
    return made


def planned_as_fed(documents: Sequence[Manifest]) -> dict[str, Any]:
    """The same from a state that is told of them in this order, where files are sorted first."""
    fed = state.State(owned=EVERYBODY)
    for told in documents:
        fed.put(decoded(told))
    plan = core.plan(fed.snapshot(NOW), policies.built_in(), core.Memo())
    made: dict[str, Any] = json.loads(
        json.dumps(plan_json.contract(plan, read_seconds=0.0, plan_seconds=0.0))
    )
    return made


def without_seconds(plan: Mapping[str, Any]) -> str:
    """All that must be equal, as text: what stands where counts too."""
    return json.dumps({key: told for key, told in plan.items() if key != "seconds"})


def applied(documents: Sequence[Manifest], plan: Mapping[str, Any]) -> list[Manifest]:
    """The documents as they are once all that the plan starts runs."""
    nodes = {pod: node for start in plan["starts"] for pod, node in start["pods"].items()}
    return [_bound(told, nodes) for told in documents]


def _bound(told: Manifest, nodes: Mapping[str, str]) -> Manifest:
    metadata = told["metadata"]
    node = nodes.get(f"{metadata.get('namespace') or 'default'}/{metadata['name']}")
    if told["kind"] != "Pod" or node is None:
        return told
    return {
        **told,
        "spec": {**told["spec"], "nodeName": node},
        "status": {**(told.get("status") or {}), "phase": "Running"},
    }
