"""The answer of `fullcrew why`, for people in lines and for scripts as plain maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from fullcrew import dialects
from fullcrew.cli import layout, reason_text
from fullcrew.cli.answering import Answer, Found, Written
from fullcrew.cli.layout import Line, Span, counted
from fullcrew.model import reason as reasons

__all__ = ["as_plain", "lines"]

_LABEL: Final = 10  # cells of the first column
_MOST_NODES: Final = 8
_STYLES: Final = {
    Found.WAITS: "bold yellow",
    Found.STARTS: "bold green",
    Found.RUNS: "bold green",
    Found.FINISHED: "bold",
    Found.FOREIGN: "bold",
    Found.EMPTY: "bold",
}


def lines(answer: Answer, *, width: int) -> Iterator[Line]:
    """The name and what became of it; then a line for each fact; then the chain of reasons."""
    yield (Span(f"{answer.kind} {layout.printable(answer.asked)} "), _became(answer))
    for label, told in _facts(answer):
        yield from _fact(label, told, width=width)
    for pods, cause in answer.reasons:
        is_all = answer.kind == "pod" or len(pods) == answer.counts.waiting
        whose = "" if is_all else f"{counted(len(pods), 'pod')}: "
        yield from _fact("why", f"{whose}{reason_text.sentence(cause)}", width=width)
        yield from reason_text.chain(cause, width=width, indent=_LABEL + 2)
    if answer.written is not None:
        yield from _fact("written", _written(answer.written), width=width)
    for note in answer.notes:
        yield from _fact("note", note, width=width)


def as_plain(answer: Answer) -> dict[str, Any]:
    """The contract of docs/why-json.md: fields may be added, never renamed or removed."""
    return {
        "name": answer.asked,
        "kind": answer.kind,
        "found": str(answer.found),
        "gang": answer.gang,
        "dialect": answer.dialect,
        "queue": answer.queue,
        "minimum": answer.minimum,
        "schedulerName": answer.scheduler,
        "pods": answer.counts._asdict(),
        "place": list(answer.place) if answer.place else None,
        "nodes": dict(answer.nodes),
        "reasons": [
            {"pods": list(pods), "reason": {**reasons.as_json(cause)}}
            for pods, cause in answer.reasons
        ],
        "written": _plainly(answer.written),
        "notes": list(answer.notes),
    }


def _became(answer: Answer) -> Span:
    words = {
        Found.WAITS: "waits",
        Found.STARTS: "can start",
        Found.RUNS: "runs",
        Found.FINISHED: "has finished",
        Found.FOREIGN: f"is not ours: it belongs to {answer.scheduler or 'no scheduler'}",
        Found.EMPTY: "wants nothing: no pod of it waits",
    }
    return Span(words[answer.found], _STYLES[answer.found])


def _facts(answer: Answer) -> Iterator[tuple[str, str]]:
    if answer.kind == "pod" and answer.gang:
        yield "gang", answer.gang
    if answer.dialect not in {"", dialects.single.NAME}:
        said = f"of {answer.minimum}, as {answer.dialect} says it"
        yield "minimum", said if answer.kind == "gang" else f"{said} of its gang"
    if answer.queue:
        yield "queue", answer.queue + _turn(answer)
    if answer.kind == "gang":
        yield "pods", _counts(answer)
    if answer.found is Found.STARTS:
        yield "nodes", f"{_nodes(answer)}, in the plan that would be made now"
    elif answer.nodes:
        yield "node", _nodes(answer)


def _turn(answer: Answer) -> str:
    if answer.place is None:
        return ""
    at, of = answer.place
    return f", where its turn is number {at} of {of}"


def _counts(answer: Answer) -> str:
    told = [f"{count} {name}" for name, count in answer.counts._asdict().items() if count]
    return ", ".join(told) or "none"


def _nodes(answer: Answer) -> str:
    by_node = Counter(answer.nodes.values())
    told = [node if n == 1 else f"{node} x{n}" for node, n in by_node.items()]
    rest = len(told) - _MOST_NODES
    more = f" and {counted(rest, 'more node')}" if rest > 0 else ""
    return ", ".join(told[:_MOST_NODES]) + more


def _fact(label: str, told: str, *, width: int) -> Iterator[Line]:
    """The label once, and the text beside it however many lines it takes."""
    first, *rest = list(layout.wrapped(told, width=width, indent=_LABEL)) or [()]
    beside = first[0].text[_LABEL:] if first else ""
    yield (Span("  " + label.ljust(_LABEL - 2), "bold"), Span(beside))
    yield from rest


def _written(written: Written) -> str:
    when = f" at {written.at}" if written.at else ""
    word = f" {written.reason}" if written.reason else ""
    message = f": {written.message}" if written.message else ""
    return f"{written.type}={written.status}{word}{when}{message}"


def _plainly(written: Written | None) -> dict[str, Any] | None:
    if written is None:
        return None
    told = written._asdict()
    told["told"] = {**reasons.as_json(written.told)} if written.told else None
    return told
