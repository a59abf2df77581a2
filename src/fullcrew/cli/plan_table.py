"""A plan for people: what starts and where, what waits and why, in columns that fit a terminal."""

from __future__ import annotations

from collections import Counter
from typing import Final

from fullcrew.cli import layout, reason_text
from fullcrew.cli.layout import Line, Span, counted
from fullcrew.room import Plan, Start, Wait

__all__ = ["lines"]

_NUMBERS: Final = frozenset({2, 3})  # the columns that are set flush right
_FEWEST_NODES: Final = 1  # named even where it is too long for the line


def lines(plan: Plan, *, width: int) -> list[Line]:
    """The whole answer: two tables whose columns are equally wide, and a line that sums up."""
    if not plan.starts and not plan.waits:
        return [(Span("no pod waits: there is nothing to start"),)]
    heads = _head("STARTS", "bold green", "NODES"), _head("WAITS", "bold yellow", "")
    rows = [*(_started(start) for start in plan.starts), *(_waiting(wait) for wait in plan.waits)]
    first, second, *table = layout.columns(heads[0], [heads[1], *rows], right=_NUMBERS)
    room = width - sum(layout.cells(span.text) for span in first[:-1])
    started = zip(table, plan.starts, strict=False)
    waiting = zip(table[len(plan.starts) :], plan.waits, strict=True)
    starts = [first, *(_with_nodes(row, start, room) for row, start in started)]
    waits = [second]
    for row, wait in waiting:
        said = layout.wrapped(reason_text.sentence(wait.reason), width=width)
        waits += [row, *said, *reason_text.chain(wait.reason, width=width, indent=4)]
    return layout.flat(
        [starts if plan.starts else [], waits if plan.waits else [], [(Span(_sum(plan)),)]]
    )


def _head(title: str, style: str, last: str) -> Line:
    return (
        Span(title, style),
        Span("QUEUE", "bold"),
        Span("MINIMUM", "bold"),
        Span("PODS", "bold"),
        Span(last, "bold"),
    )


def _started(start: Start) -> Line:
    gang = start.gang
    return (
        Span(gang.title),
        Span(gang.queue),
        Span(str(gang.minimum)),
        Span(str(len(start.bindings))),
        Span(""),
    )


def _waiting(wait: Wait) -> Line:
    gang = wait.gang
    return (
        Span(gang.title),
        Span(gang.queue),
        Span(str(gang.minimum)),
        Span(str(len(wait.pods))),
        Span(""),
    )


def _with_nodes(row: Line, start: Start, room: int) -> Line:
    """As many nodes as the line has room for, in the order in which they were filled."""
    by_node = Counter(layout.printable(binding.node) for binding in start.bindings)
    told = [name if count == 1 else f"{name} x{count}" for name, count in by_node.items()]
    if len(told) == 1 and len(start.bindings) > 1:
        told = [f"all on {next(iter(by_node))}"]
    if start.gang.is_wounded:
        told[0] = f"mended: {told[0]}"
    elif not start.minimum:
        told[0] = f"grown: {told[0]}"
    return (*row[:-1], Span(_listed(told, _fitting(told, room))))


def _fitting(told: list[str], room: int) -> int:
    """How many names the line holds; more than one for each three cells never fit."""
    shown = min(len(told), max(_FEWEST_NODES, room // 3))
    while shown > _FEWEST_NODES and layout.cells(_listed(told, shown)) > room:
        shown -= 1
    return shown


def _listed(told: list[str], shown: int) -> str:
    rest = len(told) - shown
    more = f" and {counted(rest, 'more node')}" if rest else ""
    return ", ".join(told[:shown]) + more


def _sum(plan: Plan) -> str:
    starting = {start.gang.name for start in plan.starts}
    waiting = {wait.gang.name for wait in plan.waits}
    bound = sum(len(start.bindings) for start in plan.starts)
    held = sum(len(wait.pods) for wait in plan.waits)
    told = [
        f"{_of(pods)}{counted(len(gangs), 'gang')} {what}"
        for pods, gangs, what in ((bound, starting, "can start"), (held, waiting, "must wait"))
        if gangs
    ]
    return ", ".join(told)


def _of(pods: int) -> str:
    """Nothing for gangs that have no pods yet."""
    return f"{counted(pods, 'pod')} of " if pods else ""
