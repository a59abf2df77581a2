"""Plays a scenario: plans, compares, binds what the plan starts, changes something, plans again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from differential import checks
from given import Manifest
from properties.planning import applied, planned
from scenarios import short

__all__ = ["Scenario", "play", "scenarios"]

FOLDER = Path(__file__).parent / "plans"
DIALECTS = ("volcano", "kube-batch", "sigs", "labels")

Told = Mapping[str, Any]


@dataclass(frozen=True)
class Scenario:
    """One entry of a file, in one dialect where it is told for several."""

    file: str
    numbers: tuple[int, ...]  # the originals', as docs/compat.md numbers them
    says: str
    steps: tuple[Told, ...]
    dialect: str = ""

    @property
    def title(self) -> str:
        """For the name of the test."""
        number = "+".join(str(each) for each in self.numbers) or "ours"
        return f"{number} {self.says}" + (f" ({self.dialect})" if self.dialect else "")


def scenarios() -> Iterator[Scenario]:
    """All of all files."""
    for path in sorted(FOLDER.glob("*.yaml")):
        for told in yaml.safe_load(path.read_text("utf-8")):
            yield from _read(path.name, told)


def _read(file: str, told: Told) -> Iterator[Scenario]:
    unknown = set(told) - {"scenario", "says", "given", "then", "steps", "dialects"}
    assert not unknown, f"{file}: nobody knows {sorted(unknown)} here"
    numbers = told["scenario"] if isinstance(told["scenario"], list) else [told["scenario"]]
    first = {"add": told["given"], "then": told["then"]}
    steps = (first, *(told.get("steps") or ()))
    dialects = DIALECTS if told.get("dialects") == "all" else (told.get("dialects") or ("",))
    for dialect in dialects:
        yield Scenario(file, tuple(each for each in numbers if each), told["says"], steps, dialect)


def play(scenario: Scenario) -> None:
    """Each step: what changes, a plan of what is there then, and what it must say."""
    there: list[Manifest] = []
    plan: Told = {"starts": [], "waits": []}
    for step in scenario.steps:
        unknown = set(step) - {"gone", "ended", "add", "ungated", "then"}
        assert not unknown, f"nobody knows {sorted(unknown)} in a step"
        there = applied(there, plan)
        there = [_ended(told, step.get("ended") or ()) for told in there]
        there = [_ungated(told, step.get("ungated") or ()) for told in there]
        there = [told for told in there if not _is_of(told, step.get("gone") or ())]
        there = _with(there, short.documents(_in_dialect(step.get("add") or {}, scenario.dialect)))
        plan = planned(there)
        assert checks.violations(there, plan) == []
        _compare(plan, step["then"])


def _in_dialect(told: Told, dialect: str) -> Told:
    if not dialect or "gangs" not in told:
        return told
    return {**told, "gangs": {name: {**g, "dialect": dialect} for name, g in told["gangs"].items()}}


def _with(there: list[Manifest], more: list[Manifest]) -> list[Manifest]:
    """What is told again replaces what was there."""
    fresh = {(told["kind"], told["metadata"]["name"]) for told in more}
    return [told for told in there if (told["kind"], told["metadata"]["name"]) not in fresh] + more


def _is_of(told: Manifest, names: Any) -> bool:  # noqa: ANN401
    """Whether a document, or the pod of a gang or of others, goes by one of the names."""
    own = told["metadata"]["name"]
    return own in names or (told["kind"] == "Pod" and own.rpartition("-")[0] in names)


def _ended(told: Manifest, names: Any) -> Manifest:  # noqa: ANN401
    if told["kind"] != "Pod" or not _is_of(told, names):
        return told
    return {**told, "status": {"phase": "Succeeded"}}


def _ungated(told: Manifest, names: Any) -> Manifest:  # noqa: ANN401
    if told["kind"] != "Pod" or not _is_of(told, names):
        return told
    kept = {field: value for field, value in told["spec"].items() if field != "schedulingGates"}
    return {**told, "spec": kept}


def _compare(plan: Told, then: Told) -> None:
    """Starts in their order, waits by name; of each as much as the scenario tells."""
    unknown = set(then) - {"starts", "waits", "in any order"}
    assert not unknown, f"nobody knows {sorted(unknown)} in then"
    starts = {_own(start["gang"]): start["pods"] for start in plan["starts"]}
    expected = {name: pods for each in then.get("starts") or () for name, pods in each.items()}
    order = sorted if then.get("in any order") else list
    assert order(starts) == order(expected), (order(starts), order(expected))
    for name, pods in expected.items():
        assert _as_told(starts[name], pods) == pods, (name, starts[name], pods)
    waits: dict[str, list[Told]] = {}
    for wait in plan["waits"]:
        waits.setdefault(_own(wait["gang"]), []).append(wait)
    told = then.get("waits") or {}
    assert sorted(waits) == sorted(told), (sorted(waits), sorted(told))
    for name, wait in told.items():
        _compare_wait(waits[name], wait)


def _own(title: str) -> str:
    return title.removeprefix("default/")


def _as_told(pods: Mapping[str, str], told: Any) -> Any:  # noqa: ANN401
    """How many, which ones, on which node all of them, or who where: as the scenario has it."""
    if isinstance(told, int):
        return len(pods)
    own = {_own(pod): node for pod, node in pods.items()}
    if isinstance(told, list):
        return sorted(own)
    if isinstance(told, str):
        return ", ".join(sorted(set(own.values())))
    return own


def _compare_wait(entries: list[Told], told: Told) -> None:
    unknown = set(told) - {"pods", "stage", "kind", "numbers", "minimum"}
    assert not unknown, f"nobody knows {sorted(unknown)} in waits"
    pods = sorted(_own(pod) for entry in entries for pod in entry["pods"])
    reason = entries[0]["reason"]
    found = {
        "pods": pods if isinstance(told.get("pods"), list) else len(pods),
        "stage": reason["stage"],
        "kind": reason["kind"],
        "minimum": entries[0]["minimum"],
        "numbers": {name: reason["numbers"].get(name) for name in told.get("numbers") or {}},
    }
    assert {name: found[name] for name in told} == told, (found, told, entries)
