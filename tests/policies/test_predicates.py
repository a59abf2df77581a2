"""Which nodes constraints allow, as Kubernetes reads them."""

from __future__ import annotations

import numpy as np
import pytest

from fullcrew.model.where import Operator, Requirement, Taint, Toleration, Where
from fullcrew.policies.predicates import Predicates
from fullcrew.room import LabelColumn, Nodes

NAMES = ("a", "b", "c", "d")


def nodes(*labels: str | None, taints: tuple[tuple[Taint, ...], ...] = ((), (), (), ())) -> Nodes:
    """Four nodes, of whose label `zone` these are the values."""
    values = tuple(dict.fromkeys(value for value in labels if value is not None))
    numbers = [values.index(value) if value is not None else -1 for value in labels or (None,) * 4]
    sets = tuple(dict.fromkeys(taints))
    return Nodes(
        names=NAMES,
        rank=np.arange(4, dtype=np.int64),
        usable=np.array([True, True, True, False]),
        size=np.ones((1, 4), dtype=np.int64),
        labels={"zone": LabelColumn(values, np.array(numbers, dtype=np.int64))},
        taints=np.array([sets.index(each) for each in taints], dtype=np.int64),
        taint_sets=sets,
        changed=np.zeros(4, dtype=np.int64),
    )


def allowed(where: Where, among: Nodes) -> str:
    mask = Predicates().allow(where, among)
    return "".join(name for name, is_allowed in zip(NAMES, mask, strict=True) if is_allowed)


@pytest.mark.parametrize(
    ("operator", "values", "expected"),
    [
        (Operator.IN, ("1", "2"), "a"),
        (Operator.NOT_IN, ("1",), "bc"),
        (Operator.EXISTS, (), "ab"),
        (Operator.DOES_NOT_EXIST, (), "c"),
        (Operator.GT, ("0",), "a"),
        (Operator.LT, ("2",), "a"),
        (Operator.GT, ("x",), ""),
    ],
)
def test_each_operator_reads_labels(
    operator: Operator, values: tuple[str, ...], expected: str
) -> None:
    where = Where(required=(((Requirement("zone", operator, values),),),))

    assert allowed(where, nodes("1", "north", None, "1")) == expected


def test_of_several_terms_one_must_hold_and_of_several_requirements_each() -> None:
    one = (Requirement("zone", Operator.IN, ("1",)),)
    two = (Requirement("zone", Operator.IN, ("2",)),)

    assert allowed(Where(required=((one, two),)), nodes("1", "2", "3", "1")) == "ab"
    assert allowed(Where(required=((one,), (two,))), nodes("1", "2", "3", "1")) == ""


def test_a_term_without_requirements_matches_no_node() -> None:
    assert allowed(Where(required=(((),),)), nodes("1", "2", "3", "4")) == ""


@pytest.mark.parametrize("many", [1, 8, 9])
def test_however_many_names_a_field_has_they_are_those_of_nodes(many: int) -> None:
    told = ("b", *(f"nobody-{at}" for at in range(many - 1)))
    named = Requirement("metadata.name", Operator.IN, told, is_field=True)
    others = Requirement("metadata.name", Operator.NOT_IN, told, is_field=True)

    assert allowed(Where(required=(((named,),),)), nodes("1", "2", "3", "4")) == "b"
    assert allowed(Where(required=(((others,),),)), nodes("1", "2", "3", "4")) == "ac"


def test_a_field_is_the_name_of_the_node() -> None:
    named = Requirement("metadata.name", Operator.IN, ("b", "nobody"), is_field=True)
    others = Requirement("metadata.name", Operator.NOT_IN, ("b",), is_field=True)

    assert allowed(Where(required=(((named,),),)), nodes("1", "2", "3", "4")) == "b"
    assert allowed(Where(required=(((others,),),)), nodes("1", "2", "3", "4")) == "ac"


GPU = Taint("gpu", "yes", "NoSchedule")
GONE = Taint("gone", "", "NoExecute")
OLD = Taint("old", "", "PreferNoSchedule")


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        (None, "c"),
        (Toleration("gpu", "Equal", "yes", "NoSchedule"), "ac"),
        (Toleration("gpu", "Equal", "no", "NoSchedule"), "c"),
        (Toleration("gpu", "Exists", "", ""), "ac"),
        (Toleration("", "Exists", "", ""), "abc"),
        (Toleration("", "Exists", "", "NoExecute"), "bc"),
        (Toleration("gone", "Exists", "", "NoSchedule"), "c"),
    ],
)
def test_taints_keep_off_who_does_not_tolerate_them(
    toleration: Toleration | None, expected: str
) -> None:
    among = nodes("1", "1", "1", "1", taints=((GPU,), (GONE,), (OLD,), ()))

    assert allowed(Where(tolerations=(toleration,) if toleration else ()), among) == expected


def test_wishes_add_up_and_taints_to_be_avoided_count_against() -> None:
    wish = (Requirement("zone", Operator.IN, ("1",)),)
    among = nodes("1", "2", "1", "2", taints=((), (), (OLD,), (OLD,)))

    liking = Predicates().liking(Where(preferred=((30, wish), (5, wish))), among)

    assert liking is not None
    assert liking.tolist() == [35, 0, -65, -100]


def test_without_wishes_all_nodes_are_alike() -> None:
    assert Predicates().liking(Where(), nodes("1", "2", "3", "4")) is None
