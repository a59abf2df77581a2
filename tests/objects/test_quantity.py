"""Amounts are worth what Kubernetes says they are, exactly, and no text costs more than its length.

The judge is exact arithmetic on fractions, for every text that is short enough for it.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fullcrew import errors
from fullcrew.model.amounts import MOST_AMOUNT
from fullcrew.objects import quantity

SCALES = {
    **{"n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 10**3), "": Fraction(1)},
    **{unit: Fraction(1000**power) for power, unit in enumerate("kMGTPE", start=1)},
    **{f"{unit}i": Fraction(1024**power) for power, unit in enumerate("KMGTPE", start=1)},
}
MOST_DIGITS = 60  # with more, the judge itself would be slow

digits = st.text("0123456789", max_size=25)
exponents = st.builds(
    "{}{}{}".format,
    st.sampled_from("eE"),
    st.sampled_from(["", "+", "-"]),
    st.integers(0, 40).map(str) | st.integers(0, 40).map("00{}".format),
)
suffixes = st.sampled_from(sorted(SCALES)) | exponents
signs = st.sampled_from(["", "+", "-"])


def worth(sign: str, number: str, suffix: str) -> Fraction:
    scale = SCALES[suffix] if suffix in SCALES else Fraction(f"1{suffix}")
    return (-1 if sign == "-" else 1) * Fraction(number) * scale


@given(sign=signs, whole=digits, fraction=st.none() | digits, suffix=suffixes)
@example(sign="", whole="", fraction="5", suffix="")
@example(sign="", whole="5", fraction="", suffix="Ki")
@example(sign="-", whole="0", fraction="00", suffix="E")
@example(sign="", whole=str(MOST_AMOUNT), fraction=None, suffix="")
@example(sign="", whole=str(MOST_AMOUNT), fraction="0001", suffix="")
@example(sign="", whole="1", fraction=None, suffix="Pi")
@example(sign="", whole="0" * 25 + "1", fraction=None, suffix="n")
def test_every_form_is_worth_its_fraction_rounded_up_to_a_thousandth(
    sign: str, whole: str, fraction: str | None, suffix: str
) -> None:
    number = whole if fraction is None else f"{whole}.{fraction}"
    text = f"{sign}{number}{suffix}"
    if number in {"", "."}:
        assert refused(text)
        return

    exact = worth(sign, f"0{number}0" if "." in number else number, suffix)

    if 0 <= ceil(exact * 1000) <= MOST_AMOUNT * 1000 and exact >= 0:
        assert quantity.thousandths(text) == ceil(exact * 1000)
    else:
        assert refused(text)


def refused(told: str | float) -> bool:
    try:
        quantity.thousandths(told)
    except errors.BadQuantity:
        return True
    return False


@pytest.mark.parametrize(
    ("told", "thousandths"),
    [
        ("0", 0),
        ("1", 1_000),
        ("500m", 500),
        ("1.5", 1_500),
        (".5", 500),
        ("5.", 5_000),
        ("+3", 3_000),
        ("1e3", 1_000_000),
        ("1E3", 1_000_000),
        ("12e-1", 1_200),
        ("1E", None),  # an exa is beyond every cluster, and no exponent
        ("0E", 0),
        ("1Ki", 1_024_000),
        ("1.5Gi", 1_610_612_736_000),
        ("1k", 1_000_000),
        ("1n", 1),
        ("1000001n", 2),
        ("0.0001", 1),
        (" 2 ", 2_000),
        ("-0", 0),
        ("0" * 1_000 + "7", 7_000),
        ("1." + "0" * 200 + "1", 1_001),
        ("1e-99999999999", 1),
        (2, 2_000),
        (0.5, 500),
        (1e3, 1_000_000),
        (0.1 + 0.2, 301),  # 0.30000000000000004 is more than three tenths
        (1e-300, 1),
    ],
)
def test_forms_that_people_write(told: str | float, thousandths: int | None) -> None:
    if thousandths is None:
        assert refused(told)
    else:
        assert quantity.thousandths(told) == thousandths


@pytest.mark.parametrize(
    "told",
    [
        *("", " ", ".", "-", "+", "1 Gi", "1gi", "1KI", "1ki", "Gi", "1e", "1e+", "1e1.5", "1ee1"),
        *("0x10", "1_000", "1,5", "--1", "1.2.3", "\u0661", "\uff11", "\u00b2", "nan", "inf"),
        *("-1", "-1m", "-0.0000000001", "1Ei", "2Pi", "1e16", "many", "1Mi2", "m", "5mm", "1\n"),
        *(-1, -0.5, float("inf"), float("-inf"), float("nan"), 1e16, MOST_AMOUNT + 1, "1\u00a0"),
    ],
    ids=repr,
)
def test_what_is_no_amount_is_refused(told: str | float) -> None:
    assert refused(told)


@pytest.mark.parametrize("told", [True, False])
def test_true_and_false_are_no_amounts(told: str | float) -> None:
    assert refused(told)


HOSTILE = {
    "an exponent of ten digits": "1e9999999999",
    "an exponent of nine digits": "1e999999999",
    "a tiny exponent": "1e-999999999",
    "nothing, times a lot": "0e999999999",
    "a million digits": "9" * 1_000_000,
    "a million zeros before a one": "0" * 1_000_000 + "1",
    "a million digits behind the point": "0." + "3" * 1_000_000,
    "a million digits of exponent": "1e" + "9" * 1_000_000,
    "digits that an exponent takes back": "1" + "0" * 100_000 + "e-100000",
    "a million dots": "." * 1_000_000,
    "a million spaces": " " * 1_000_000 + "1",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_costs_more_than_its_length(text: str) -> None:
    answers = {
        HOSTILE["a tiny exponent"]: 1,
        HOSTILE["nothing, times a lot"]: 0,
        HOSTILE["a million zeros before a one"]: 1_000,
        HOSTILE["a million digits behind the point"]: 334,
        HOSTILE["digits that an exponent takes back"]: 1_000,
        HOSTILE["a million spaces"]: 1_000,
    }

    if text in answers:
        assert quantity.thousandths(text) == answers[text]
    else:
        assert refused(text)


@pytest.mark.parametrize("told", ["9" * 100_000, 10**5_000], ids=["text", "number"])
def test_what_is_refused_is_not_repeated_at_length(told: str | int) -> None:
    with pytest.raises(errors.BadQuantity) as raised:
        quantity.thousandths(told, where="spec.overhead.cpu")

    assert len(str(raised.value)) < 250
    assert str(raised.value).startswith("spec.overhead.cpu: ")


@pytest.mark.parametrize(
    ("resource", "told", "units"),
    [
        ("cpu", "1500m", 1500),
        ("cpu", "1u", 1),
        ("memory", "1500m", 2),
        ("nvidia.com/gpu", "2", 2),
        ("memory", str(MOST_AMOUNT), MOST_AMOUNT),
    ],
)
def test_cpu_is_counted_in_thousandths_and_all_else_in_whole_ones(
    resource: str, told: str, units: int
) -> None:
    assert quantity.amount(resource, told) == units


def test_no_cpu_has_more_millicores_than_an_amount_can_be() -> None:
    assert not refused(str(MOST_AMOUNT))

    with pytest.raises(errors.BadQuantity):
        quantity.amount("cpu", str(MOST_AMOUNT))


@given(text=st.text("0123456789.eE+-numkKMGTPi \n\0\u0661", max_size=12))
def test_any_text_is_an_amount_or_refused(text: str) -> None:
    assert refused(text) or quantity.thousandths(text) >= 0
