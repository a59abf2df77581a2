"""Words for tests of reading: what a text holds, and how it is refused."""

from __future__ import annotations

from fullcrew import errors
from fullcrew.cli import manifests
from fullcrew.cli.documents import Document, documents
from fullcrew.cli.manifests import Manifests

__all__ = ["documents_of", "objects_of", "refusal_of", "values_of"]


def documents_of(text: str | bytes, *, file: str = "file.yaml") -> list[Document]:
    """The documents of a file."""
    return list(documents(text.encode() if isinstance(text, str) else text, file=file))


def objects_of(*texts: str | bytes) -> Manifests:
    """What several files hold together; they are called `0.yaml` and so on."""
    named = [
        (f"{number}.yaml", text.encode() if isinstance(text, str) else text)
        for number, text in enumerate(texts)
    ]
    return manifests.read(named)


def refusal_of(*texts: str | bytes) -> errors.BadInput:
    """The error that refuses these files; fails where they are read."""
    try:
        found = objects_of(*texts)
    except errors.BadInput as error:
        return error
    raise AssertionError(f"nothing refused these files: {len(found.objects)} objects")


def values_of(text: str) -> dict[str, object]:
    """A YAML document whose `spec` is this text, as a plain value."""
    head = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n"
    (found,) = documents_of(head + "".join(f"  {line}\n" for line in text.splitlines()))
    assert isinstance(found.body, dict)
    spec = found.body["spec"]
    assert isinstance(spec, dict)
    return spec
