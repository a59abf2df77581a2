"""What the API server's answers mean for a bind, and what a pod or group looked like when read.

The hard part is what *no* answer means. A request that timed out, or that a proxy answered, may
still be carried out; such an outcome is unknown and only the server can settle it. A refusal is
known, but not yet for good: an earlier attempt of the same bind may still be on its way.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

__all__ = ["Answer", "Outcome", "PodSeen", "Sight", "Terms", "TermsSeen", "answer_of"]


class Outcome(Enum):
    """The few things that an answer can mean."""

    DONE = auto()
    GONE = auto()  # 404: the pod is not there any more
    CONFLICT = auto()  # 409: bound already, recreated, leaving, gated: only the pod tells
    BUSY = auto()  # 429: not carried out, ask again
    REFUSED = auto()  # the request itself is not accepted
    ENDING = auto()  # refused because the namespace is being deleted
    UNKNOWN = auto()  # perhaps carried out, perhaps still under way
    UNSENT = auto()  # the shell did not send it: halted, no lease, or the room is gone


class Answer(NamedTuple):
    """An outcome with the server's own words, and how long it asks us to wait."""

    outcome: Outcome
    words: str = ""
    code: int = 0
    after_seconds: float = 0.0


class Sight(Enum):
    """How a pod stood when it was read."""

    BOUND = auto()
    GONE = auto()  # not there, another uid, leaving or finished
    WAITING = auto()  # there and without a node, gated or not
    UNKNOWN = auto()  # it could not be read


class PodSeen(NamedTuple):
    """A pod as read back by its uid."""

    sight: Sight
    node: str = ""


class Terms(NamedTuple):
    """What a plan took for granted of a group: a change of any of it makes the plan worthless."""

    minimum: int
    roles: tuple[tuple[str, int], ...]
    queue: str
    is_leaving: bool = False


class TermsSeen(NamedTuple):
    """A group as read before its gang starts. Without terms, the answer says why."""

    terms: Terms | None
    answer: Answer = Answer(Outcome.DONE)


_MEANINGS = {404: Outcome.GONE, 409: Outcome.CONFLICT, 429: Outcome.BUSY}
_TERMINATING = "NamespaceTerminating"
# 401: our token ran out, which a new one mends. 408 and 425: the server did not get to it.
_PASSING = frozenset({401, 408, 425})


def answer_of(code: int, *, words: str = "", cause: str = "", after_seconds: float = 0) -> Answer:
    """An HTTP answer as an outcome; code 0 stands for no answer at all."""
    if 200 <= code < 300:
        outcome = Outcome.DONE
    elif code in _MEANINGS:
        outcome = _MEANINGS[code]
    elif code == 403 and cause == _TERMINATING:
        outcome = Outcome.ENDING
    elif 400 <= code < 500 and code not in _PASSING:
        outcome = Outcome.REFUSED
    else:
        outcome = Outcome.UNKNOWN
    return Answer(outcome, words, code, after_seconds)
