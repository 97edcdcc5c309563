"""Arduino's builder and PlatformIO, as the set-up of the tests leaves them below build/assets or as
they are installed, with the packages that Takt makes for them. Neither reaches a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import command
import needed
import pytest
from command import Ran
from takt.paths import BUILD, ROOT

ASSETS = BUILD / "assets"
EXAMPLES = ROOT / "examples"
PLACES = (ASSETS / "arduino" / "usr", Path("/usr"))
PIO = ASSETS / "platformio" / "bin" / "pio"
SCONS = "4.41101.0"  # how PlatformIO calls SCons 4.11.1
TIMEOUT_S = 500
LATE = """#include <Takt.h>

void setup() {}

void loop(1, 60, 100) { delay(10); }

void loop(2, 50, 100) { delay(10); }
"""
LATE_LINE = 7  # of what is refused


def _run(words: list[str | Path], cwd: Path, home: Path, **more: str) -> Ran:
    environment = {**os.environ, "HOME": str(home), **more}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, cwd=cwd, env=environment,
        timeout=TIMEOUT_S, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def made(kind: str, folder: Path) -> Path:
    """A package in the folder."""
    done = command.takt("package", kind, folder, "--json")
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["folder"])


@pytest.fixture(scope="session")
def arduino(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hardware package."""
    return made("arduino", tmp_path_factory.mktemp("arduino"))


@pytest.fixture
def arduino_builder(arduino: Path, tmp_path: Path) -> Callable[..., Ran]:
    """arduino_builder(board, sketch, out) builds with the package."""
    return builder_with(arduino, tmp_path)


def builder_with(package: Path, home: Path, **more_around: str) -> Callable[..., Ran]:
    """A function that builds with a package in a folder."""
    usr = next((place for place in PLACES if (place / "bin/arduino-builder").is_file()), None)
    if usr is None or not (usr / "bin/arduino-ctags").is_file():
        needed.lacks("Debian's arduino-builder is not here: ./takt test fetches it")

    def build(board: str, sketch: Path, out: Path, *more: str | Path) -> Ran:
        out.mkdir(exist_ok=True)
        words = [
            usr / "bin/arduino-builder", "-compile", "-warnings", "none",
            "-hardware", usr / "share/arduino-builder", "-hardware", package / "hardware",
            "-tools", usr / "bin", "-prefs", f"tools.ctags.path={usr / 'bin'}",
            "-fqbn", f"takt:takt:{board}", "-build-path", out, *more, sketch,
        ]  # fmt: skip
        return _run(words, home, home, **more_around)

    return build


@pytest.fixture(scope="session")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PlatformIO's folder, with SCons as the package that it would fetch."""
    if not PIO.is_file():
        needed.lacks("PlatformIO is not here: ./takt test installs it below build/assets")
    place = tmp_path_factory.mktemp("core")
    scons = place / "packages" / "tool-scons"
    package(scons, "tool", "tool-scons", SCONS, "platformio", "package.json")
    (scons / "scons.py").write_text("from SCons.Script import main\n\nmain()\n")
    return place


def package(place: Path, kind: str, name: str, version: str, owner: str, manifest: str) -> None:
    """What PlatformIO takes for a package that it has fetched."""
    place.mkdir(parents=True)
    about = {"name": name, "version": version}
    (place / manifest).write_text(json.dumps(about))
    (place / ".piopm").write_text(
        json.dumps({"type": kind, **about, "spec": {"owner": owner, "name": name}})
    )


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The platform for PlatformIO."""
    return made("platformio", tmp_path_factory.mktemp("platformio"))


@pytest.fixture
def pio(core: Path, tmp_path: Path) -> Callable[..., Ran]:
    """pio(project, words...)."""

    def run(project: Path, *words: str | Path) -> Ran:
        settings = {
            "PLATFORMIO_CORE_DIR": str(core),
            "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
            "PLATFORMIO_NO_ANSI": "true",
            **dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9"),  # offline
        }
        return _run([PIO, *words], project, tmp_path, **settings)

    return run


@pytest.fixture
def project(platform: Path, tmp_path: Path) -> Callable[..., Path]:
    """project(board, files, options...) makes a PlatformIO project."""

    def make(board: str, files: dict[str, str], *options: str) -> Path:
        folder = tmp_path / "project"
        shutil.rmtree(folder, ignore_errors=True)
        ini = [f"[env:{board}]", f"platform = symlink://{platform}", f"board = {board}"]
        files = {"platformio.ini": "\n".join([*ini, "framework = arduino", *options, ""]), **files}
        for name, text in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return folder

    return make
