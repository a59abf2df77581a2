"""A snapshot or a plan as bytes, and back: every field by name, columns as lists of numbers."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

import numpy as np

from fullcrew.room import Room, Snapshot

__all__ = ["as_bytes", "snapshot_of"]


def as_bytes(value: object) -> bytes:
    """The same value always gives the same bytes."""
    return json.dumps(_told(value)).encode()


def snapshot_of(recorded: bytes) -> Snapshot:
    """The snapshot again."""
    return cast("Snapshot", _value(json.loads(recorded)))


def _told(value: object) -> object:  # noqa: PLR0911
    match value:
        case None | bool() | int() if not isinstance(value, Enum):
            return value
        case Enum():
            return {"enum": _name(value), "is": value.value}
        case str():
            return value
        case np.ndarray():
            return {"array": str(value.dtype), "shape": value.shape, "is": value.ravel().tolist()}
        case Room():
            return {"room": [_told(each) for each in (value.free, value.used, value.limit)]}
        case Mapping():
            return {"map": [[_told(key), _told(kept)] for key, kept in value.items()]}
        case tuple():
            name = _name(value) if hasattr(value, "_fields") else ""
            return {"tuple": name, "is": [_told(each) for each in value]}
    assert is_dataclass(value), f"nobody knows how to record {type(value)}"
    kept = {field.name: _told(getattr(value, field.name)) for field in fields(value)}
    return {"record": _name(value), "is": kept}


def _value(told: Any) -> Any:  # noqa: ANN401, PLR0911
    match told:
        case {"enum": name, "is": kept}:
            return _class(name)(kept)
        case {"array": dtype, "shape": shape, "is": kept}:
            column = np.array(kept, dtype=dtype).reshape(shape)
            column.flags.writeable = False
            return column
        case {"room": columns}:
            return Room(*(_value(each) for each in columns))
        case {"map": pairs}:
            return {_value(key): _value(kept) for key, kept in pairs}
        case {"tuple": name, "is": kept}:
            values = (_value(each) for each in kept)
            return _class(name)(*values) if name else tuple(values)
        case {"record": name, "is": kept}:
            return _class(name)(**{field: _value(each) for field, each in kept.items()})
    return told


def _name(value: object) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"


def _class(name: str) -> Any:  # noqa: ANN401
    module, _, own = name.partition(":")
    return getattr(importlib.import_module(module), own)
