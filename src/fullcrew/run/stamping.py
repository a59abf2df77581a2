"""Names of plans: each is used once, by one process, so a pod tells which plan bound it."""

from __future__ import annotations

import secrets

__all__ = ["Stamps"]


class Stamps:
    """Sixteen hexadecimal digits: eight of this process, eight that count."""

    def __init__(self) -> None:
        self._process = secrets.token_hex(4)
        self._count = 0

    def next(self) -> str:
        """The name of a new plan."""
        self._count += 1
        return f"{self._process}{self._count & 0xFFFFFFFF:08x}"
