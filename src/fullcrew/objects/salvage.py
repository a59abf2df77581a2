"""Reads what can be read of an object with a fault in it, and says where the fault is.

The ordinary decoder gives up at the first field of a wrong type, and with it the object's name.
But a pod must wait under its own name and in its own gang, and one that is bound takes its room
all the same. So here each field is read by itself, down along the structs: what is of a wrong type
keeps its default and is told with its place. Slow, for faults only.

It also takes `null` for a field that is not there, as Kubernetes does (`creationTimestamp: null`
stands in every second manifest), and a map's keys of YAML that are numbers for text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import inspect

from fullcrew.objects.fields import below
from fullcrew.objects.shape import Shape

__all__ = ["Fault", "Salvager"]

Fault = tuple[str, str]  # the place, empty for the object itself, and what is wrong there

Read = TypeVar("Read", bound=Shape)

_UNREADABLE: Final = object()
_NO_VALUE: Final = object()

_GOT: Final = {
    bool: "true or false",
    dict: "a map",
    float: "a number with a fraction",
    int: "a whole number",
    list: "a list",
    str: "text",
    type(None): "null",
}
_WANTED: Final = {
    inspect.BoolType: "true or false",
    inspect.DictType: "a map",
    inspect.FloatType: "a number",
    inspect.IntType: "a whole number",
    inspect.StrType: "text",
    inspect.StructType: "a map",
    inspect.UnionType: "an amount",
    inspect.VarTupleType: "a list",
}
_PLAIN: Final = {
    inspect.BoolType: bool,
    inspect.FloatType: float,
    inspect.IntType: int,
    inspect.StrType: str,
}


class Salvager(Generic[Read]):
    """Reads objects of one shape. To learn the shape costs more than to read one: keep it."""

    def __init__(self, shape: type[Read]) -> None:
        self._shape = shape
        self._wanted = inspect.type_info(shape)

    def read(self, told: object) -> tuple[Read, tuple[Fault, ...]]:
        """The struct with every field that is sound, and the faults in the order of its fields.

        `told` is JSON (`msgspec.Raw`) or what YAML made of it.
        """
        faults: list[Fault] = []
        found = _read(told, self._wanted, "", faults)
        return (found if isinstance(found, self._shape) else self._shape()), tuple(faults)


def _read(told: object, wanted: inspect.Type, place: str, faults: list[Fault]) -> object:
    """The value, or `_NO_VALUE` where there is a fault or nothing at all."""
    value = _opened(told)
    match wanted:
        case inspect.StructType() if isinstance(value, dict):
            return _read_struct(value, wanted, place, faults)
        case inspect.VarTupleType() if isinstance(value, list | tuple):
            return _read_list(value, wanted.item_type, place, faults)
        case inspect.DictType() if isinstance(value, dict):
            return _read_map(value, wanted.value_type, place, faults)
        case inspect.UnionType() if _is_optional(wanted):
            return _read(value, _needed(wanted), place, faults)
        case _ if _is_sound(value, wanted):
            return value
    faults.append((place, _in_words(value, wanted)))
    return _NO_VALUE


def _read_struct(
    told: dict[object, object], wanted: inspect.StructType, place: str, faults: list[Fault]
) -> object:
    """A struct is always made, since each of its fields has a default."""
    found: dict[str, object] = {}
    for field in wanted.fields:
        value = told.get(field.encode_name)
        if value is None or _opened(value) is None:
            continue
        read = _read(value, field.type, below(place, field.encode_name), faults)
        if read is not _NO_VALUE:
            found[field.name] = read
    return wanted.cls(**found)


def _read_list(
    told: list[object] | tuple[object, ...],
    wanted: inspect.Type,
    place: str,
    faults: list[Fault],
) -> tuple[object, ...]:
    """A struct that cannot be read stays as an empty one, so that places in later messages hold."""
    empty = wanted.cls() if isinstance(wanted, inspect.StructType) else _NO_VALUE
    found = (_read(each, wanted, f"{place}[{at}]", faults) for at, each in enumerate(told))
    filled = (empty if each is _NO_VALUE else each for each in found)
    return tuple(each for each in filled if each is not _NO_VALUE)


def _read_map(
    told: dict[object, object], wanted: inspect.Type, place: str, faults: list[Fault]
) -> dict[str, object]:
    """Here null is a fault: a selector that lost an entry would select more."""
    named = {_as_key(key): value for key, value in told.items()}
    if None in named:
        faults.append((place, "a key that is no text"))
    texts = sorted(((k, v) for k, v in named.items() if k is not None), key=itemgetter(0))
    found = {key: _read(value, wanted, below(place, key), faults) for key, value in texts}
    return {key: value for key, value in found.items() if value is not _NO_VALUE}


def _as_key(key: object) -> str | None:
    """A key as text: YAML reads `1:` and `true:` as other things, JSON cannot."""
    match key:
        case str():
            return key
        case bool():
            return str(key).lower()
        case int() | float():
            return str(key)
    return None


def _opened(told: object) -> object:
    """One level of JSON: a number too big for the reader is a fault of its field alone."""
    if not isinstance(told, msgspec.Raw):
        return told
    first = bytes(told).lstrip()[:1]
    kinds: Mapping[bytes, Any] = {b"{": dict[str, msgspec.Raw], b"[": list[msgspec.Raw]}
    try:
        return msgspec.json.decode(told, type=kinds.get(first, Any))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _UNREADABLE


def _is_optional(wanted: inspect.UnionType) -> bool:
    return any(isinstance(each, inspect.NoneType) for each in wanted.types)


def _needed(wanted: inspect.UnionType) -> inspect.Type:
    return next(each for each in wanted.types if not isinstance(each, inspect.NoneType))


def _is_sound(value: object, wanted: inspect.Type) -> bool:
    """Whether a plain value is of the type, bounds included; true and false are no numbers."""
    if isinstance(wanted, inspect.UnionType):
        return any(_is_sound(value, each) for each in wanted.types)
    if not isinstance(value, _PLAIN.get(type(wanted), ())):
        return False
    if isinstance(value, bool):
        return isinstance(wanted, inspect.BoolType)
    if isinstance(wanted, inspect.StrType):
        return re.search(wanted.pattern or "", str(value)) is not None
    if isinstance(wanted, inspect.IntType | inspect.FloatType) and isinstance(value, int | float):
        least, most = wanted.ge, wanted.le
        return (least is None or value >= least) and (most is None or value <= most)
    return True


def _in_words(value: object, wanted: inspect.Type) -> str:
    wish = _WANTED.get(type(wanted), "something else")
    if value is _UNREADABLE:
        return f"what cannot be read, where {wish} belongs"
    if isinstance(value, str) and isinstance(wanted, inspect.StrType | inspect.UnionType):
        wish = "an amount" if isinstance(wanted, inspect.UnionType) else "a time"
        return f"{value!r:.60} where {wish} belongs"
    if isinstance(wanted, inspect.IntType) and type(value) is int:
        return f"a number beyond {wanted.ge} to {wanted.le}"
    return f"{_GOT.get(type(value), 'something else')} where {wish} belongs"
