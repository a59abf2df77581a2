"""Lines of a watch and pages of a list: one bad object is its own trouble, a cut is everybody's."""

from __future__ import annotations

import msgspec
import pytest

from fullcrew import errors, objects
from fullcrew.objects import BOOKMARK, ERROR, Decoder, Faulty, Status

PODS = Decoder(objects.Pod)

GOOD = {"metadata": {"name": "good"}, "spec": {"nodeName": "n1"}}
BAD = {"metadata": {"name": "bad"}, "spec": {"containers": [{"name": 5}]}}


def line(kind: str, told: object) -> bytes:
    return msgspec.json.encode({"type": kind, "object": told})


def page(*items: object, **metadata: object) -> bytes:
    return msgspec.json.encode({"kind": "PodList", "metadata": metadata, "items": items})


@pytest.mark.parametrize("kind", ["ADDED", "MODIFIED", "DELETED"])
def test_a_line_is_its_type_and_its_object(kind: str) -> None:
    event = PODS.event(line(kind, GOOD))

    assert event.type == kind
    assert isinstance(event.object, objects.Pod)
    assert event.object.name == "good"


def test_a_bad_object_of_a_watch_is_a_value() -> None:
    event = PODS.event(line("ADDED", BAD))

    assert isinstance(event.object, Faulty)
    assert event.object.field == "spec.containers[0].name"
    assert event.object.metadata.name == "bad"


def test_a_bookmark_is_a_resource_version() -> None:
    event = PODS.event(line(BOOKMARK, {"metadata": {"resourceVersion": "17"}}))

    assert event.type == BOOKMARK
    assert isinstance(event.object, objects.Pod)
    assert event.object.metadata.resource_version == "17"


def test_the_end_of_a_watch_says_why() -> None:
    told = {"kind": "Status", "code": 410, "reason": "Expired", "metadata": {}, "message": "old"}

    event = PODS.event(line(ERROR, told))

    assert event == (ERROR, Status(code=410, reason="Expired", message="old"))


@pytest.mark.parametrize("told", [{"code": "410", "message": "old"}, {"metadata": 5}, None, "x"])
def test_the_end_of_a_watch_is_read_however_it_is_written(told: object) -> None:
    event = PODS.event(line(ERROR, told))

    assert isinstance(event.object, Status)


def test_a_line_that_is_cut_anywhere_is_a_broken_line() -> None:
    whole = line("MODIFIED", {**GOOD, "status": {"phase": "Running", "conditions": []}})

    for at in range(len(whole)):
        with pytest.raises(errors.BadManifest, match="a line of a watch cannot be read"):
            PODS.event(whole[:at])


@pytest.mark.parametrize("told", [{"object": GOOD}, {"type": 5, "object": GOOD}, {"type": "ADDED"}])
def test_a_line_without_type_or_object_is_a_broken_line(told: object) -> None:
    with pytest.raises(errors.BadManifest):
        PODS.event(msgspec.json.encode(told))


def test_a_page_is_its_items_and_where_to_go_on() -> None:
    found = PODS.page(page(GOOD, GOOD, resourceVersion="7", **{"continue": "t"}))

    assert (found.metadata.resource_version, found.metadata.go_on) == ("7", "t")
    assert [named(each) for each in found.items] == ["good", "good"]


def test_one_bad_item_leaves_the_page() -> None:
    found = PODS.page(page(GOOD, BAD, GOOD, None, resourceVersion="7"))

    assert [type(each) for each in found.items] == [objects.Pod, Faulty, objects.Pod, Faulty]
    assert [named(each) for each in found.items] == ["good", "bad", "good", ""]
    assert found.metadata.resource_version == "7"


def test_a_list_of_nothing_may_be_null() -> None:
    assert PODS.page(b'{"metadata":{"resourceVersion":"7"},"items":null}').items == ()


@pytest.mark.parametrize("told", [{}, {"items": {}, "metadata": {}}, {"items": []}, [], "x", None])
def test_what_is_no_list_is_refused(told: object) -> None:
    with pytest.raises(errors.BadManifest, match="a list cannot be read"):
        PODS.page(msgspec.json.encode(told))


def test_a_page_that_is_cut_anywhere_is_refused() -> None:
    whole = page(GOOD, BAD, resourceVersion="7")

    for at in range(len(whole)):
        with pytest.raises(errors.BadManifest):
            PODS.page(whole[:at])


def named(each: objects.Pod | Faulty[objects.Pod]) -> str:
    return each.metadata.name
