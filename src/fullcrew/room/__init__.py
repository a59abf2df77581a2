"""What is many: columns, the snapshot, the plan, and `Room`, the one mutable ledger."""

from __future__ import annotations

from fullcrew.room.ledger import Ints, Mark, Mask, Room, Taking
from fullcrew.room.outcome import Binding, Plan, Start, Wait
from fullcrew.room.snapshot import LabelColumn, Nodes, Snapshot

__all__ = [
    "Binding",
    "Ints",
    "LabelColumn",
    "Mark",
    "Mask",
    "Nodes",
    "Plan",
    "Room",
    "Snapshot",
    "Start",
    "Taking",
    "Wait",
]
