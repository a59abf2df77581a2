"""Options that several commands have, in the same words."""

from __future__ import annotations

from typing import Final

import click

from fullcrew.model.offered import Score

__all__ = ["DEFAULT_QUEUE", "SCORE"]

# What the scheduler is told with the same words: a plan is its plan only if they agree.
DEFAULT_QUEUE: Final = click.option(
    "--default-queue",
    default="default",
    show_default=True,
    metavar="QUEUE",
    help="The queue of groups and pods that name none.",
)
SCORE: Final = click.option(
    "--score",
    type=click.Choice([str(score) for score in Score]),
    default=str(Score.PACK),
    show_default=True,
    help="Fill nodes one after the other, or spread over them.",
)
