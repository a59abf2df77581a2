"""From a snapshot to a plan: cycle, order, admission, fit, search, memo; and the ports."""

from __future__ import annotations

from fullcrew.core.cycle import plan
from fullcrew.core.lines import line
from fullcrew.core.memo import Memo
from fullcrew.core.ports import ColumnScorer, Fairness, Filter, Policies, Scorer, View

__all__ = [
    "ColumnScorer",
    "Fairness",
    "Filter",
    "Memo",
    "Policies",
    "Scorer",
    "View",
    "line",
    "plan",
]
