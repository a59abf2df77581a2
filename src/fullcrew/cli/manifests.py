"""From files to objects, through the decoder that watches use: what they are, each one once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from fullcrew import errors
from fullcrew.cli.documents import Document, documents
from fullcrew.cli.sources import Source
from fullcrew.objects import Decoder, Faulty, kinds
from fullcrew.objects.metadata import Kind, KubernetesObject

__all__ = ["Identity", "Manifests", "read"]

Object = KubernetesObject | Faulty[KubernetesObject]


class Identity(NamedTuple):
    """Which object a document speaks of: two documents of one object must say the same."""

    kind: Kind
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind.name} {self.namespace}/{self.name}".replace(" /", " ")


@dataclass(frozen=True, slots=True)
class Manifests:
    """Objects in the order of their identities, whatever the order of documents and files.

    `passed_over`: how many documents there are of each kind that we do not read. `empty`: sources
    without any, as when the command before a pipe failed.
    """

    objects: tuple[Object, ...]
    passed_over: tuple[tuple[str, int], ...] = ()
    empty: tuple[str, ...] = ()


def read(sources: Iterable[Source]) -> Manifests:
    """All objects of all sources. Raises BadManifest at the first document that is none.

    An object that stands twice is refused if the two differ: `kubectl apply` would take whichever
    comes last, but the order of documents must not decide what is planned. Fields that we do not
    read do not count, nor does a document that is simply there twice.
    """
    found: dict[Identity, tuple[str, Object]] = {}
    decoders: dict[type[KubernetesObject], Decoder[KubernetesObject]] = {}
    passed_over: Counter[str] = Counter()
    empty = []
    for file, data in sources:
        is_empty = True
        for document in documents(data, file=file):
            is_empty = False
            kind = kinds.kind_of(document.api_version, document.kind)
            if kind is None:
                passed_over[_called(document)] += 1
                continue
            decoder = decoders.get(kind) or decoders.setdefault(kind, Decoder(kind))
            told = decoder.one(document.body)
            identity = _identity(told)
            place, known = found.setdefault(identity, (document.place, told))
            if known is not told and known != told:
                raise _twice(identity, place, document.place)
        empty += [file] if is_empty else []
    objects = tuple(found[identity][1] for identity in sorted(found))
    return Manifests(objects, tuple(sorted(passed_over.items())), tuple(empty))


def _identity(told: Object) -> Identity:
    known = told.object if isinstance(told, Faulty) else told
    return Identity(known.KIND, known.namespace, known.name)


def _called(document: Document) -> str:
    group = kinds.group_of(document.api_version)
    return f"{document.kind}.{group}" if group else document.kind


def _twice(identity: Identity, first: str, second: str) -> errors.BadManifest:
    return errors.BadManifest(
        f"metadata.name: {identity} stands in {first} too, and says something else there",
        try_this="keep one of the two documents",
        where=second,
    )
