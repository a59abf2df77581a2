"""The page of errors and the picture at the top of the module are what the code says."""

from __future__ import annotations

import re

from accepted import Accepted

from docs import blocks, errors_page
from fullcrew import errors


def test_the_page_of_errors_is_rendered_from_the_code(accepted: Accepted) -> None:
    accepted.compare(blocks.ROOT / "docs" / "errors.md", errors_page.page())


def test_the_tree_at_the_top_of_the_module_is_the_tree() -> None:
    drawn = re.findall(r"^([│├└─ ]*)([A-Z]\w+)", errors.__doc__ or "", re.MULTILINE)

    tree = ["  " * (len(lead) // 4) + name for lead, name in drawn if name.isidentifier()]

    assert [line for line in tree if line.strip() in dir(errors)] == errors_page.tree()
