"""Plain values that every layer speaks of: amounts, constraints, gangs, queues, reasons."""

from __future__ import annotations

from fullcrew.model import amounts, gang, offered, reason, where

__all__ = ["amounts", "gang", "offered", "reason", "where"]
