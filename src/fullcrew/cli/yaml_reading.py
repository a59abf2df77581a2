"""YAML as Kubernetes reads it: plain values, made from the parser's events with a stack of our own.

PyYAML's own constructor is passed by for three reasons. It recurses, so a deep document ends the
process; it follows aliases for free, so that ten lines can stand for a billion values to whoever
walks them; and it costs twice as much. Its words are kept where Kubernetes agrees: `yes` and `on`
are true, times stay text. Words that tools write without quotes (`y`, `1:30`, `=`) stay text too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from fullcrew import errors

__all__ = ["MOST_DEPTH", "Value", "documents"]

# What a document is made of; keys are always text, as in JSON.
Value = None | bool | int | float | str | list[Any] | dict[str, Any]

MOST_DEPTH: Final = 200  # Kubernetes' own schemas stay below 100
_MOST_REPEATED: Final = 100_000  # values that aliases may stand for, beside ten times the rest
_LONGEST_NUMBER: Final = 40  # characters; no field of Kubernetes holds a longer one
_CHARACTERS_OF_A_VALUE: Final = 32  # so much text costs as much as one value more

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml where it was built in
_TAG: Final = "tag:yaml.org,2002:"
_MERGE: Final = "<<"

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_KINDS: Final[dict[str, set[type]]] = {
    "int": {int},
    "float": {int, float},
    "bool": {bool},
    "null": {type(None)},
}
_MAY_BE_NUMBERS: Final = frozenset("0123456789+-.")
_INTEGER: Final = re.compile(
    r"[-+]?(?:(?P<decimal>0|[1-9][0-9_]*)|0b(?P<binary>_*[01][01_]*)"
    r"|0x(?P<hex>_*[0-9a-fA-F][0-9a-fA-F_]*)|0(?P<octal>_*[0-7][0-7_]*))",
    re.ASCII,
)
_BASES: Final = {"decimal": 10, "binary": 2, "hex": 16, "octal": 8}
_FLOAT: Final = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+][0-9]+)?", re.ASCII
)


@dataclass(slots=True)
class _Frame:
    """A map or list that is not complete yet."""

    value: Any  # a dict or a list
    anchor: str | None
    cost_before: int
    key: str | None = None  # of a map: the key whose value comes next
    is_merging: bool = False  # what comes next is for `<<`
    merged: list[dict[str, Any]] = field(default_factory=list)

    @property
    def wants_key(self) -> bool:
        """Whether what comes next is a key and no value."""
        return self.key is None and type(self.value) is dict


def documents(data: bytes, *, file: str) -> Iterator[tuple[int, Value]]:
    """Each document with its number, from 1. Empty ones (null) are counted too.

    Raises BadManifest at the first thing that is no YAML, or that no manifest needs; what was
    before it has been given out by then.
    """
    builder = _Builder(file)
    take: dict[type, Callable[[Any], None]] = {
        yaml.ScalarEvent: builder.scalar,
        yaml.MappingStartEvent: builder.open_map,
        yaml.SequenceStartEvent: builder.open_list,
        yaml.MappingEndEvent: builder.close,
        yaml.SequenceEndEvent: builder.close,
        yaml.AliasEvent: builder.alias,
        yaml.DocumentStartEvent: builder.begin,
    }
    try:
        for event in yaml.parse(data, Loader=_LOADER):
            taker = take.get(type(event))
            if taker is not None:
                taker(event)
            elif type(event) is yaml.DocumentEndEvent:
                yield builder.number, builder.root
    except yaml.YAMLError as error:
        raise _no_yaml(error, file=file, number=max(1, builder.number)) from None


class _Builder:
    """What the events have made so far. The cost of a value is itself and all that is in it."""

    def __init__(self, file: str) -> None:
        self.number = 0
        self.root: Value = None
        self._file = file
        self._frames: list[_Frame] = []
        self._anchors: dict[str, tuple[Value, int] | None] = {}  # None: begun, not complete
        self._cost = 0
        self._repeated = 0

    def begin(self, _event: yaml.DocumentStartEvent) -> None:
        """Anchors of one document mean nothing in the next."""
        self.number += 1
        self.root = None
        self._anchors = {}

    def scalar(self, event: yaml.ScalarEvent) -> None:
        """A plain word becomes what it means; whatever stands in quotes is text."""
        text: str = event.value
        self._cost += 1 + len(text) // _CHARACTERS_OF_A_VALUE
        value: Value
        if event.implicit[0]:
            value = _meant(text)
        elif event.tag is None or event.tag == "!":
            value = text
        else:
            value = self._tagged(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1 + len(text) // _CHARACTERS_OF_A_VALUE)
        frame = self._frames[-1] if self._frames else None
        if frame is None or frame.key is not None or type(frame.value) is list:
            self._put(value, event)
        elif text == _MERGE and event.implicit[0]:
            frame.key, frame.is_merging = _MERGE, True
        else:
            self._put_key(value, event)

    def open_map(self, event: yaml.MappingStartEvent) -> None:
        """A map begins."""
        self._open({}, event, tag="map")

    def open_list(self, event: yaml.SequenceStartEvent) -> None:
        """A list begins."""
        self._open([], event, tag="seq")

    def close(self, event: yaml.Event) -> None:
        """The innermost map or list is complete."""
        frame = self._frames.pop()
        for source in frame.merged:
            for key, value in source.items():
                frame.value.setdefault(key, value)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = (frame.value, self._cost - frame.cost_before)
        self._put(frame.value, event)

    def alias(self, event: yaml.AliasEvent) -> None:
        """The value of an anchor once more, at the price of all that is in it."""
        if event.anchor not in self._anchors:
            raise self._bad(event, f"nothing is called &{event.anchor}", "write the value out")
        found = self._anchors[event.anchor]
        if found is None:
            raise self._bad(event, f"&{event.anchor} contains itself", "write the value out")
        value, cost = found
        self._cost += cost
        self._repeated += cost
        if self._repeated > _MOST_REPEATED + 10 * (self._cost - self._repeated):
            raise self._bad(
                event, "aliases stand for too much: more than ten times what is written",
                "write the values out, or spread them over several files",
            )  # fmt: skip
        if self._frames and self._frames[-1].wants_key:
            self._put_key(value, event)
        else:
            self._put(value, event)

    def _open(
        self,
        value: dict[str, Any] | list[Any],
        event: yaml.MappingStartEvent | yaml.SequenceStartEvent,
        *,
        tag: str,
    ) -> None:
        if event.tag not in {None, "!", f"{_TAG}{tag}"}:
            raise self._unknown_tag(event)
        if len(self._frames) >= MOST_DEPTH:
            raise self._bad(
                event, f"maps and lists stand more than {MOST_DEPTH} deep in each other",
                "no Kubernetes object is that deep: look for a bracket or an indent too many",
            )  # fmt: skip
        if self._frames and self._frames[-1].wants_key:
            raise self._no_key(event)
        self._cost += 1
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._frames.append(_Frame(value, event.anchor, self._cost - 1))

    def _put(self, value: Value, event: yaml.Event) -> None:
        if not self._frames:
            self.root = value
            return
        frame = self._frames[-1]
        if type(frame.value) is list:
            frame.value.append(value)
        elif frame.is_merging:
            self._merge(value, frame, event)
        else:
            frame.value[frame.key] = value
        frame.key = None

    def _put_key(self, value: Value, event: yaml.Event) -> None:
        key = value if type(value) is str else self._key_of(value, event)
        frame = self._frames[-1]
        if key in frame.value:
            raise self._bad(event, f"the key {key!r:.60} stands twice", "keep one of the two")
        frame.key = key

    def _merge(self, value: Value, frame: _Frame, event: yaml.Event) -> None:
        sources = value if isinstance(value, list) else [value]
        for source in sources:
            if not isinstance(source, dict):
                raise self._bad(event, "`<<` takes in maps only", "name an anchor of a map")
            frame.merged.append(source)
        frame.is_merging = False

    def _key_of(self, value: Value, event: yaml.Event) -> str:
        """A number or a truth as a key is its text, as in JSON made from YAML."""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (int, float)):
            return str(getattr(event, "value", value))
        raise self._no_key(event)

    def _tagged(self, event: yaml.ScalarEvent) -> Value:
        name = event.tag.removeprefix(_TAG) if event.tag else ""
        if name in {"str", "timestamp"} and name != event.tag:
            return str(event.value)
        kinds = _KINDS.get(name)
        if kinds is None or name == event.tag:
            raise self._unknown_tag(event)
        value = _meant(event.value)
        if type(value) not in kinds:
            raise self._bad(event, f"{event.value!r:.60} is no !!{name}", "leave the tag out")
        return value

    def _no_key(self, event: yaml.Event) -> errors.BadManifest:
        return self._bad(event, "a key must be a word", "look for a missing or a stray colon")

    def _unknown_tag(self, event: Any) -> errors.BadManifest:  # noqa: ANN401 - any event with a tag
        tag = event.tag.replace(_TAG, "!!")
        return self._bad(event, f"the tag {tag:.60} means nothing here", "leave the tag out")

    def _bad(self, event: yaml.Event, problem: str, remedy: str) -> errors.BadManifest:
        field = self._field()
        line = event.start_mark.line + 1 if event.start_mark else 0
        place = f"{self._file}: document {self.number}, line {line}"
        where = f"{place}: {field}" if field else place
        return errors.BadManifest(problem, try_this=remedy, where=where)

    def _field(self) -> str:
        place = ""
        for frame in self._frames:
            if isinstance(frame.value, list):
                place += f"[{len(frame.value)}]"
            elif frame.key is not None:
                place += f".{frame.key}" if place else frame.key
        return place


def _meant(text: str) -> Value:
    """What a plain word means: nothing, yes or no, a number, or itself."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _MAY_BE_NUMBERS or len(text) > _LONGEST_NUMBER:
        return text
    if (found := _INTEGER.fullmatch(text)) and found.lastgroup:
        digits = found[found.lastgroup].replace("_", "")
        number = int(digits, _BASES[found.lastgroup])
        return -number if text[0] == "-" else number
    if _FLOAT.fullmatch(text):
        number_or_more = float(text.replace("_", ""))
        return number_or_more if abs(number_or_more) < float("inf") else text
    return text


def _no_yaml(error: yaml.YAMLError, *, file: str, number: int) -> errors.BadManifest:
    place = f"{file}: document {number}"
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        if mark is not None:
            place += f", line {mark.line + 1}, column {mark.column + 1}"
        problem = error.problem or error.context or "it cannot be read"
    elif isinstance(error, yaml.reader.ReaderError):
        problem = f"{error.reason}, at byte {error.position + 1}"
    else:
        problem = str(error).splitlines()[0] if str(error) else "it cannot be read"
    return errors.BadManifest(
        f"this is no YAML: {problem}",
        try_this="look at that line and the one above it: an indent, a colon, a quote",
        where=place,
    )
