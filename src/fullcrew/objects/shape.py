"""What all structs here have in common: they are read, never changed, and cheap by the thousand.

Every field has a default, because Kubernetes leaves out what is empty; unknown fields are skipped
without being built. `gc=False` keeps hundreds of thousands of them out of the collector's way,
which is safe for values that cannot form a cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Final

import msgspec

__all__ = [
    "NO_AMOUNTS",
    "NO_STRINGS",
    "Amounts",
    "Int32",
    "Int64",
    "JudgedAmounts",
    "Quantity",
    "Shape",
    "Strings",
    "Time",
]

# As wide as Kubernetes has them: what is wider is a fault there too.
Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]

Quantity = str | int | float  # as written; `quantity` says what it is worth
Amounts = Mapping[str, Quantity]  # by the name of the resource
Strings = Mapping[str, str]  # labels and annotations

# Amounts that nobody reckons with yet: what is none is a fault all the same, and found at once.
_AMOUNT: Final = (
    r"\A *(?:\+?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?"
    r"|-0+(?:\.0*)?) *\Z"
)
JudgedAmounts = Mapping[
    str,
    Annotated[str, msgspec.Meta(pattern=_AMOUNT)]
    | Annotated[int, msgspec.Meta(ge=0)]
    | Annotated[float, msgspec.Meta(ge=0)],
]

# RFC 3339, as Kubernetes writes times; nothing where there is none.
_TIME: Final = (
    r"\A(?:(?!0000)[0-9]{4}-(?!02-3|(?:0[2469]|11)-31)(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"[Tt](?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:\.[0-9]{1,30})?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]))?\Z"
)
Time = Annotated[str, msgspec.Meta(pattern=_TIME)]

# Shared, since most pods have no overhead and most objects no annotations.
NO_AMOUNTS: Final[Amounts] = MappingProxyType({})
NO_STRINGS: Final[Strings] = MappingProxyType({})


class Shape(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, rename="camel"):
    """A part of a Kubernetes object, with the fields we read and no others."""
