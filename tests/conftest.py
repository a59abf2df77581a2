"""The same cases on every machine; a new case is found with another profile, not by luck."""

from __future__ import annotations

import pytest
from accepted import Accepted
from hypothesis import settings

settings.register_profile("check", derandomize=True, database=None, deadline=None)
settings.register_profile("search", max_examples=5_000, database=None, deadline=None)
settings.load_profile("check")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`make accept` is the only one that gives it."""
    parser.addoption("--accept", action="store_true", help="rewrite golden files and pages")


@pytest.fixture
def accepted(request: pytest.FixtureRequest) -> Accepted:
    """Compares with a file that somebody has read and accepted."""
    return Accepted(is_rewriting=request.config.getoption("--accept"))
