"""Plans from recorded snapshots, a line each, in a process of their own: python -m ... < > ."""

from __future__ import annotations

import sys

from properties import recording

from fullcrew import core, policies

__all__ = ["replayed"]


def replayed(recorded: bytes) -> bytes:
    """The plan of one snapshot, as bytes."""
    snapshot = recording.snapshot_of(recorded)
    return recording.as_bytes(core.plan(snapshot, policies.built_in(), core.Memo()))


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(replayed(line) + b"\n")
