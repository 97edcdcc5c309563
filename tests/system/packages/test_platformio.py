"""takt package platformio: what PlatformIO's own commands do with it, without a network."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import command
import pytest
from boot_loader import connected
from conftest import LATE, LATE_LINE, Ran, package

UNITY = Path(__file__).parent / "unity"
MAIN = """#include <Takt.h>
#include <Blinker.h>
#include <Doubler.h>

void setup() { pinMode(13, OUTPUT); Serial.begin(9600); }

void loop(1, 10, 100) { blink(13, doubled(PAUSE)); }

void loop(2, 20, 200) { Serial.println(millis()); delay(1000); }
"""
BLINKER = """#include <Arduino.h>
inline void blink(int pin, int ms) {
  digitalWrite(pin, HIGH);
  delay(ms);
  digitalWrite(pin, LOW);
  delay(ms);
}
"""
TESTS = """#include <Arduino.h>
#include <Doubler.h>
#include <unity.h>

void test_doubles() { TEST_ASSERT_EQUAL(42, doubled(21)); }

void test_time_passes() {
  unsigned long before = millis();
  delay(2000);
  TEST_ASSERT_EQUAL(2000, millis() - before);
}

void setup() {
  UNITY_BEGIN();
  RUN_TEST(test_doubles);
  RUN_TEST(test_time_passes);
  UNITY_END();
}

