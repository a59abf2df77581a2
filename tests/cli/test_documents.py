"""Documents: where each begins, what it is, and where it stands for people who look for it."""

from __future__ import annotations

import json

import pytest
from cli.reading import documents_of, refusal_of

from fullcrew.cli.documents import documents

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
YAML = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"


def listed(*items: object, kind: str = "List", version: str = "v1") -> str:
    return json.dumps({"apiVersion": version, "kind": kind, "items": items})


def places(text: str) -> list[str]:
    return [document.place for document in documents_of(text)]


def test_each_document_of_a_file_is_numbered() -> None:
    assert places(f"{YAML}---\n{YAML}") == ["file.yaml: document 1", "file.yaml: document 2"]


def test_empty_documents_are_passed_over_and_counted() -> None:
    assert places(f"---\n---\n# nothing\n---\n{YAML}") == ["file.yaml: document 3"]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a word\n", "---\n---\n", "\ufeff", "  "])
def test_a_file_may_hold_nothing(text: str) -> None:
    assert documents_of(text) == []


def test_json_objects_may_follow_each_other() -> None:
    text = f"{json.dumps(POD)}\n{json.dumps(POD, indent=2)}"

    assert places(text) == ["file.yaml: document 1", "file.yaml: document 2"]


def test_a_byte_order_mark_is_no_part_of_a_document() -> None:
    assert len(documents_of("\ufeff" + json.dumps(POD))) == 1


def test_items_of_a_list_are_told_with_their_places() -> None:
    assert places(listed(POD, POD)) == [
        "file.yaml: document 1: items[0]",
        "file.yaml: document 1: items[1]",
    ]


def test_items_of_a_typed_list_inherit_what_they_leave_out() -> None:
    (found,) = documents_of(listed({"metadata": {"name": "a"}}, kind="PodList"))

    assert (found.api_version, found.kind) == ("v1", "Pod")


def test_a_list_may_hold_lists() -> None:
    inner = json.loads(listed(POD))

    assert places(listed(inner)) == ["file.yaml: document 1: items[0]: items[0]"]


def test_a_list_without_items_is_empty() -> None:
    assert documents_of("apiVersion: v1\nkind: List\nitems:\n") == []


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "NodeList", "apiVersion": "v1", "items": null}',
        '{"kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": null}',
        '{"kind": "NodeList", "apiVersion": "v1", "metadata": {}}',
        "apiVersion: v1\nkind: NodeList\nmetadata: {}\nitems:\n",
        '{"kind": "FooList", "apiVersion": "x.io/v1", "metadata": {}, "items": null}',
    ],
)
def test_a_typed_list_of_nothing_is_empty(text: str) -> None:
    assert documents_of(text) == []


def test_a_kind_that_only_ends_in_list_is_no_list() -> None:
    (found,) = documents_of("apiVersion: x.io/v1\nkind: AllowList\nmetadata: {name: a}\n")

    assert found.kind == "AllowList"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kind: Pod\nmetadata: {name: a}", "file.yaml: document 1: apiVersion: there is none"),
        ("apiVersion: v1\nmetadata: {name: a}", "document 1: kind: there is none"),
        ("apiVersion: v1\nkind: Pod", "document 1: metadata: there is none"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {}", "metadata.name: there is none"),
        ("apiVersion: v1\nkind: Pod\nmetadata: a", "metadata: it must be a map"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: 7}", "metadata.name: it must be text"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: []}", "metadata.name: it must be text"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: {}}", "metadata.name: it must be text"),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: false}",
            "metadata.namespace: it must be text",
        ),
        ("apiVersion: v1\nkind: 1\nmetadata: {name: a}", "kind: it must be text"),
        ("just words", "document 1: this is no Kubernetes object"),
        ("- a\n- b", "document 1: this is no Kubernetes object"),
        ("7", "document 1: this is no Kubernetes object"),
        ("apiVersion: v1\nkind: List\nitems: 7", "document 1: items: it must be a list"),
        ("apiVersion: v1\nkind: List\nitems: [7]", "items[0]: this is no Kubernetes object"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: a/b}", "'a/b' is no name in Kubernetes"),
        (f"{YAML}---\nkind: Pod", "file.yaml: document 2: apiVersion"),
    ],
)
def test_what_cannot_be_named_is_refused_with_its_place(text: str, told: str) -> None:
    refused = str(refusal_of(text)).replace("0.yaml", "file.yaml")

    assert told in refused
    assert "\n  try: " in refused


def test_lists_in_lists_without_end_are_refused() -> None:
    text = json.dumps(POD)
    for _ in range(6):
        text = f'{{"apiVersion": "v1", "kind": "List", "items": [{text}]}}'

    assert "lists stand in lists" in str(refusal_of(text))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"kind: Pod\n\xff", "0.yaml: document 1: byte 11"),
        (b"---\na: b\n---\nc: \xe9", "0.yaml: document 2: byte 17"),
    ],
)
def test_bytes_that_are_no_utf8_are_refused_with_their_place(text: bytes, place: str) -> None:
    assert f"{place} is no UTF-8" in str(refusal_of(text))


