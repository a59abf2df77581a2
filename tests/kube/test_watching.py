"""A watch is understood however the network cuts it, and goes on where whole lines ended."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from fullcrew import objects
from fullcrew.kube.watching import GARBLED, LINE_LIMIT_BYTES, Complete, Ended, Reader

DECODER = objects.Decoder(objects.Pod)


def line(word: str, name: str, revision: str, **annotations: str) -> bytes:
    metadata = {"name": name, "resourceVersion": revision, "annotations": annotations}
    return json.dumps({"type": word, "object": {"metadata": metadata}}).encode() + b"\n"


def told(events: Iterable[objects.Event[objects.Pod] | Complete | Ended]) -> list[str]:
    return [
        f"{event.type} {event.object.metadata.name}"
        for event in events
        if isinstance(event, objects.Event) and not isinstance(event.object, objects.Status)
    ]


STREAM = line("ADDED", "a", "11") + line("BOOKMARK", "", "15") + line("DELETED", "a", "16")


@pytest.mark.parametrize("size", [1, 7, 64, len(STREAM)])
def test_where_the_bytes_are_cut_does_not_matter(size: int) -> None:
    reader = Reader(DECODER, "10")

    pieces = [STREAM[i : i + size] for i in range(0, len(STREAM), size)]
    events = [event for piece in pieces for event in reader.receive(piece)]

    assert told(events) == ["ADDED a", "DELETED a"]
    assert reader.revision == "16"


def test_a_bookmark_moves_the_revision_and_nothing_else() -> None:
    reader = Reader(DECODER, "10")

    assert reader.receive(line("BOOKMARK", "", "99")) == []
    assert reader.revision == "99"


def test_the_last_bookmark_of_an_initial_list_says_so() -> None:
    bookmark = line("BOOKMARK", "", "99", **{"k8s.io/initial-events-end": "true"})

    assert Reader(DECODER, "").receive(bookmark) == [Complete()]


def test_half_a_line_is_forgotten_when_the_connection_ends() -> None:
    reader = Reader(DECODER, "10")
    reader.receive(line("ADDED", "a", "11") + line("ADDED", "b", "12")[:-5])

    reader.cut()

    assert reader.revision == "11"
    assert told(reader.receive(line("ADDED", "b", "12"))) == ["ADDED b"]


@pytest.mark.parametrize("junk", [b"<html>\n", b"[]\n", b'{"type": "ADDED"}\n', b"\xff\n"])
def test_what_is_no_event_ends_the_stream_and_is_shown(junk: bytes) -> None:
    [event] = Reader(DECODER, "10").receive(junk + line("ADDED", "a", "11"))

    assert isinstance(event, Ended)
    assert event.code == GARBLED
    assert repr(junk.strip()) in event.message


def test_the_server_says_why_it_ends_a_stream() -> None:
    gone = b'{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}\n'

    assert Reader(DECODER, "10").receive(gone) == [Ended(410, "too old")]


def test_a_line_without_end_is_given_up() -> None:
    reader = Reader(DECODER, "10")

    [event] = reader.receive(b"x" * (LINE_LIMIT_BYTES + 1))

    assert isinstance(event, Ended)


def test_a_fault_in_one_object_does_not_end_the_stream() -> None:
    faulty = (
        b'{"type":"ADDED","object":{"metadata":{"name":"f","resourceVersion":"12"},"spec":3}}\n'
    )
    reader = Reader(DECODER, "10")

    events = reader.receive(faulty + line("ADDED", "b", "13"))

    assert told(events) == ["ADDED f", "ADDED b"]
    assert reader.revision == "13"