void loop() {}
"""
WRONG = 43
OPTIONS = ("build_flags = -DPAUSE=200", "custom_takt_seconds = 3")


@pytest.fixture
def doubler(tmp_path: Path) -> Path:
    """A library elsewhere, for lib_deps."""
    folder = tmp_path / "links" / "Doubler"
    (folder / "src").mkdir(parents=True)
    (folder / "library.json").write_text(json.dumps({"name": "Doubler", "version": "1.0.0"}))
    (folder / "src/Doubler.h").write_text("int doubled(int n);\n")
    text = '#include "Doubler.h"\nint doubled(int n) { return 2 * n; }\n'
    (folder / "src/Doubler.cpp").write_text(text)
    return folder


def depends(doubler: Path) -> str:
    return f"lib_deps = symlink://{doubler}"


def has_unity(project: Path, board: str) -> None:
    """As PlatformIO would have fetched it."""
    place = project / ".pio" / "libdeps" / board / "Unity"
    package(place, "library", "Unity", "2.6.1", "throwtheswitch", "library.json")
    shutil.copytree(UNITY, place / "src")


def test_what_cannot_keep_its_promises_fails(
    pio: Callable[..., Ran], project: Callable[..., Path]
) -> None:
    folder = project("pico", {"src/main.cpp": LATE})
    refused = pio(folder, "run")
    assert refused.code != 0 and not list(folder.glob(".pio/build/pico/firmware.*"))
    said = json.loads(command.takt("build", folder, "--no-trace", "--json").stdout)["error"]
    assert said["where"] == f"{folder}/src/main.cpp:{LATE_LINE}" and "deadline" in said["what"]
    assert f"src/main.cpp:{LATE_LINE}: error: {said['what']}" in refused.err
    assert f"fix: {said['fix']}" in refused.err


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_the_same_program(
    board: str, pio: Callable[..., Ran], project: Callable[..., Path], doubler: Path
) -> None:
    """With libraries in lib/ and of lib_deps, and a macro of build_flags."""
    files = {"src/main.cpp": MAIN, "lib/Blinker/Blinker.h": BLINKER}
    folder = project(board, files, *OPTIONS, depends(doubler))
    built = pio(folder, "run")
    assert built.code == 0, built.err
    words = ("--board", board, "--no-trace", "--json", "--define", "PAUSE=200")
    said = json.loads(command.takt("build", folder, *words).stdout)
    place = folder / ".pio/build" / board
    for kind, file in said["files"].items():
        assert (place / f"firmware.{kind}").read_bytes() == Path(file).read_bytes(), kind
    assert f"(used {said['flash_bytes']} bytes from" in built.out
    assert f"(used {said['ram_bytes']} bytes from" in built.out
    checked = pio(folder, "run", "-t", "takt-check")
    assert checked.code == 0 and "admitted" in checked.out and "loop 2" in checked.out
    ran = pio(folder, "run", "-t", "takt-run")
    assert ran.code == 0 and "loop 2" in ran.out and "3 s" in ran.out and "Serial:" in ran.out


@pytest.mark.wide
def test_upload_to_the_uno(pio: Callable[..., Ran], project: Callable[..., Path]) -> None:
    text = "#include <Arduino.h>\nvoid setup() { pinMode(13, OUTPUT); }\nvoid loop() {}\n"
    folder = project("uno", {"src/main.cpp": text})
    with connected() as (loader, port):
        done = pio(folder, "run", "-t", "upload", "--upload-port", port)
    assert done.code == 0, done.err
    image = (folder / ".pio/build/uno/firmware.bin").read_bytes()
    assert bytes(loader.flash[: len(image)]) == image and loader.written >= len(image)


@pytest.mark.wide
@pytest.mark.parametrize("board", ["pico", "uno"])
def test_tests_run_on_the_virtual_platform(
    board: str, pio: Callable[..., Ran], project: Callable[..., Path], doubler: Path
) -> None:
    name = "test/test_sums/test_sums.cpp"
    folder = project(board, {name: TESTS}, depends(doubler))
    has_unity(folder, board)
    passed = pio(folder, "test")
    assert passed.code == 0, passed.out + passed.err
    assert "2 test cases: 2 succeeded" in passed.out
    (folder / name).write_text(TESTS.replace("EQUAL(42", f"EQUAL({WRONG}"))
    failed = pio(folder, "test")
    assert failed.code != 0 and "Expected 43 Was 42" in failed.out
    assert "1 failed, 1 succeeded" in failed.out + failed.err


@pytest.mark.wide
@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("build_flags = -DPAUSE=1 -Isrc", "build_flags has more than macros: CPPPATH"),
        ("build_src_filter = +<*> -<x.cpp>", "Takt does not know build_src_filter"),
        ("test_build_src = yes", "Takt does not know test_build_src"),
        ("build_unflags = -Os", "Takt does not know build_unflags"),
        ("build_type = debug", "Takt does not know build_type"),
        ("debug_build_flags = -O0", "Takt does not know debug_build_flags"),
        ("board_build.f_cpu = 8000000L", "Takt does not know board_build.f_cpu"),
        ("lib_ldf_mode = deep", "Takt does not know lib_ldf_mode"),
        ("lib_compat_mode = strict", "Takt does not know lib_compat_mode"),
    ],
)
def test_what_a_build_would_ignore_is_refused(
    option: str, said: str, pio: Callable[..., Ran], project: Callable[..., Path]
) -> None:
    refused = pio(project("pico", {"src/main.cpp": MAIN}, option), "run")
    assert refused.code != 0 and said in refused.err and "fix: " in refused.err


@pytest.mark.wide
def test_what_is_ignored_and_what_is_told(
    pio: Callable[..., Ran], project: Callable[..., Path]
) -> None:
    """A library of lib_ignore is not taken; warnings of the sketch and the verdict are shown."""
    main = MAIN.replace("void setup() {", "void setup() { int unused;")
    main = main.replace("#include <Doubler.h>\n", "").replace("doubled(PAUSE)", "PAUSE")
    files = {
        "src/main.cpp": main,
        "lib/Older/Blinker.h": "#error the older one\n",
        "lib/Newer/Blinker.h": BLINKER,
    }
    folder = project("pico", files, "build_flags = -DPAUSE=200", "lib_ignore = Older")
    built = pio(folder, "run")
    assert built.code == 0, built.err
    assert "src/main.cpp:4:" in built.err and "warning: unused variable" in built.err
    assert "admitted: " in built.out
    ini = folder / "platformio.ini"
    ini.write_text(ini.read_text().replace("lib_ignore = Older", "lib_ignore = Newer"))
    assert "the older one" in pio(folder, "run").err


@pytest.mark.wide
def test_takt_has_moved(
    pio: Callable[..., Ran], project: Callable[..., Path], platform: Path, tmp_path: Path
) -> None:
    elsewhere = shutil.copytree(platform, tmp_path / "elsewhere")
    manifest = json.loads((platform / "platform.json").read_text()) | {"takt": "/nowhere/takt"}
    (elsewhere / "platform.json").write_text(json.dumps(manifest))
    folder = project("pico", {"src/main.cpp": MAIN})
    ini = (folder / "platformio.ini").read_text()
    (folder / "platformio.ini").write_text(ini.replace(str(platform), str(elsewhere)))
    refused = pio(folder, "run")
    assert refused.code != 0 and "/nowhere/takt: Takt is not there" in refused.err
