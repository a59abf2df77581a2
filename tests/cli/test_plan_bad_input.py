"""What plan promises: bad input ends with 2, one message, and nothing on standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.playing import typed

POD = b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
BOMB = b"a0: &a0 [x, x]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 20)
)


@pytest.mark.parametrize("form", ["table", "json", "yaml"])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'{"a"', "this is no JSON"),
        (b"a: [", "this is no YAML"),
        (b"apiVersion: v1\nmetadata: {name: a}", "document 1: kind: there is none"),
        (b"apiVersion: v1\nkind: Pod", "document 1: metadata: there is none"),
        (POD + b"---\n" + b"kind: Pod", "document 2: apiVersion: there is none"),
        (b"kind: Pod\xff", "byte 10 is no UTF-8"),
        (BOMB, "aliases stand for too much"),
        (POD + b"spec: !env HOME", "the tag !env means nothing here"),
        (POD + b"spec: {a: \x00}", "this is no YAML"),
        (POD + b"---\n" + POD + b"spec: {nodeName: n}", "stands in"),
        (bytes(range(128, 256)), "byte 1 is no UTF-8"),
        (b"\x00\x01\x02", "this is no YAML"),
    ],
)
def test_bad_input_is_told_once_and_plans_nothing(text: bytes, told: str, form: str) -> None:
    done = typed("plan", "-", "-o", form, told=text)

    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert done.err.startswith("error: standard input: ")
    assert done.err.count("error:") == done.err.count("  try: ") == 1


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    done = typed("plan", tmp_path / "gone.yaml", "-o", "json")

    assert (done.code, done.out) == (2, "")
    assert f"error: {tmp_path / 'gone.yaml'}: it cannot be read" in done.err


def test_one_bad_file_among_good_ones_plans_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(POD)
    (tmp_path / "b.yaml").write_bytes(b"kind")

    done = typed("plan", tmp_path)

    assert (done.code, done.out) == (2, "")
    assert "b.yaml: document 1: this is no Kubernetes object" in done.err


def test_control_characters_of_the_input_do_not_reach_the_terminal() -> None:
    done = typed("plan", "-", told=b'apiVersion: v1\nkind: Pod\nmetadata: {name: "\\e[2J"}')

    assert done.code == 2
    assert "\x1b" not in done.err


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b'{"a": ' * 200_000, id="deep JSON"),
        pytest.param(b"[" * 200_000, id="deep YAML"),
        pytest.param(b"- " * 200_000, id="deep blocks"),
        pytest.param(b"&a " * 1000 + b"*a", id="anchors"),
        pytest.param(b"? " * 100_000, id="keys of keys"),
        pytest.param(b"---\n" * 200_000 + b"a", id="many documents"),
        pytest.param(b"%YAML 9.9\n---\na", id="another YAML"),
        pytest.param(b"'" + b"''" * 500_000, id="quotes"),
    ],
)
def test_no_text_takes_time_out_of_proportion(text: bytes) -> None:
    done = typed("plan", "-", told=text)

    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize(
    "number", ["1e999999999", "9" * 1_000_000, "0." + "0" * 500_000 + "1", "1e-999999999", "-1e99"]
)
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_no_number_takes_memory_out_of_proportion(number: str, form: str) -> None:
    asks = f'{{"requests": {{"cpu": "{number}", "memory": {number}}}}}'
    spec = f'{{"containers": [{{"name": "a", "resources": {asks}}}], "priority": {number}}}'
    mark = "# YAML\n" if form == "yaml" else ""
    text = (
        f'{mark}{{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "a"}}, "spec": {spec}}}'
    )

    done = typed("plan", "-", "-o", "json", told=text.encode())

    assert done.code == 0, done.err
    assert json.loads(done.out)["waits"][0]["pods"] == ["default/a"]


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"\n", b"---\n", b"# nothing\n", b"null", b"apiVersion: v1\nkind: List\nitems: []"),
        b'{"kind": "NodeList", "apiVersion": "v1", "items": null}',
    ],
)
def test_a_file_of_nothing_is_a_plan_of_nothing(text: bytes) -> None:
    done = typed("plan", "-", "-o", "json", told=text)

    assert done.code == 0
    assert json.loads(done.out)["starts"] == json.loads(done.out)["waits"] == []
    assert done.err == "note: standard input: nothing was read, it holds no object\n"


@pytest.mark.parametrize("kind", ["Pod", "Deployment"])
def test_a_file_of_something_is_not_called_nothing(kind: str) -> None:
    done = typed("plan", "-", told=f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}".encode())

    assert "nothing was read" not in done.err


def test_of_several_files_the_empty_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(POD)

    done = typed("plan", tmp_path / "a.yaml", "-")

    assert (done.code, done.err) == (
        0,
        "note: standard input: nothing was read, it holds no object\n",
    )
