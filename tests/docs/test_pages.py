"""The pages exist, can be found from the README, and lead nowhere that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import blocks

ROOT = blocks.ROOT
WANTED = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "docs/start.md",
    "docs/concepts/architecture.md",
    "docs/glossary.md",
    "docs/errors.md",
    "docs/plan-json.md",
    "docs/compat.md",
    "docs/progress.md",
]
RECORD = ["Situation", "Decision", "What it costs", "What else we weighed"]
RECORDS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
DOORS = re.findall(r"^([a-z0-9-]+):.* ## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)

each_page = pytest.mark.parametrize(
    "page", blocks.pages(), ids=lambda page: str(page.relative_to(ROOT))
)
each_record = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)


def targets(page: Path) -> list[Path]:
    """The files that a page leads to; addresses elsewhere are not ours to judge."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    inside = [link.split("#")[0] for link in links if "://" not in link]
    return [(page.parent / link).resolve() for link in inside if link]


@pytest.mark.parametrize("name", WANTED)
def test_a_page_that_people_look_for_is_there(name: str) -> None:
    assert (ROOT / name).exists()


@each_page
def test_a_link_leads_somewhere(page: Path) -> None:
    assert [target for target in targets(page) if not target.exists()] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    ahead = [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        reached.add(page)
        following = [t for t in targets(page) if t.is_file() and t.suffix == ".md"]
        ahead += [target for target in following if target not in reached]

    assert [page.name for page in blocks.pages() if page not in reached] == []


@each_record
def test_a_decision_says_what_it_costs(record: Path) -> None:
    text = record.read_text("utf-8")

    assert re.findall(r"^\*\*(.+)\.\*\*", text, re.MULTILINE) == RECORD
    assert text.startswith(f"# {int(record.stem[:4])}. ")
    assert len(text.splitlines()) <= 45


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(record.stem[:4]) for record in RECORDS]

    assert numbers == list(range(1, len(numbers) + 1))


def test_contributing_stays_on_one_screen() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= 45


def test_progress_says_what_stands_what_is_next_and_what_is_doubtful() -> None:
    text = (ROOT / "docs" / "progress.md").read_text("utf-8")

    heads = set(re.findall(r"^## (.+)$", text, re.MULTILINE))

    assert heads >= {"What stands", "What is next", "What is doubtful"}


def test_the_doors_that_the_house_promises_are_listed() -> None:
    promised = {"demo", "test", "check", "check-real", "control-plane", "bench", "bench-e2e"}

    assert promised | {"soak", "accept", "constraints", "format"} <= set(DOORS)


def test_ci_knocks_at_two_doors() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")

    assert "for door in test check-real" in script
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
