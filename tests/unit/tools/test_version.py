"""Which Takt this is: tags of its own repository, and of no other."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from takt import paths

AUTHOR = ("-c", "user.name=T", "-c", "user.email=t@example.org")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """With one commit, tagged v7.8."""
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"], ["tag", "v7.8"]):
        subprocess.run(["git", "-C", str(tmp_path), *AUTHOR, *words], check=True)
    return tmp_path.resolve()


def test_a_tag_is_the_version(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "ROOT", repository)
    assert (paths.version(), paths.release()) == ("7.8", "7.8.0")


def test_a_repository_around_takt_says_nothing_of_it(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "takt").mkdir()
    monkeypatch.setattr(paths, "ROOT", repository / "takt")
    assert paths.version() == f"{paths.FALLBACK}+unknown"


def test_without_a_tag_the_commit_is_told(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "-C", str(repository), "tag", "-d", "v7.8"], check=True)
    monkeypatch.setattr(paths, "ROOT", repository)
    assert re.fullmatch(rf"{re.escape(paths.FALLBACK)}\+[0-9a-f]{{7,}}", paths.version())
    assert paths.release() == paths.FALLBACK


def test_the_package_has_the_same_before_the_first_tag() -> None:
    said = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())
    assert said["tool"]["hatch"]["version"]["fallback-version"] == paths.FALLBACK
