"""The class of a pod's constraints, as a value: which nodes it may use and which it likes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Operator", "Requirement", "Taint", "Term", "Toleration", "Where"]


class Operator(StrEnum):
    """How a requirement compares a node's label with its values."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"
    GT = "Gt"
    LT = "Lt"


@dataclass(frozen=True, slots=True, order=True)
class Requirement:
    """One line of a node selector. A field is `metadata.name`, the only one Kubernetes knows.

    Ordered, so that terms which come in any order can be put into one.
    """

    key: str
    operator: Operator
    values: tuple[str, ...] = ()
    is_field: bool = False


Term = tuple[Requirement, ...]  # all of them; a term without requirements matches no node


@dataclass(frozen=True, slots=True, order=True)
class Taint:
    """What keeps pods off a node that do not tolerate it."""

    key: str
    value: str
    effect: str  # NoSchedule, PreferNoSchedule, NoExecute


@dataclass(frozen=True, slots=True, order=True)
class Toleration:
    """An empty key with `Exists` tolerates every taint, an empty effect every effect."""

    key: str
    operator: str  # Exists or Equal (Lt and Gt of newer clusters where they are served)
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Where:
    """All that decides which nodes a pod may use, but for amounts. Interned by `state`.

    `required`: of each entry at least one term must hold (the pod's selector, its required
    affinity, the affinity and zones of each volume it is bound to). `preferred`: weight and term.
    `kin` is what other pods' rules read of it: its namespace and its labels, projected on the
    keys that live rules mention, so that index labels do not make a class for each pod.
    """

    required: tuple[tuple[Term, ...], ...] = ()
    preferred: tuple[tuple[int, Term], ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    kin: tuple[str, tuple[tuple[str, str], ...]] = ("", ())