@pytest.mark.parametrize("text", ['{"kind": "Pod",}', '{"kind": ', '{"a": 1}{"a": '])
def test_json_that_is_broken_is_told_as_json(text: str) -> None:
    assert "this is no JSON" in str(refusal_of(text))


ONE = json.dumps(POD)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"kind":', "document 1, line 1, column 9: this is no JSON: Expecting value"),
        (f'{ONE}\n{{"kind":', "document 2, line 2, column 9: this is no JSON"),
        (f'{ONE}\n{ONE}\n{{"a":1,}}', "document 3, line 3, column 8: this is no JSON"),
        ('{"a":' * 5000, "document 1: this is no JSON: maps and lists stand too deep"),
        (ONE + '{"a":' * 5000, "document 2: this is no JSON: maps and lists stand too deep"),
        ('{"a":\n {"b": "\\ud800"}}', r"document 1, line 2, column 9: this is no JSON: \ud800 is"),
        (ONE + '{"é": "\\udc00"}', r"document 2, line 1, column 70: this is no JSON: \udc00 is"),
        (
            '{"a": "\\ud83d\\ude00\\ud83dx"}',
            r"document 1, line 1, column 20: this is no JSON: \ud83d",
        ),
        (ONE + '{"a": NaN}', "document 2, line 1, column 63: this is no JSON: NaN"),
    ],
)
def test_broken_json_is_told_with_document_and_place(text: str, told: str) -> None:
    refused = str(refusal_of(text))

    assert f"0.yaml: {told}" in refused


def test_an_escaped_character_of_two_halves_is_read() -> None:
    (found,) = documents_of(json.dumps({**POD, "spec": {"a": "\U0001f600"}}))

    assert found.body == {**POD, "spec": {"a": "\U0001f600"}}


def with_node(text: str) -> str:
    return f'{{"apiVersion":"v1","kind":"Node","metadata":{{"name":"a"}},"status":{text}}}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{"kind":"Pod","kind":"Node","apiVersion":"v1","metadata":{"name":"a"}}',
            "the key 'kind'",
        ),
        (with_node('{"allocatable":{"cpu":1,"cpu":2}}'), "status.allocatable: the key 'cpu'"),
        (with_node('[{}, {"a": [{"b":1,"b":1}]}]'), "status[1].a[0]: the key 'b'"),
        (with_node('{"cpu":1, "cp\\u0075":2}'), "status: the key 'cpu'"),
        (with_node('{"a":1e999, "b": {"c":1,"c":1}}'), "status.b: the key 'c'"),
        (with_node('{"a":"\\u003A", "b": {"c":1,"c":1}}'), "status.b: the key 'c'"),
        (f'{{"apiVersion":"v1","kind":"List","items":[],"items":[{ONE}]}}', "the key 'items'"),
        (
            f'{{"apiVersion":"v1","kind":"List","metadata":{{"a":1,"a":1}},"items":[{ONE}]}}',
            "metadata: the key 'a'",
        ),
    ],
)
def test_a_key_of_json_that_stands_twice_is_refused(text: str, told: str) -> None:
    refused = str(refusal_of(text))

    assert f"0.yaml: document 1: {told}" in refused
    assert "stands twice" in refused


def test_a_key_that_stands_twice_in_an_item_of_a_long_list_is_refused() -> None:
    twice = with_node('{"allocatable":{"cpu":1,"cpu":2}}')
    text = f'{{"apiVersion":"v1","kind":"List","items":[{",".join([ONE] * 9)},{twice}]}}'

    assert "items[9]: status.allocatable: the key 'cpu' stands twice" in str(refusal_of(text))


def test_a_long_list_may_stand_twice_under_different_names() -> None:
    items = f"[{','.join([ONE] * 9)}]"
    text = f'{{"apiVersion":"v1","kind":"List","also":{items},"items":{items}}}'

    assert len(documents_of(text)) == 9


@pytest.mark.parametrize(
    "spec",
    ['"a:b"', '{"a:b": "c:d"}', '"\\u003a"', '{"a": [1, {"a": {"a": 1}}, {"a": 2}]}', "1e999"],
)
def test_what_only_looks_like_a_key_twice_is_read(spec: str) -> None:
    text = f'{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"a"}},"spec":{spec}}}'

    assert len(documents_of(text)) == 1


@pytest.mark.parametrize("text", ["{" * 100_000, "[" * 100_000, '{"a":' * 50_000, "- " * 50_000])
def test_depth_without_end_is_refused(text: str) -> None:
    assert refusal_of(text).exit_code == 2


@pytest.mark.parametrize("file", ["a.json", "a.yaml"])
def test_documents_of_json_may_be_separated_as_in_yaml(file: str) -> None:
    text = f"{json.dumps(POD)}\n---\n{json.dumps(POD, indent=2)}\n"

    found = documents(text.encode(), file=file)

    assert [each.place for each in found] == [f"{file}: document 1", f"{file}: document 2"]


def test_json_may_be_written_as_yaml_flow() -> None:
    (found,) = documents_of("{apiVersion: v1, kind: Pod, metadata: {name: a}}")

    assert found.kind == "Pod"
