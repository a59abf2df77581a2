"""Words for tests of `fullcrew plan`: manifests in, the contract's plain values out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from given import Manifest, asking, having, in_group, node, pod

from fullcrew.cli import plan_json, planning
from fullcrew.cli.planning import Settings

__all__ = ["NOW", "Planned", "bundle", "gpu_node", "gpu_pods", "plan_of"]

NOW = 1_800_000_000


@dataclass(frozen=True)
class Planned:
    """What `fullcrew plan -o json` would print, but for the seconds."""

    told: dict[str, Any]

    @property
    def starts(self) -> list[str]:
        """The gangs that start, in the order of decision."""
        return [entry["gang"] for entry in self.told["starts"]]

    @property
    def nodes(self) -> dict[str, str]:
        """Each pod that starts, and its node."""
        return {pod: node for start in self.told["starts"] for pod, node in start["pods"].items()}

    @property
    def waits(self) -> dict[str, str]:
        """Each pod that waits, and the kind of its reason."""
        entries = self.told["waits"]
        return {pod: wait["reason"]["kind"] for wait in entries for pod in wait["pods"]}

    def entries(self, gang: str) -> list[dict[str, Any]]:
        """What stands in `waits` of a gang."""
        return [entry for entry in self.told["waits"] if entry["gang"] == gang]

    def reason(self, gang: str) -> dict[str, Any]:
        """Why a gang waits; it must stand there once."""
        (entry,) = self.entries(gang)
        found: dict[str, Any] = entry["reason"]
        return found


def plan_of(*told: Manifest | Iterable[Manifest], settings: Settings | None = None) -> Planned:
    """One plan of these manifests, each in a file of its own."""
    files = [(f"{n}.json", json.dumps(one).encode()) for n, one in enumerate(bundle(*told))]
    outcome = planning.planned(files, settings or Settings(), now=NOW, stopwatch=lambda: 0.0)
    contract = plan_json.contract(outcome.plan, read_seconds=0, plan_seconds=0)
    return Planned(json.loads(json.dumps(contract)))


def bundle(*told: Manifest | Iterable[Manifest]) -> list[Manifest]:
    """All manifests of these, and of these lists of them."""
    return [one for each in told for one in ([each] if isinstance(each, dict) else each)]


def gpu_node(name: str, gpus: int, *parts: Manifest) -> Manifest:
    """A node with GPUs and plenty of the rest."""
    return node(name, having(gpu=gpus), *parts)


def gpu_pods(gang: str, count: int, *parts: Manifest, gpu: int = 1) -> list[Manifest]:
    """Pods `<gang>-0` and on, of the group of that name, each with as many GPUs."""
    _, _, own = gang.rpartition("/")
    return [pod(f"{gang}-{n}", asking(gpu=gpu), in_group(own), *parts) for n in range(count)]
