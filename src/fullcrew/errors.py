"""Every error a user can meet, what to try then, and the exit code of each branch.

FullcrewError          1
├── BadInput           2  a command, manifest or configuration asks for what cannot be
│   ├── BadManifest
│   ├── BadQuantity
│   └── UnknownName
├── ClusterError       3  the API server said no, or did not answer
│   ├── Forbidden
│   ├── Refused
│   └── Unreachable
└── Bug               70  a promise we gave ourselves does not hold
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import ClassVar

__all__ = [
    "INTERRUPTED",
    "BadInput",
    "BadManifest",
    "BadQuantity",
    "Bug",
    "ClusterError",
    "Forbidden",
    "FullcrewError",
    "Refused",
    "UnknownName",
    "Unreachable",
    "exit_code_of",
]

INTERRUPTED = 130  # the exit code of shells for somebody's Ctrl-C


class FullcrewError(Exception):
    """Says where, what is wrong and what to try. Nothing else in the program formats errors."""

    exit_code: ClassVar[int] = 1

    def __init__(self, problem: str, *, try_this: str, where: str = "") -> None:
        super().__init__(problem, try_this, where)
        self.problem = problem
        self.try_this = try_this
        self.where = where

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.problem}\n  try: {self.try_this}"


class BadInput(FullcrewError):
    """The user's command, file or object asks for what cannot be."""

    exit_code: ClassVar[int] = 2


class BadManifest(BadInput):
    """A file or document that is no Kubernetes object; `where` names file, document and field."""


class BadQuantity(BadInput):
    """An amount that Kubernetes would not accept, or that no cluster can hold."""

    def __init__(self, text: str, *, most: int, where: str = "") -> None:
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        super().__init__(
            f"{shown!r} is not an amount between 0 and {most}",
            try_this="a number with a unit, such as 500m, 2 or 16Gi",
            where=where,
        )


class UnknownName(BadInput):
    """A name the user wrote and nobody knows; the nearest known one is offered."""

    def __init__(self, what: str, name: str, *, known: Iterable[str], where: str = "") -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=1)
        listed = f"one of: {', '.join(names)}" if names else "name none: nobody knows any"
        super().__init__(
            f"there is no {what} named {name!r}",
            try_this=f"did you mean {near[0]!r}?" if near else listed,
            where=where,
        )


class ClusterError(FullcrewError):
    """The API server said no, or did not answer."""

    exit_code: ClassVar[int] = 3


class Forbidden(ClusterError):
    """Our account lacks a right."""

    def __init__(self, verb: str, resource: str) -> None:
        super().__init__(
            f"the API server does not let us {verb} {resource}",
            try_this=f"kubectl auth can-i {verb} {resource}; deploy/rbac.yaml has the rule",
        )


class Refused(ClusterError):
    """Any other refusal: the server's status code and its own words."""

    def __init__(self, code: int, message: str, *, where: str = "") -> None:
        super().__init__(
            f"the API server answered {code}: {message}",
            try_this="the server's words above name the field or the limit",
            where=where,
        )
        self.code = code


class Unreachable(ClusterError):
    """No answer in time, or no connection at all."""

    def __init__(self, server: str, *, problem: str) -> None:
        super().__init__(
            f"{server} cannot be reached: {problem}",
            try_this="kubectl get --raw /readyz, with the same kubeconfig",
        )


class Bug(FullcrewError):
    """A promise we gave ourselves does not hold. Never caught to go on."""

    exit_code: ClassVar[int] = 70

    def __init__(self, promise: str) -> None:
        super().__init__(
            promise,
            try_this="report it, with the manifests and what fullcrew plan -o json says of them",
        )


def exit_code_of(error: BaseException) -> int:
    """The code a command ends with. What is not in the tree is a bug we have not named yet."""
    if isinstance(error, FullcrewError):
        return error.exit_code
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else Bug.exit_code
