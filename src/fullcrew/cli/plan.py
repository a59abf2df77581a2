"""`fullcrew plan`: manifests in; what would start, where, and why the rest waits, out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from fullcrew import errors
from fullcrew.cli import layout, options, writing
from fullcrew.cli.sources import sources
from fullcrew.model.offered import OWNED

if TYPE_CHECKING:
    from fullcrew.cli.planning import Outcome

__all__ = ["plan"]

_MOST_NOTES: Final = 20  # a line each; beyond it they are counted


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "-o",
    "--output",
    "form",
    type=click.Choice(writing.FORMATS),
    default="table",
    show_default=True,
    help="A table for people; JSON or YAML for scripts.",
)
@options.SCORE
@click.option(
    "--scheduler-name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Whose pods to plan, by their schedulerName; may be given several times. "
    f"[default: {', '.join(OWNED)}, default-scheduler, and pods that name none]",
)
@options.DEFAULT_QUEUE
def plan(
    files: tuple[str, ...], form: str, score: str, names: tuple[str, ...], default_queue: str
) -> None:
    """Tell what would start, where, and why the rest waits. Needs no cluster.

    FILE is a manifest, a folder of manifests, or - for standard input: YAML or JSON with nodes,
    pods, groups, queues and what belongs to them, as kubectl get -o yaml prints them. A gang that
    waits is no error: the exit code is 0.
    """
    from fullcrew.cli import planning  # noqa: PLC0415 - imports NumPy
    from fullcrew.cli.planning import EVERYBODYS, Settings  # noqa: PLC0415

    if not default_queue:
        raise errors.BadInput("--default-queue is empty", try_this="--default-queue default")
    owned = frozenset(names) or Settings().owned
    if "default-scheduler" in owned:
        owned |= EVERYBODYS
    chosen = Settings(owned, default_queue, score)
    outcome = planning.planned(
        sources(files), chosen, now=int(time.time()), stopwatch=time.perf_counter
    )
    _tell_beside(outcome)
    _tell(outcome, form)


def _tell(outcome: Outcome, form: str) -> None:
    from fullcrew.cli import plan_json, plan_table  # noqa: PLC0415 - they know the room

    if form == "table":
        writing.draw(plan_table.lines(outcome.plan, width=writing.width()))
        return
    told = plan_json.contract(
        outcome.plan, read_seconds=outcome.read_seconds, plan_seconds=outcome.plan_seconds
    )
    writing.write(told, form)


def _tell_beside(outcome: Outcome) -> None:
    """What is no answer to the question, but ought to be known: on standard error."""
    if outcome.passed_over:
        kinds = ", ".join(f"{name} ({count})" for name, count in outcome.passed_over)
        _note(f"not read: {kinds}; a plan is made of pods, not of what makes them")
    for note in _first(outcome.notes):
        _note(note)


def _first(notes: Sequence[str]) -> Sequence[str]:
    rest = len(notes) - _MOST_NOTES
    return [*notes[:_MOST_NOTES], f"and {rest} more notes"] if rest > 0 else notes


def _note(text: str) -> None:
    click.echo(f"note: {layout.printable(text)}", err=True)
