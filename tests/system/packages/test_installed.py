"""A package that an installed Takt has made calls that one."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from conftest import builder_with
from installed import install, surroundings, takt

pytestmark = pytest.mark.wide
BLINK = "void setup() { pinMode(13, OUTPUT); }\nvoid loop() { digitalWrite(13, HIGH); }\n"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("environment"))


def test_arduino(environment: Path, tmp_path: Path) -> None:
    made = takt(environment, tmp_path, "package", "arduino", "made")
    assert made.returncode == 0, made.stderr
    (tmp_path / "blinks").mkdir()
    sketch = tmp_path / "blinks" / "blinks.ino"
    sketch.write_text(BLINK)
    around = surroundings(environment, tmp_path / "cache")
    build = builder_with(tmp_path / "made", tmp_path, XDG_CACHE_HOME=around["XDG_CACHE_HOME"])
    built = build("uno", sketch, tmp_path / "out")
    assert built.code == 0, built.err
    assert (tmp_path / "out/blinks.ino.hex").is_file()


def test_platformio(environment: Path, tmp_path: Path) -> None:
    made = takt(environment, tmp_path, "package", "platformio", "made", "--json")
    assert made.returncode == 0, made.stderr
    manifest = json.loads((tmp_path / "made/platform.json").read_text())
    assert re.fullmatch(r"\d+\.\d+\.\d+", manifest["version"])
    around = surroundings(environment, tmp_path / "cache")
    said = subprocess.check_output([manifest["takt"], "--version"], text=True, env=around)
    assert str(environment) in said
