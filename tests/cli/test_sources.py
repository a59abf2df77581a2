"""Which files are read: those named, and of a folder the manifests below it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fullcrew import errors
from fullcrew.cli.sources import sources


def written(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def names_read(*names: Path | str) -> list[str]:
    return [Path(name).name for name, _ in sources([str(name) for name in names])]


def refused(names: Sequence[str]) -> str:
    with pytest.raises(errors.BadInput) as caught:
        list(sources(names))
    return str(caught.value)


def test_files_are_read_in_the_order_in_which_they_are_named(tmp_path: Path) -> None:
    written(tmp_path, "b.yaml", "a.yaml")

    read = list(sources([str(tmp_path / "b.yaml"), str(tmp_path / "a.yaml")]))

    assert [content for _, content in read] == [b"b.yaml", b"a.yaml"]


def test_a_named_file_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    written(tmp_path, ".hidden", "notes.txt")

    assert names_read(tmp_path / ".hidden", tmp_path / "notes.txt") == [".hidden", "notes.txt"]


def test_of_a_folder_all_manifests_below_it_are_read_by_path(tmp_path: Path) -> None:
    written(tmp_path, "z.json", "a/x.yml", "a/deep/er.yaml", "README.md", "script.sh")

    assert names_read(tmp_path) == ["er.yaml", "x.yml", "z.json"]


def test_hidden_files_of_a_folder_are_passed_over(tmp_path: Path) -> None:
    written(tmp_path, "a.yaml", ".a.yaml", "..2026/a.yaml", ".git/a.yaml")

    assert names_read(tmp_path) == ["a.yaml"]


def test_a_link_in_a_circle_is_not_followed(tmp_path: Path) -> None:
    written(tmp_path, "a.yaml")
    (tmp_path / "again").symlink_to(tmp_path)

    assert names_read(tmp_path) == ["a.yaml"]


def test_a_folder_without_manifests_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "README.md")

    assert "this folder holds no manifest" in refused([str(tmp_path)])


@pytest.mark.parametrize("name", ["", "nowhere.yaml", "a\0b", "x" * 5000])
def test_a_file_that_is_not_there_is_refused(name: str) -> None:
    assert "it cannot be read: " in refused([name])


def test_a_link_to_nowhere_in_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to(tmp_path / "gone")

    assert "a.yaml: it cannot be read" in refused([str(tmp_path)])
