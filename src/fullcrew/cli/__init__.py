"""Commands for people: what they ask for, how the answer is drawn, and how errors are told."""

from __future__ import annotations

from fullcrew.cli.commands import main

__all__ = ["main"]
