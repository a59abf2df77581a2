"""A fault in one field leaves all others, and is told with its place; nothing stops the rest."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import inspect
from objects.documents import (
    JUNK,
    Path,
    Told,
    documents,
    in_words,
    is_wrong,
    places,
    put,
    without,
)

from fullcrew import errors, objects
from fullcrew.objects import Decoder, Faulty

KINDS = sorted(objects.KINDS.values(), key=lambda kind: kind.KIND)
DECODERS: dict[type, Decoder[Any]] = {kind: Decoder(kind) for kind in KINDS}

POD: dict[str, Any] = {
    "metadata": {"name": "w-0", "namespace": "team", "labels": {"app": "train"}},
    "spec": {"nodeName": "n1", "containers": [{"name": "a"}, {"name": "b"}]},
}


def read(told: object) -> objects.Pod | Faulty[objects.Pod]:
    """The same from JSON and from what YAML makes of it: the two ways must agree."""
    from_json = objects.decode(objects.Pod, msgspec.json.encode(told))
    if isinstance(told, dict):
        assert objects.decode(objects.Pod, told) == from_json
    return from_json


def fault_of(told: object) -> str:
    found = read(told)
    assert isinstance(found, Faulty), found
    return found.in_words


def sound(told: object) -> objects.Pod:
    found = read(told)
    assert isinstance(found, objects.Pod), found
    return found


@settings(max_examples=25)
@given(told=st.data())
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.KIND.name}.{kind.KIND.group}")
def test_one_wrong_value_leaves_all_that_is_sound_elsewhere(
    kind: type, told: st.DataObject
) -> None:
    whole = told.draw(documents(kind))
    path, wanted = told.draw(st.sampled_from(list(places(whole, inspect.type_info(kind)))))
    junk = told.draw(st.sampled_from(JUNK))
    decoder, broken = DECODERS[kind], put(whole, path, junk)

    found = decoder.one(msgspec.json.encode(broken))

    if isinstance(broken, dict):
        assert found == decoder.one(broken), "YAML and JSON read alike"
    in_list_or_map = not path or isinstance(path[-1], int) or _is_map_key(path, whole, kind)
    if is_wrong(junk, wanted, in_list_or_map=in_list_or_map):
        assert isinstance(found, Faulty)
        assert found.field == in_words(path)
        assert found.object == decoder.one(without(whole, path))


def _is_map_key(path: Path, whole: Told, kind: type) -> bool:
    above = dict(places(whole, inspect.type_info(kind)))[path[:-1]]
    return isinstance(above, inspect.DictType)


@settings(max_examples=15)
@given(told=st.data())
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.KIND.name}.{kind.KIND.group}")
def test_the_slow_way_reads_what_the_fast_way_reads(kind: type, told: st.DataObject) -> None:
    whole = told.draw(documents(kind))
    fast = DECODERS[kind].one(whole)

    assert not isinstance(fast, Faulty)
    slow = DECODERS[kind].one({**whole, "metadata": {**whole.get("metadata", {}), "uid": 5}})

    assert isinstance(slow, Faulty)
    meta = msgspec.structs.replace(fast.metadata, uid="")
    assert slow.object == msgspec.structs.replace(fast, metadata=meta)


@given(
    junk=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=6,
    )
)
def test_any_json_is_an_object_or_its_fault(junk: object) -> None:
    line = msgspec.json.encode(junk)

    for kind in KINDS:
        found = DECODERS[kind].one(line)
        assert isinstance(found, kind | Faulty)


@given(line=st.binary(max_size=20))
def test_any_bytes_are_an_object_its_fault_or_a_broken_line(line: bytes) -> None:
    decoder = DECODERS[objects.Pod]

    assert isinstance(decoder.one(line), objects.Pod | Faulty)
    with pytest.raises(errors.BadManifest):
        decoder.event(line)
    with pytest.raises(errors.BadManifest):
        decoder.page(line)


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        ({"spec": {"containers": {}}}, "spec.containers: a map where a list belongs"),
        ({"spec": {"containers": [{}, 5]}}, "spec.containers[1]: a whole number where a map"),
        ({"spec": {"priority": "5"}}, "spec.priority: text where a whole number belongs"),
        ({"spec": {"priority": 1.5}}, "spec.priority: a number with a fraction where"),
        ({"spec": {"priority": 2**31}}, "spec.priority: a number beyond -2147483648 to 2147483647"),
        ({"spec": {"priority": 10**30}}, "spec.priority: a number beyond"),
        ({"spec": {"hostNetwork": 1}}, "spec.hostNetwork: a whole number where true or false"),
        ({"spec": {"overhead": {"cpu": True}}}, "spec.overhead.cpu: true or false where an amount"),
        ({"spec": {"overhead": {"a.b/c": []}}}, "spec.overhead[a.b/c]: a list where an amount"),
        ({"metadata": {"labels": {"a": 1}}}, "metadata.labels.a: a whole number where text"),
        ({"metadata": {"labels": {"a": None}}}, "metadata.labels.a: null where text belongs"),
        ({"metadata": {"name": ["x"]}}, "metadata.name: a list where text belongs"),
        ([], "a list where a map belongs"),
        (None, "null where a map belongs"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_place(told: object, fault: str) -> None:
    assert fault_of(told).startswith(fault)


def test_the_first_fault_in_the_order_of_the_fields_is_told() -> None:
    assert fault_of({"status": {"phase": 5}, "metadata": {"name": 5}}).startswith("metadata.name")


@pytest.mark.parametrize(
    "told",
    [
        {"metadata": None, "spec": None, "status": None},
        {"metadata": {"creationTimestamp": None, "labels": None, "ownerReferences": None}},
        {"metadata": {"deletionTimestamp": None}, "spec": {"affinity": None, "containers": None}},
        {"spec": {"containers": [{"resources": None, "ports": None}]}},
        {"spec": {"containers": [{"resources": {"requests": None, "limits": None}}]}},
        {"status": {"containerStatuses": None, "conditions": [{"lastTransitionTime": None}]}},
    ],
)
def test_null_is_what_is_not_there(told: object) -> None:
    sound(told)


def test_a_null_in_a_list_keeps_the_places_of_the_others() -> None:
    found = read({"spec": {"containers": [None, {"name": "b"}]}})

    assert isinstance(found, Faulty)
    assert found.field == "spec.containers[0]"
    assert [each.name for each in found.object.spec.containers] == ["", "b"]


def test_a_faulty_pod_keeps_its_name_its_labels_and_its_node() -> None:
    found = read({**POD, "spec": {**POD["spec"], "containers": "none"}})

    assert isinstance(found, Faulty)
    assert found.object.full_name == "team/w-0"
    assert found.metadata.labels == {"app": "train"}
    assert found.object.spec.node_name == "n1"


def test_fields_that_nobody_reads_may_hold_anything() -> None:
    sound({"spec": {"dnsPolicy": 5, "hostAliases": [[[]]]}, "apiVersion": None, "x": {"y": 10**30}})


def test_what_yaml_makes_of_numbers_is_an_amount() -> None:
    pod = sound({"spec": {"overhead": {"cpu": 0.5, "memory": 1e9}}})

    assert pod.spec.overhead == {"cpu": 0.5, "memory": 1e9}


@pytest.mark.parametrize(("key", "text"), [(True, "true"), (1, "1"), (1.5, "1.5")])
def test_a_key_that_yaml_takes_for_something_else_is_its_text(key: object, text: str) -> None:
    told: Any = {"metadata": {"labels": {key: "x"}}}

    found = objects.decode(objects.Pod, told)

    assert isinstance(found, objects.Pod)
    assert found.metadata.labels == {text: "x"}


def test_a_key_that_is_no_text_at_all_is_a_fault() -> None:
    told: Any = {"metadata": {"labels": {None: "x", "a": "y"}}}

    found = objects.decode(objects.Pod, told)

    assert isinstance(found, Faulty)
    assert found.in_words == "metadata.labels: a key that is no text"
    assert found.metadata.labels == {"a": "y"}


@pytest.mark.parametrize(
    "hostile",
    [
        b'{"metadata":{"name":"\xff\xfe"},"spec":{"nodeName":"n1"}}',
        b'{"metadata":{"name":1' + b"0" * 5_000 + b'},"spec":{"nodeName":"n1"}}',
        b'{"metadata":{"name":-1e999},"spec":{"nodeName":"n1"}}',
    ],
    ids=["no UTF-8", "a number of 5000 digits", "a number beyond floats"],
)
def test_a_value_that_no_reader_can_read_is_a_fault_of_its_field_alone(hostile: bytes) -> None:
    found = objects.decode(objects.Pod, hostile)

    assert isinstance(found, Faulty)
    assert found.field == "metadata.name"
    assert found.object.spec.node_name == "n1"


def test_an_object_nested_without_end_is_a_fault() -> None:
    found = objects.decode(objects.Pod, b'{"a":' * 100_000)

    assert isinstance(found, Faulty)
