"""What a file says: documents that say what they are, lists taken apart, each with its place.

A document must name its apiVersion, its kind and itself before anything else can be told about
it; where it does not, the whole input is refused. Faults further inside are that object's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from fullcrew import errors
from fullcrew.cli import json_keys, json_reading, yaml_reading
from fullcrew.objects import kinds

__all__ = ["Document", "documents"]

_MOST_DEPTH: Final = 4  # lists of lists; no tool writes even two
_LIST: Final = "List"
_UNFIT: Final = re.compile(r"[/%\s\x00-\x1f\x7f-\x9f]|^\.{1,2}$")  # what no name in a URL may have
_LONGEST_NAME: Final = 253
_SEPARATOR: Final = re.compile(rb"^---", re.MULTILINE)

Body = msgspec.Raw | Mapping[str, Any]


class Document(NamedTuple):
    """An object as it was found. `place` is `file: document 2: items[3]`, for people."""

    place: str
    api_version: str
    kind: str
    body: Body


class _Metadata(msgspec.Struct, gc=False):
    name: str | None = None
    namespace: str | None = None


class _Head(msgspec.Struct, gc=False, rename="camel"):
    """All that must be known at first, in one pass that builds nothing else."""

    api_version: str | None = None
    kind: str | None = None
    metadata: _Metadata | None = None


def documents(data: bytes, *, file: str) -> Iterator[Document]:
    """Every object of a file, in its order. Raises BadManifest where there is none.

    The bytes must be UTF-8. JSON is tried where it looks like JSON, since that is fifteen times as
    fast; what is neither is told as YAML, unless the file's name or its quotes say JSON.
    """
    text = _utf8(data, file=file)
    if json_reading.is_likely(text):
        try:
            read: list[tuple[int, Any]] = list(json_reading.documents(text))
        except json_reading.NoJson as error:
            if _claims_json(text, file=file):
                raise json_reading.no_json(error, file=file) from None
        else:
            for number, value in read:
                yield from _objects(value, f"{file}: document {number}")
            return
    for number, value in yaml_reading.documents(text, file=file):
        if value is not None:
            yield from _objects(value, f"{file}: document {number}")


def _claims_json(text: bytes, *, file: str) -> bool:
    """Whether faults are told as those of JSON. A separator makes it YAML, whose documents may
    each be written as JSON."""
    if _SEPARATOR.search(text):
        return False
    return file.endswith(".json") or text.lstrip()[1:].lstrip()[:1] in {b'"', b"}"}


def _utf8(data: bytes, *, file: str) -> bytes:
    try:
        if not data.isascii():  # which is known in a tenth of the time
            data.decode()
    except UnicodeDecodeError as error:
        raise errors.BadManifest(
            f"byte {error.start + 1} is no UTF-8",
            try_this="write the file as UTF-8; iconv -f LATIN1 -t UTF-8 may be what it needs",
            where=f"{file}: document {1 + len(_SEPARATOR.findall(data, 1, error.start))}",
        ) from None
    return data.removeprefix(b"\xef\xbb\xbf")


def _objects(
    body: Any,  # noqa: ANN401 - whatever the file holds
    place: str,
    *,
    within: tuple[str, str] = ("", ""),
    depth: int = 0,
) -> Iterator[Document]:
    """The document itself, or the items of the list that it is.

    `within`: apiVersion and kind of items that name none, as a server leaves them out.
    """
    head = _head(body, place)
    api_version, kind = head.api_version or within[0], head.kind or within[1]
    if not kind or not api_version:
        raise _missing("apiVersion" if kind else "kind", place)
    items = _items(body, place, api_version, kind) if kind.endswith(_LIST) else None
    if items is None:
        _check(head.metadata, place, is_read=kinds.kind_of(api_version, kind) is not None)
        yield Document(place, api_version, kind, _read(body, place))
        return
    if depth == _MOST_DEPTH:
        raise _bad("lists stand in lists in lists", f"{place}: items", "write one list")
    inherited = ("", "") if kind == _LIST else (api_version, kind.removesuffix(_LIST))
    for at, item in enumerate(items):
        inside = f"{place}: items[{at}]"
        read = _read(item, inside)
        yield from _objects(read, inside, within=inherited, depth=depth + 1)


def _read(body: Any, place: str) -> Any:  # noqa: ANN401 - whatever the file holds
    return json_keys.read(body, place) if isinstance(body, msgspec.Raw) else body


def _head(body: Body, place: str) -> _Head:
    try:
        if isinstance(body, msgspec.Raw):
            return msgspec.json.decode(body, type=_Head)
        return msgspec.convert(body, type=_Head)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise _no_object(body, place, error) from None


def _items(body: Body, place: str, api_version: str, kind: str) -> list[Any] | None:
    """None where it is no list, whatever its kind is called: it has no such field, and we know
    nothing that it would be a list of. `null` is how Go writes a list of nothing."""
    fields = json_keys.opened(body, place) if isinstance(body, msgspec.Raw) else body
    if "items" not in fields:
        of = kind.removesuffix(_LIST)
        return [] if not of or kinds.kind_of(api_version, of) else None
    found = fields["items"]
    if isinstance(found, msgspec.Raw):
        found = _opened_items(found)
    if found is None or isinstance(found, list):
        return found or []
    raise _bad("it must be a list", f"{place}: items", "a `- ` before each object")


def _opened_items(told: msgspec.Raw) -> object:
    try:
        return msgspec.json.decode(told, type=list[msgspec.Raw] | None)
    except msgspec.ValidationError:
        return ""


def _check(told: _Metadata | None, place: str, *, is_read: bool) -> None:
    """That the object has a name that can stand in `namespace/name`."""
    if told is None:
        raise _missing("metadata", place)
    if not is_read:
        return
    if not told.name:
        raise _missing("metadata.name", place)
    for name, field in ((told.name, "name"), (told.namespace or "", "namespace")):
        if len(name) > _LONGEST_NAME or _UNFIT.search(name):
            raise _bad(
                f"{name!r:.60} is no name in Kubernetes",
                f"{place}: metadata.{field}",
                "at most 253 small letters, digits, dashes and dots",
            )


def _no_object(body: Body, place: str, error: Exception) -> errors.BadManifest:
    """Where the head of a document is not what it must be."""
    value: Any = _opened(body)
    if not isinstance(value, Mapping):
        return _bad("this is no Kubernetes object", place, "apiVersion, kind, metadata, spec")
    for field in ("kind", "apiVersion"):
        if value.get(field) is not None and not isinstance(value[field], str):
            return _bad("it must be text", f"{place}: {field}", "for example kind: Pod")
    told = value.get("metadata")
    if told is not None and not isinstance(told, Mapping):
        return _bad("it must be a map", f"{place}: metadata", "metadata: {name: ...}")
    for field in ("name", "namespace"):
        if told and not isinstance(told.get(field), str | None):
            return _bad("it must be text", f"{place}: metadata.{field}", "it in quotes")
    return _bad(f"it cannot be read: {error}", place, "apiVersion, kind, metadata, spec")


def _opened(body: Body) -> object:
    """A look at a document that is refused anyway; what its numbers are worth does not matter."""
    if isinstance(body, msgspec.Raw):
        return json.loads(bytes(body), parse_int=len, parse_float=len)
    return body


def _missing(field: str, place: str) -> errors.BadManifest:
    return _bad("there is none", f"{place}: {field}", "apiVersion, kind and metadata.name")


def _bad(problem: str, where: str, form: str) -> errors.BadManifest:
    return errors.BadManifest(problem, try_this=f"write {form}", where=where)
