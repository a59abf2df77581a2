"""A failing cluster made small: documents are left out as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from given import Manifest

__all__ = ["shrunk"]


def shrunk(
    documents: Sequence[Manifest], fails: Callable[[Sequence[Manifest]], bool]
) -> list[Manifest]:
    """The same failure with fewer documents: halves first, then single ones."""
    kept = list(documents)
    size = len(kept) // 2
    while size:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if fails(fewer):
                kept = fewer
            else:
                at += size
        size //= 2
    return kept
