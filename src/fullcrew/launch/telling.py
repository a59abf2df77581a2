"""The reasons of a gang that was planned and could not be bound as planned."""

from __future__ import annotations

from fullcrew.launch.answers import Answer, Outcome
from fullcrew.model.reason import Kind, Reason, Stage, numbers

__all__ = [
    "busy",
    "changed",
    "ended_by_fault",
    "group_refused",
    "group_unread",
    "refused",
    "unsettled",
]

_WORDS_SHOWN = 300


def refused(answer: Answer, *, pods: int, minimum: int) -> Reason:
    """Binds failed for good; the server's own words are the remedy's best hint."""
    if answer.outcome is Outcome.ENDING:
        return _reason(
            Kind.ENDING,
            "its namespace is being deleted, so the API server binds none of its pods",
            pods=pods,
            minimum=minimum,
        )
    return _reason(
        Kind.REFUSED,
        f"the API server refused to bind {_pods(pods)}, with {answer.code}: {_short(answer.words)}",
        pods=pods,
        minimum=minimum,
        code=answer.code,
    )


def group_refused(answer: Answer, *, minimum: int) -> Reason:
    """Its group cannot be read, so nobody knows whether the plan still holds."""
    return _reason(
        Kind.REFUSED,
        f"the API server does not let us read its group, with {answer.code}:"
        f" {_short(answer.words)}",
        minimum=minimum,
        code=answer.code,
    )


def changed(*, minimum: int) -> Reason:
    """The group, some pod or the room is no longer what the plan was made for."""
    return _reason(
        Kind.UNSETTLED,
        "its group, its pods or the room for them changed after they had been placed; they are"
        " planned anew",
        minimum=minimum,
    )


def unsettled(last: Answer, *, pods: int, minimum: int) -> Reason:
    """Binds went out and no answer came that settles them; they are repeated."""
    return _reason(
        Kind.UNSETTLED,
        f"the API server has not told yet whether {_pods(pods)} of it became bound{_said(last)}",
        pods=pods,
        minimum=minimum,
        **_code(last),
    )


def busy(last: Answer, *, pods: int, minimum: int) -> Reason:
    """Binds were put off by the server; they are repeated."""
    return _reason(
        Kind.UNSETTLED,
        f"the API server has not got to binding {_pods(pods)} of it yet{_said(last)}",
        pods=pods,
        minimum=minimum,
        **_code(last),
    )


def group_unread(last: Answer, *, minimum: int) -> Reason:
    """Its group was asked for before the first bind, and no answer came; it is asked for again."""
    return _reason(
        Kind.UNSETTLED,
        f"the API server has not told yet how its group stands now{_said(last)}",
        minimum=minimum,
        **_code(last),
    )


def ended_by_fault(*, pods: int, minimum: int) -> Reason:
    """Our own fault: nobody follows its binds any more, so only the cluster can tell."""
    return _reason(
        Kind.UNSETTLED,
        f"a fault of the scheduler ended its start; {_pods(pods)} of it keep their room until the"
        " cluster shows what became bound, and the others are planned anew",
        pods=pods,
        minimum=minimum,
    )


def _reason(kind: Kind, message: str, **figures: int) -> Reason:
    return Reason(Stage.BINDING, kind, message, numbers(**figures))


def _said(last: Answer) -> str:
    told = [*([str(last.code)] if last.code else []), *([_short(last.words)] if last.words else [])]
    return f"; last: {': '.join(told)}" if told else ""


def _code(last: Answer) -> dict[str, int]:
    return {"code": last.code} if last.code else {}


def _pods(count: int) -> str:
    return "1 pod" if count == 1 else f"{count} pods"


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _WORDS_SHOWN else f"{line[:_WORDS_SHOWN]}..."
