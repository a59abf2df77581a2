"""The built-in policies, one file each, named as the configuration names them."""

from __future__ import annotations

from fullcrew.policies.by_name import built_in
from fullcrew.policies.pack import Pack
from fullcrew.policies.predicates import Predicates
from fullcrew.policies.proportion import Proportion
from fullcrew.policies.spread import Spread

__all__ = ["Pack", "Predicates", "Proportion", "Spread", "built_in"]
