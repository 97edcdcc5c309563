"""Takt as a package, in an environment of its own: pip install ."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from installed import install, surroundings, takt
from takt.paths import ROOT

pytestmark = pytest.mark.wide


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the environment."""
    return install(tmp_path_factory.mktemp("environment"))


def files(environment: Path) -> dict[Path, int]:
    """All of the package but what Python keeps of its own, and when each changed."""
    found = environment.glob("lib/python*/site-packages/takt/**/*")
    return {p: p.stat().st_mtime_ns for p in found if p.is_file() and "__pycache__" not in p.parts}


def test_an_example_runs_from_elsewhere_and_nothing_is_written_to_the_package(
    installed: Path, tmp_path: Path
) -> None:
    before = files(installed)
    assert len(before) > 1000
    (tmp_path / "own").mkdir()
    text = (ROOT / "examples/blink/blink.ino").read_text()
    (tmp_path / "own" / "own.ino").write_text(text)
    done = takt(installed, tmp_path, "run", "own", "--seconds", "1.5", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["board"] == "pico"
    assert files(installed) == before
    assert (tmp_path / "own/build/pico/own.uf2").is_file()
    assert list((tmp_path / "cache/takt").glob("*/pico/sketch.json"))


def test_it_tells_its_version_and_where_cmake_finds_it(installed: Path, tmp_path: Path) -> None:
    said = takt(installed, tmp_path, "--version").stdout
    metadata = installed.glob("lib/python*/site-packages/takt-*.dist-info")
    (version,) = (path.name.removeprefix("takt-").removesuffix(".dist-info") for path in metadata)
    assert said.split()[:2] == ["takt", version]
    folder = Path(takt(installed, tmp_path, "--cmake-dir").stdout.strip())
    assert folder.is_relative_to(installed) and (folder / "TaktConfig.cmake").is_file()


def test_documents_are_in_the_repository_only(installed: Path, tmp_path: Path) -> None:
    refused = takt(installed, tmp_path, "docs", "site")
    assert refused.returncode == 1 and "the documents are no part of the package" in refused.stderr


def test_cmake_finds_it_by_the_path_alone(installed: Path, tmp_path: Path) -> None:
    head = "cmake_minimum_required(VERSION 3.25)\nproject(foreign LANGUAGES NONE)\n"
    text = f"{head}find_package(Takt 0.1 REQUIRED)\nmessage(STATUS <${{TAKT_COMMAND}}>)\n"
    (tmp_path / "CMakeLists.txt").write_text(text)
    around = surroundings(installed, tmp_path / "cache")
    how = ["cmake", "-G", "Ninja", "-B", "build"]
    done = subprocess.run(how, cwd=tmp_path, env=around, capture_output=True, text=True)
    assert done.returncode == 0 and f"<{installed / 'bin/takt'}>" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("shell", "begins"),
    [
        ("bash", "complete -o default"),
        ("zsh", "#compdef takt"),
        ("fish", "complete --command takt"),
    ],
)
def test_a_shell_completes_commands(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str, begins: str
) -> None:
    monkeypatch.setenv("_TAKT_COMPLETE", f"source_{shell}")
    assert begins in takt(installed, tmp_path).stdout
    monkeypatch.setenv("_TAKT_COMPLETE", f"complete_{shell}")
    words = "takt build --board stm"
    for name in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS"):
        monkeypatch.setenv(name, words)
    monkeypatch.setenv("COMP_CWORD", "3")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    said = takt(installed, tmp_path).stdout
    assert "stm32f051-4k" in said and "pico" not in said, said
