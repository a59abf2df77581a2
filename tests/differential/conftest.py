"""What tests have to report besides having passed is printed at the end of the run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

REPORTS = pytest.StashKey[list[str]]()


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Takes a line for the summary."""
    return request.config.stash.setdefault(REPORTS, []).append


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """The lines, sorted: tests run in any order."""
    told: list[str] = config.stash.setdefault(REPORTS, [])
    for line in sorted(told):
        terminalreporter.write_line(line)
