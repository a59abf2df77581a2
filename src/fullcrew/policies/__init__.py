"""The built-in policies, one file each, named as the configuration names them."""

from __future__ import annotations

from fullcrew.policies.by_name import built_in

__all__ = ["built_in"]
