"""A state that lives on: fed change by change, planned in between, its plans assumed and bound."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random

import given
from given import Manifest
from properties.planning import EVERYBODY, NOW, applied

from fullcrew import core, policies
from fullcrew.cli import plan_json
from fullcrew.room import Plan, Snapshot
from fullcrew.state import State

__all__ = ["History", "contract", "with_uids"]


def with_uids(documents: Sequence[Manifest], life: str) -> list[Manifest]:
    """As a server would have made them: in another life a pod of the same name is another pod."""
    return [
        {**told, "metadata": {**told["metadata"], "uid": f"{life}-{told['metadata']['name']}"}}
        for told in documents
    ]


def contract(plan: Plan) -> dict[str, object]:
    """The plan as scripts see it."""
    made = plan_json.contract(plan, read_seconds=0.0, plan_seconds=0.0)
    found: dict[str, object] = json.loads(json.dumps(made))
    return found


class History:
    """One state, one memo, and what documents it has been told."""

    def __init__(self) -> None:
        self.state = State(owned=EVERYBODY)
        self.memo = core.Memo()
        self.told: dict[tuple[str, str, str, str], Manifest] = {}

    def put(self, told: Manifest) -> None:
        """Added or changed."""
        self.told[_identity(told)] = told
        self.state.put(given.decoded(told))

    def drop(self, told: Manifest) -> None:
        """Deleted."""
        del self.told[_identity(told)]
        self.state.drop(given.decoded(told))

    def plans(self) -> tuple[Snapshot, Plan, Plan]:
        """The plan with the memo that was used all the time, and the plan with an empty one."""
        moment = self.state.snapshot(NOW)
        policy = policies.built_in()
        used = core.plan(moment, policy, self.memo)
        return moment, used, core.plan(moment, policy, core.Memo())

    def carry_out(self, moment: Snapshot, plan: Plan, *, chance: Random) -> None:
        """Starts are assumed; then the binds come back through the watch, but for some."""
        for start in plan.starts:
            assert self.state.assume(start, generation=moment.generation)
        bound = applied(list(self.told.values()), contract(plan))
        for told, before in zip(bound, list(self.told.values()), strict=True):
            if told is before:
                continue
            if chance.random() < 0.8:
                self.put(told)
            else:
                name = f"{told['metadata']['namespace']}/{told['metadata']['name']}"
                self.state.forget(name, told["metadata"]["uid"])

    def become(self, documents: Sequence[Manifest], *, chance: Random) -> None:
        """Change by change, in any order, until only these documents are left."""
        goal = {_identity(told): told for told in documents}
        changes = [*goal.values(), *(told for key, told in self.told.items() if key not in goal)]
        chance.shuffle(changes)
        for told in changes:
            if _identity(told) in goal:
                self.put(told)
            else:
                self.drop(self.told[_identity(told)])


def _identity(told: Manifest) -> tuple[str, str, str, str]:
    metadata = told["metadata"]
    return told["apiVersion"], told["kind"], metadata.get("namespace") or "", metadata["name"]
