"""A page that a comment or a docstring sends its reader to is a page of this repository."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest
from tidy import source

PAGE = re.compile(r"[\w./-]*\w\.md\b")
OTHERS = [  # comments there begin with a sharp too
    path
    for folder in ("deploy", "examples", "tests", "tools")
    for path in sorted((source.ROOT / folder).rglob("*"))
    if path.suffix in {".txt", ".yaml"} and "golden" not in path.parts
]


def comments(text: str) -> Iterator[str]:
    """What Python's own reader takes for comments."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    yield from (token.string for token in tokens if token.type == tokenize.COMMENT)


def docstrings(tree: ast.Module) -> Iterator[str]:
    """Of the module, its classes and functions, and the texts that stand below a constant."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text


def missing(texts: Iterator[str]) -> list[str]:
    """The pages that these name and that are not here, by their paths from the root."""
    named = {name for text in texts for name in PAGE.findall(text)}
    return sorted(name for name in named if not (source.ROOT / name).is_file())


def nowhere(text: str) -> list[str]:
    """What a file of Python names and nobody finds."""
    return missing(iter([*comments(text), *docstrings(ast.parse(text))]))


@pytest.mark.parametrize(
    "module", source.read("src", "tests", "tools"), ids=lambda module: module.place
)
def test_a_page_that_a_module_speaks_of_is_here(module: source.Module) -> None:
    assert nowhere(module.text) == []


def test_a_page_that_a_file_of_cases_speaks_of_is_here() -> None:
    lines = {path: path.read_text("utf-8").splitlines() for path in OTHERS}

    found = {path: missing(line for line in told if "#" in line) for path, told in lines.items()}

    assert {path.name: pages for path, pages in found.items() if pages} == {}


@pytest.mark.parametrize(
    "code",
    [
        "LIMIT = 4  # plan" + ".md 5: up to here",
        '"""By the limits of our house' + '.md 4."""',
        'def f():\n    """See docs/concepts/gone' + '.md."""',
        'LIMIT = 4\n"""As docs/gone' + '.md says."""',
    ],
)
def test_a_page_that_is_not_here_is_seen(code: str) -> None:
    assert nowhere(code)


@pytest.mark.parametrize(
    "code", ["# README.md, docs/glossary.md.", "name = 'docs/gone' + '.md'", "# a .mdx file"]
)
def test_pages_that_are_here_are_let_pass(code: str) -> None:
    assert nowhere(code) == []
