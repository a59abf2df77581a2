"""Wheres by number: what a template requires, what a pod's volumes require, and its kin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fullcrew.model.where import Requirement, Term, Where
from fullcrew.room import Ints
from fullcrew.state.domains import Kin
from fullcrew.state.numbers import Numbers
from fullcrew.state.templates import Rules, Template

__all__ = ["Wheres", "labels_of"]


class Wheres:
    """Numbers of wheres, and the labels of nodes that they read."""

    __slots__ = ("_numbers", "fresh_labels")

    def __init__(self) -> None:
        self._numbers: Numbers[Where] = Numbers()
        self.fresh_labels: set[str] = set()  # labels of new wheres, until somebody takes them

    def of(
        self, template: Template, rules: Rules, *, volumes: tuple[tuple[Term, ...], ...], kin: Kin
    ) -> int:
        """The number of a where; the template remembers it, since a where is slow to compare."""
        key = (volumes, kin)
        number = template.wheres.get(key)
        if number is None:
            where = Where((*rules.required, *volumes), rules.preferred, rules.tolerations, kin)
            number = template.wheres[key] = self.again(where)
        return number

    def again(self, where: Where) -> int:
        """The number of a where as it was once made."""
        known = len(self._numbers)
        number = self._numbers.of(where)
        if number == known:
            self.fresh_labels.update(labels_of(where))
        return number

    @property
    def values(self) -> list[Where]:
        """All wheres by number; to be read, not changed."""
        return self._numbers.values

    @property
    def may_be_half_dead(self) -> bool:
        """Whether it is time to look which wheres are still in use."""
        return self._numbers.may_be_half_dead

    def keep(self, used: Iterable[int]) -> Ints:
        """Forget all but the used wheres. Answers with the new number of each old one."""
        renumbered = self._numbers.keep(used)
        self.fresh_labels = {key for where in self.values for key in labels_of(where)}
        return renumbered


def labels_of(where: Where) -> Iterator[str]:
    """The labels of nodes that a where reads."""
    terms = (term for entry in where.required for term in entry)
    wishes = (term for _, term in where.preferred)
    for term in (*terms, *wishes):
        yield from (each.key for each in term if _is_label(each))


def _is_label(told: Requirement) -> bool:
    return not told.is_field
