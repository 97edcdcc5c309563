"""What is read of a PlatformIO project: libraries of the environment that is built."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt.build import libraries, platformio

INI = """[platformio]
default_envs = slow
[env]
lib_extra_dirs = shared
[common]
lib_ignore = Third, Fourth
[env:slow]
board = uno
[env:fast]
extends = common
board = pico
[env:second]
board = pico
lib_extra_dirs =
  other ; more
  shared
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "platformio.ini").write_text(INI)
    for place in ("src", "test/test_one", "shared", "other", "lib/Third"):
        (tmp_path / place).mkdir(parents=True)
    (tmp_path / "lib/Third/Third.h").touch()
    for environment in ("slow", "fast", "second"):
        (tmp_path / ".pio/libdeps" / environment / "Fetched").mkdir(parents=True)
    return tmp_path


def names(project: Path, board: str) -> list[str]:
    found = platformio.libraries(project / "src", board)
    return [str(place.relative_to(project)) for place in found]


def test_of_the_environments_for_the_board(project: Path) -> None:
    assert names(project, "uno") == ["lib", "shared", ".pio/libdeps/slow"]
    assert names(project, "pico") == [
        "lib", "shared", "other", "shared", ".pio/libdeps/fast", ".pio/libdeps/second",
    ]  # fmt: skip
    assert len(names(project, "microbit")) == 1 + 4 + 3


def test_of_the_environment_that_is_built(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(platformio.BUILT, "fast")
    assert names(project, "pico") == ["lib", "shared", ".pio/libdeps/fast"]
    for place in (project, project / "src", project / "test/test_one"):
        assert platformio.ignored(place, "pico") == {"Third", "Fourth"}
    monkeypatch.setenv(platformio.BUILT, "second")
    assert platformio.ignored(project, "pico") == set()


def test_what_is_ignored_is_no_candidate(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = project / "lib/Third"
    assert found in libraries.roots(project / "src", (), "pico")
    monkeypatch.setenv(platformio.BUILT, "fast")
    assert found not in libraries.roots(project / "src", (), "pico")
    library = project / "lib/Elsewhere"
    library.mkdir()
    (library / "library.json").write_text('{"name": "Fourth"}')
    assert library not in libraries.roots(project / "src", (library,), "pico")
