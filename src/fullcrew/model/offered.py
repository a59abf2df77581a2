"""What users choose from by name. Commands offer it before anything slow is imported."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["OWNED", "Score"]

# The scheduler names whose pods are ours, unless somebody names others.
OWNED: Final = ("fullcrew", "kube-batch", "volcano")


class Score(StrEnum):
    """Which nodes are liked best; `policies` has a file of that name for each."""

    PACK = "pack"
    SPREAD = "spread"
