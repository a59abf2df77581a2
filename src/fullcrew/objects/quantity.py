"""What a Kubernetes quantity is worth: `500m`, `2`, `1.5Gi`, `1e3`, exactly and in bounded time.

Kubernetes rounds each amount up to a thousandth when it stores it, adds thousandths, and rounds
the sum up to whole units (cpu to thousandths) when it schedules. So thousandths are what this
module reads, and two half bytes make one byte here as there.

The text comes from users: `1e999999999`, a million digits and the like are judged by the length
of the number, never by computing it.
"""

from __future__ import annotations

import re
from typing import Final

from fullcrew.errors import BadQuantity
from fullcrew.model.amounts import CPU, MOST_AMOUNT, MOST_TOTAL
from fullcrew.objects.shape import Quantity

__all__ = ["amount", "in_units", "thousandths", "total"]

MOST_THOUSANDTHS: Final = MOST_TOTAL * 1000  # nothing greater is worth computing

_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}  # powers of two
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
# How many thousandths one of a unit is, where it is a whole number of them.
_TIMES: Final = {unit: 1000 << power for unit, power in _BINARY.items()} | {
    unit: int(10 ** (power + 3)) for unit, power in _DECIMAL.items() if power >= -3
}
_NUMBER = re.compile(
    r"([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))"
    r"(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?)([0-9]+))?"
)

_SHORT = 15  # digits that fit every bound, so that the common case needs no care
_LONGEST_EXPONENT = 9  # digits; a longer exponent leaves every number that can be written too
_KEPT = 128  # digits computed with: more than bounds, thousandths and 2^60 need together


def thousandths(quantity: Quantity, *, where: str = "") -> int:
    """The worth in thousandths, rounded up; at most 2^50 whole units. Raises `BadQuantity`."""
    return _thousandths(quantity, most=MOST_AMOUNT, where=where)


def in_units(resource: str, worth: int) -> int:
    """Thousandths in the unit that the resource is counted in: millicores, or whole ones up."""
    return worth if resource == CPU else -(-worth // 1000)


def amount(resource: str, quantity: Quantity, *, where: str = "") -> int:
    """One amount in the unit of its resource, at most 2^50 there. Raises `BadQuantity`."""
    return _amount(resource, quantity, most=MOST_AMOUNT, where=where)


def total(resource: str, quantity: Quantity, *, where: str = "") -> int:
    """What a queue may use or a group needs in all: likewise, but at most 2^62."""
    return _amount(resource, quantity, most=MOST_TOTAL, where=where)


def _amount(resource: str, quantity: Quantity, *, most: int, where: str) -> int:
    found = in_units(resource, _thousandths(quantity, most=most, where=where))
    if found > most:
        raise BadQuantity(_shown(quantity), most=most, where=where)
    return found


def _thousandths(quantity: Quantity, *, most: int, where: str) -> int:
    found = _worth_of_text(quantity) if isinstance(quantity, str) else _worth_of_number(quantity)
    if found is None or found > most * 1000:
        raise BadQuantity(_shown(quantity), most=most, where=where)
    return found


def _worth_of_number(number: float) -> int | None:
    """A number that a manifest has without quotes. A float is worth what it is written as."""
    if isinstance(number, bool):
        return None
    if isinstance(number, int):
        return number * 1000 if 0 <= number <= MOST_TOTAL else None
    return _worth_of_text(repr(number))


def _worth_of_text(text: str) -> int | None:
    """The forms that nearly every quantity has, without care for length; else the grammar."""
    times = 1000
    number = text
    if not text.isdecimal():
        unit = text[-2:] if text[-1:] == "i" else text[-1:]
        times, number = _TIMES.get(unit, 0), text[: -len(unit)]
    if times and len(number) <= _SHORT and number.isdecimal() and number.isascii():
        return int(number) * times
    return _worth_of_any(text)


def _worth_of_any(text: str) -> int | None:
    """Every form of the grammar; None for what is none, for less than nothing and for too much."""
    found = _NUMBER.fullmatch(text.strip(" "))
    if found is None:
        return None
    sign, whole, part, only_part, binary, decimal, minus, exponent = found.groups()
    fraction = only_part or part or ""
    digits = ((whole or "") + fraction).lstrip("0")
    if not digits:
        return 0
    if sign == "-":
        return None
    power = _DECIMAL.get(decimal or "", 0) + 3 - len(fraction)
    if exponent:
        size = exponent.lstrip("0")
        if len(size) > _LONGEST_EXPONENT:
            return 1 if minus == "-" else None
        power += -int(size or "0") if minus == "-" else int(size or "0")
    return _rounded_up(digits, power=power, shift=_BINARY.get(binary or "", 0))


def _rounded_up(digits: str, *, power: int, shift: int) -> int | None:
    """`digits * 10^power * 2^shift`, up to a whole number; None beyond every bound.

    Digits after the first `_KEPT` cannot move the result but for being there at all.
    """
    size = len(digits) + power
    if size > len(str(MOST_THOUSANDTHS)):
        return None
    if size < -len(str(1 << 60)):
        return 1
    kept, rest = digits[:_KEPT], digits[_KEPT:]
    scaled, power = int(kept) << shift, power + len(rest)
    if power >= 0:
        return scaled * int(10**power)
    whole, over = divmod(scaled, int(10**-power))
    return whole + (1 if over or rest.strip("0") else 0)


def _shown(quantity: Quantity) -> str:
    if isinstance(quantity, int) and quantity.bit_length() > 1000:
        return hex(quantity)  # Python writes no decimal number of more than 4300 digits
    return str(quantity)
