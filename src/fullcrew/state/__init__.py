"""From Kubernetes objects to the columns and values that the core plans with: one feed for all.

`State` takes objects in any order, remembers which binds are under way, and gives snapshots.
"""

from __future__ import annotations

from fullcrew.state.feed import Object
from fullcrew.state.records import Members
from fullcrew.state.state import State

__all__ = ["Members", "Object", "State"]
