"""YAML means what it means to Kubernetes, and costs no more than what is written."""

from __future__ import annotations

import pytest
from cli.reading import refusal_of, values_of

HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: "


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("4", 4), ("-4", -4), ("0x10", 16), ("0b11", 3), ("010", 8), ("1_000", 1000),
        ("1.5", 1.5), ("1.0e+3", 1000.0), ("1e3", "1e3"), (".5", 0.5),
        ("yes", True), ("off", False), ("true", True), ("~", None), ("", None),
        ("y", "y"), ("n", "n"), ("1:30", "1:30"), ("=", "="), ("2026-01-01", "2026-01-01"),
        ('"4"', "4"), ("'yes'", "yes"), ("500m", "500m"), ("1e999999999", "1e999999999"),
        ("!!str 4", "4"), ("!!int 4", 4), ("9" * 50, "9" * 50),
        ("|-\n  two\n  lines", "two\nlines"), ("[1, a]", [1, "a"]), (".inf", ".inf"),
    ],
)  # fmt: skip
def test_a_word_means_what_it_means_to_kubernetes(text: str, meant: object) -> None:
    found = values_of(f"value: {text}")["value"]

    assert found == meant
    assert type(found) is type(meant)


def test_an_alias_stands_for_its_anchor() -> None:
    assert values_of("a: &x {b: 1}\nc: *x") == {"a": {"b": 1}, "c": {"b": 1}}


def test_a_map_is_merged_below_what_stands_there() -> None:
    assert values_of("a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3")["d"] == {"b": 1, "c": 3}


def test_the_first_of_several_merged_maps_wins() -> None:
    text = "a: &x {c: 1}\nb: &y {c: 2}\nd:\n  <<: [*x, *y]"

    assert values_of(text)["d"] == {"c": 1}


def test_numbers_and_truths_as_keys_are_text() -> None:
    assert values_of("1: a\ntrue: b\n1.50: c") == {"1": "a", "true": "b", "1.50": "c"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{a: 1, a: 2}", "the key 'a' stands twice"),
        ("*nobody", "nothing is called &nobody"),
        ("&a [*a]", "&a contains itself"),
        ("!python/object:os.system {}", "the tag !python/object:os.system means nothing here"),
        ("!!binary aGk=", "the tag !!binary means nothing here"),
        ("!!set {a}", "the tag !!set means nothing here"),
        ("!!int word", "'word' is no !!int"),
        ("{[a]: b}", "a key must be a word"),
        ("{<<: 7}", "`<<` takes in maps only"),
        ("[1, 2", "this is no YAML"),
        ("\t- a", "this is no YAML"),
        ("'open", "this is no YAML"),
        ("a\0b", "this is no YAML"),
    ],
)
def test_what_no_manifest_needs_is_refused_with_its_line(text: str, told: str) -> None:
    refused = str(refusal_of(HEAD + text))

    assert told in refused
    assert refused.startswith("0.yaml: document 1")


def test_a_refusal_names_the_field() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - !x {}\n"

    assert "0.yaml: document 1, line 6: spec.containers[0]: the tag !x" in str(refusal_of(text))


def test_ten_lines_of_aliases_do_not_stand_for_a_billion_values() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]

    assert "aliases stand for too much" in str(refusal_of("\n".join(lines)))


def test_long_texts_behind_aliases_count_too() -> None:
    text = f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 100_000)}]"

    assert "aliases stand for too much" in str(refusal_of(text))


def test_merged_maps_cannot_double_without_end() -> None:
    lines = ["a0: &a0 {k: v}"]
    lines += [f"a{n}: &a{n} {{x{n}: *a{n - 1}, y{n}: *a{n - 1}}}" for n in range(1, 40)]

    assert "aliases stand for too much" in str(refusal_of("\n".join(lines)))


@pytest.mark.parametrize("nested", ["[" * 300, "{a: " * 300, "- " * 300])
def test_what_stands_too_deep_is_refused(nested: str) -> None:
    assert "deep" in str(refusal_of(f"a:\n  {nested}"))


def test_a_number_of_a_million_digits_is_only_a_text() -> None:
    found = values_of(f"value: {'9' * 1_000_000}")["value"]

    assert isinstance(found, str)
