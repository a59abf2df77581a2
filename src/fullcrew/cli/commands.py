"""The command line itself: which commands there are, and the one place where errors are told.

A command's module is imported when the command is called or described, and imports what is slow
only when it runs, so that `--help` answers at once (`tests/tidy/test_fast_start.py`).
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NoReturn

import click

from fullcrew import __version__, errors
from fullcrew.cli import layout

__all__ = ["main"]

# Where each command is: the function has the command's name.
_MODULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "plan": "fullcrew.cli.plan",
        "why": "fullcrew.cli.why",
        "scheduler": "fullcrew.cli.scheduler",
        "run": "fullcrew.cli.scheduler",
        "crds": "fullcrew.cli.crds",
    }
)


class _Commands(click.Group):
    """A group that imports a command when it is asked for, and ends the process in one way."""

    def list_commands(self, _context: click.Context) -> list[str]:
        """In the order in which people meet them."""
        return list(_MODULES)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """The command, imported now; None for a name that nobody knows."""
        if name not in _MODULES:
            return None
        found: click.Command = getattr(importlib.import_module(_MODULES[name]), name)
        return found

    def resolve_command(
        self, context: click.Context, words: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but a misspelt command is answered with the nearest one."""
        if words and not words[0].startswith("-") and words[0] not in _MODULES:
            raise errors.UnknownName("command", words[0], known=_MODULES)
        return super().resolve_command(context, words)

    def main(self, *arguments: Any, **named: Any) -> NoReturn:  # noqa: ANN401 - click's own
        """Runs a command and ends the process with its exit code; never returns."""
        called = super().main
        wanted = {"prog_name": self.name, **named, "standalone_mode": False}
        sys.exit(_ended(lambda: called(*arguments, **wanted)))


def _ended(called: Callable[[], object]) -> int:
    """The exit code of a command; what went wrong is told on standard error, once."""
    try:
        code = called()
    except (KeyboardInterrupt, click.Abort):
        return errors.INTERRUPTED
    except click.ClickException as error:
        if error.message.startswith("Usage:"):  # a group without a command: click tells its help
            error.show()
        else:
            _tell(_as_ours(error))
        return error.exit_code
    except errors.FullcrewError as error:
        _tell(str(error))
        return errors.exit_code_of(error)
    except Exception as error:
        traceback.print_exc()
        _tell(str(errors.Bug(f"this must not happen: {type(error).__name__}: {error}")))
        return errors.exit_code_of(error)
    return code if isinstance(code, int) else 0


def _as_ours(error: click.ClickException) -> str:
    """A misspelt command line, told as every other mistake: what is wrong, and what to try."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context is not None else "fullcrew"
    return f"{error.format_message()}\n  try: {command} --help"


def _tell(message: str) -> None:
    """Control characters of names and values must not reach a terminal."""
    lines = (layout.printable(line) for line in message.split("\n"))
    click.echo("error: " + "\n".join(lines), err=True)


@click.group(
    name="fullcrew",
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="fullcrew %(version)s")
def main() -> None:
    """A batch scheduler for Kubernetes: a job sails with its full crew, or not at all."""
