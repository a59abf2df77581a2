"""Golden files: text that a person has read and accepted, compared as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Accepted"]


@dataclass(frozen=True, slots=True)
class Accepted:
    """`make accept` rewrites what differs, and a person reads the diff before it is committed."""

    is_rewriting: bool

    def compare(self, path: Path, text: str) -> None:
        """The file must hold exactly this text."""
        held = path.read_text("utf-8") if path.exists() else ""
        if text != held and self.is_rewriting:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            return
        assert text == held, f"{path.name} has changed; if it should: make accept, read the diff"
