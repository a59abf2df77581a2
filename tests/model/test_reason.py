"""Reasons as values, as words for people and as JSON for scripts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullcrew.model import reason
from fullcrew.model.reason import Kind, Reason, Stage

words = st.text('ab \u00e4\n"\\\0', min_size=1, max_size=6)
figures = st.dictionaries(st.sampled_from(["free", "needed", "nodes"]), st.integers(), max_size=3)


def reasons() -> st.SearchStrategy[Reason]:
    def made(children: st.SearchStrategy[tuple[Reason, ...]]) -> st.SearchStrategy[Reason]:
        return st.builds(
            Reason,
            stage=st.sampled_from(Stage),
            kind=st.sampled_from(Kind),
            message=words,
            numbers=figures.map(lambda told: reason.numbers(**told)),
            in_the_way=st.lists(words, max_size=2).map(tuple),
            children=children,
        )

    leaves = made(st.just(()))
    return st.recursive(
        leaves, lambda inner: made(st.lists(inner, max_size=2).map(tuple)), max_leaves=5
    )


@settings(max_examples=40)
@given(told=reasons())
def test_a_reason_survives_its_json(told: Reason) -> None:
    through_text = json.loads(json.dumps(reason.as_json(told)))

    assert reason.from_json(through_text) == told


@settings(max_examples=40)
@given(told=reasons())
def test_words_have_a_line_for_each_cause_and_say_its_message(told: Reason) -> None:
    def messages(of: Reason) -> list[str]:
        return [of.message, *(each for child in of.children for each in messages(child))]

    found = reason.in_words(told)

    assert all(message in found for message in messages(told))


SHORT = Reason(
    Stage.PLACEMENT,
    Kind.SHORT,
    "3 of 5 pods fit",
    numbers=reason.numbers(fit=3, needed=5),
    in_the_way=("team/a", "team/b"),
    children=(Reason(Stage.QUOTA, Kind.LIMIT, "queue q has 2 GPUs left"),),
)


def test_words_tell_the_chain_one_step_a_line() -> None:
    assert reason.in_words(SHORT) == (
        "placement: 3 of 5 pods fit (behind team/a, team/b)\n  quota: queue q has 2 GPUs left"
    )


def test_json_is_a_promise() -> None:
    assert reason.as_json(SHORT) == {
        "stage": "placement",
        "kind": "short",
        "message": "3 of 5 pods fit",
        "numbers": {"fit": 3, "needed": 5},
        "inTheWay": ["team/a", "team/b"],
        "children": [
            {
                "stage": "quota",
                "kind": "limit",
                "message": "queue q has 2 GPUs left",
                "numbers": {},
                "inTheWay": [],
                "children": [],
            }
        ],
    }


def test_a_figure_is_found_by_its_name() -> None:
    assert SHORT.number("needed") == 5


def test_figures_are_sorted_and_pythons_own() -> None:
    assert reason.numbers(b=2, a=True) == (("a", 1), ("b", 2))
    assert hash(SHORT)


def test_only_numbers_and_words_moved() -> None:
    moved = Reason(Stage.PLACEMENT, Kind.SHORT, "4 of 5 pods fit", children=SHORT.children)

    assert reason.is_same_kind(SHORT, moved)


@pytest.mark.parametrize(
    "other",
    [
        Reason(Stage.TOPOLOGY, Kind.SHORT, "x", children=SHORT.children),
        Reason(Stage.PLACEMENT, Kind.NOWHERE, "x", children=SHORT.children),
        Reason(Stage.PLACEMENT, Kind.SHORT, "x"),
    ],
)
def test_another_stage_kind_or_cause_is_news(other: Reason) -> None:
    assert not reason.is_same_kind(SHORT, other)


SOUND = {**reason.as_json(SHORT)}


@pytest.mark.parametrize(
    "told",
    [
        {},
        {**SOUND, "stage": "lunch"},
        {**SOUND, "kind": "hungry"},
        {**SOUND, "numbers": []},
        {**SOUND, "numbers": {"fit": "many"}},
        {**SOUND, "inTheWay": "team/a"},
        {**SOUND, "children": None},
        {**SOUND, "children": ["short"]},
        {**SOUND, "children": [{}]},
    ],
)
def test_what_is_no_reason_is_refused(told: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        reason.from_json(told)
