"""Documents made from the structs that read them, and the places in them that may be wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from msgspec import inspect

from fullcrew import objects
from fullcrew.objects import fields

__all__ = ["JUNK", "Path", "Told", "documents", "in_words", "is_wrong", "places", "put", "without"]

Told = Any  # whatever JSON can say
Path = tuple[str | int, ...]
Place = tuple[Path, inspect.Type]

# What somebody may write where something else belongs.
JUNK: Final[tuple[object, ...]] = (
    *(None, True, 0, -1, 2**31, 2**70, 1.5, 1e300, "", "x", "1", [], [None], ["x"], [[]]),
    *({}, {"x": None}, {"name": 5}, {"a": {"b": []}}),
)

_EMPTY: Final[st.SearchStrategy[Told]] = st.just({})
_PLAIN: Final[dict[type, st.SearchStrategy[object]]] = {
    inspect.StrType: st.sampled_from(["", "a", "b", "n1", "Always", "1Gi", "2026-01-01T00:00:00Z"]),
    inspect.IntType: st.integers(-3, 100),
    inspect.BoolType: st.booleans(),
    inspect.UnionType: st.sampled_from(["1", "500m", 2, 0.5, "none"]),
}
_FITTING: Final[dict[type, tuple[type, ...]]] = {
    inspect.StructType: (dict,),
    inspect.DictType: (dict,),
    inspect.VarTupleType: (list,),
    inspect.StrType: (str,),
    inspect.BoolType: (bool,),
    inspect.IntType: (int,),
    inspect.FloatType: (float,),
    inspect.UnionType: (str, int, float),
}


@cache
def documents(kind: type[objects.KubernetesObject]) -> st.SearchStrategy[dict[str, Told]]:
    """Sound documents of this kind: any of its fields, any depth."""
    return _values(inspect.type_info(kind), depth=0)


def _values(wanted: inspect.Type, *, depth: int) -> st.SearchStrategy[Told]:
    below = depth + 1
    match wanted:
        case inspect.StructType():
            parts = {f.encode_name: _values(f.type, depth=below) for f in wanted.fields}
            return _some(parts, least=min(len(parts), 2 if depth < 2 else 1)) if parts else _EMPTY
        case inspect.VarTupleType(item_type=item):
            return st.lists(_values(item, depth=below), min_size=1, max_size=2)
        case inspect.DictType(value_type=value):
            keys = st.sampled_from(["cpu", "memory", "nvidia.com/gpu"])
            return st.dictionaries(keys, _values(value, depth=below), max_size=2)
        case inspect.UnionType() if _needed(wanted) is not wanted:
            return _values(_needed(wanted), depth=depth)
    return _PLAIN[type(wanted)].filter(lambda value: _is_of_form(value, wanted))


def _is_of_form(value: object, wanted: inspect.Type) -> bool:
    """Whether a value of a right type is also written as it must be."""
    if isinstance(wanted, inspect.UnionType):
        fitting = (each for each in wanted.types if type(value) in _FITTING[type(each)])
        return any(_is_of_form(value, each) for each in fitting)
    if isinstance(wanted, inspect.StrType):
        return re.search(wanted.pattern or "", str(value)) is not None
    if isinstance(wanted, inspect.FloatType | inspect.IntType) and isinstance(value, int | float):
        return (wanted.ge is None or wanted.ge <= value) and (
            wanted.le is None or value <= wanted.le
        )
    return True


@st.composite
def _some(draw: st.DrawFn, parts: dict[str, st.SearchStrategy[Told]], *, least: int) -> Told:
    names = draw(st.lists(st.sampled_from(sorted(parts)), min_size=least, max_size=3, unique=True))
    return {name: draw(parts[name]) for name in names}


def places(told: Told, wanted: inspect.Type, path: Path = ()) -> Iterator[Place]:
    """Every place of a sound document, with the type that belongs there."""
    yield path, wanted
    match _needed(wanted):
        case inspect.StructType(fields=known):
            types = {f.encode_name: f.type for f in known}
            inner = [(name, value, types[name]) for name, value in told.items()]
        case inspect.VarTupleType(item_type=item):
            inner = [(at, value, item) for at, value in enumerate(told)]
        case inspect.DictType(value_type=value_type):
            inner = [(key, value, value_type) for key, value in told.items()]
        case _:
            return
    for key, value, of in inner:
        yield from places(value, of, (*path, key))


def _needed(wanted: inspect.Type) -> inspect.Type:
    """The type itself, of one that may be null."""
    if isinstance(wanted, inspect.UnionType):
        real = [each for each in wanted.types if not isinstance(each, inspect.NoneType)]
        return real[0] if len(real) < len(wanted.types) else wanted
    return wanted


def is_wrong(junk: object, wanted: inspect.Type, *, in_list_or_map: bool) -> bool:
    """Whether this value cannot stand where this type belongs, whatever is inside it."""
    if junk is None:
        return in_list_or_map
    needed = _needed(wanted)
    if type(junk) not in _FITTING[type(needed)]:
        return True
    return not _is_of_form(junk, needed)


def put(told: Told, path: Path, junk: object) -> Told:
    """The document with another value at this place."""
    if not path:
        return junk
    key, *rest = path
    entries = dict(told.items()) if isinstance(told, dict) else dict(enumerate(told))
    entries[key] = put(entries[key], tuple(rest), junk)
    return entries if isinstance(told, dict) else list(entries.values())


def without(told: Told, path: Path) -> Told:
    """The document as it is read where nothing sound stands at this place.

    Items of a list that are maps stay as empty ones, so that the places of others hold.
    """
    if not path:
        return {}
    key, *rest = path
    if rest:
        return put(told, (key,), without(told[key], tuple(rest)))
    if isinstance(key, int) and isinstance(told[key], dict):
        return put(told, (key,), {})
    entries = told.items() if isinstance(told, dict) else enumerate(told)
    kept = {at: value for at, value in entries if at != key}
    return kept if isinstance(told, dict) else list(kept.values())


def in_words(path: Path) -> str:
    """The place as messages write it."""
    place = ""
    for key in path:
        place = f"{place}[{key}]" if isinstance(key, int) else fields.below(place, key)
    return place
