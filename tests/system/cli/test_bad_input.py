"""Bad input: one clear message with the fix, the right exit code, nothing half-written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from takt.paths import ROOT

SETUP = "void setup() {}\n"

# name: (sketch, what is said, where it is said to be, what the fix names)
REFUSED = {
    "not schedulable": (
        SETUP + "void loop(1, 60, 100) {}\nvoid loop(2, 50, 100) {}\n",
        "loop 2 (50 ms in every 100 ms)", "bad.ino", "loop 1 at most",
    ),
    "duplicate id": (
        SETUP + "void loop(1, 10, 100) {}\n\nvoid loop(1, 20, 100) {}\n",
        "loop 1 is defined twice", "bad.ino:4:6", "number of its own",
    ),
    "negative id": (SETUP + "void loop(-1, 10, 100) {}\n", "loop(-1, ...): -1 is no id",
                    "bad.ino:2:6", "a number from 0 on"),
    "negative id of a job": (
        "#include <Takt.h>\n" + SETUP + "void periodic(-3, 10, 100) {}\n",
        "periodic(-3, ...): -3 is no id", "bad.ino:3:6", "periodic(1, ...)"),
    "negative id of a task": (
        "#include <Takt.h>\n" + SETUP + "int task(- 3, 10, int state) { return 0; }\n",
        "task(- 3, ...): - 3 is no id", "bad.ino:3:5", "task(1, ...)"),
    "negative id of a pipe": (
        "#include <Takt.h>\n" + SETUP
        + "void pipe(-2, uartIn(0, 9600), qos(960, 250, 500_us)) {}\n",
        "pipe(-2, ...): -2 is no id", "bad.ino:3:6", "pipe(1, ...)"),
    "id with a point": (SETUP + "void loop(1.5, 10, 100) {}\n", "1.5 is no id", "bad.ino:2:6",
                        "name"),
    "id that is a sum": (SETUP + "void loop(1 + 1, 10, 100) {}\n", "1 + 1 is no id", "bad.ino:2:6",
                         "name"),
    "id of a macro": (
        "#define LEFT -1\n" + SETUP + "void loop(LEFT, 10, 100) {}\n",
        "what the macro LEFT stands for is no id", "bad.ino:3:6", "name"),
    "C above T": (SETUP + "void loop(1, 200, 100) {}\n", "longer than the period", "bad.ino:2:6",
                  "C <= T"),
    "C is 0": (SETUP + "void loop(1, 0, 100) {}\n", "budget C must be above 0", "bad.ino:2:6",
               "0 < C"),
    "T is negative": (SETUP + "void loop(1, 10, -100) {}\n", "period T must be above 0",
                      "bad.ino:2:6", "0 < C"),
    "no such pin": (
        "void setup() { pinMode(13, OUTPUT); }\nvoid loop() {\n    digitalWrite(99, HIGH);\n}\n",
        "digitalWrite(99): the board has no such pin", "bad.ino:3", "use a pin below 30"),
    "no such pin by its name": (
        "#define LED 44\nconst int led = LED;\nvoid on() { digitalWrite(led, HIGH); }\n"
        "void setup() {}\nvoid loop() { on(); }\n",
        "digitalWrite(led): the board has no such pin", "bad.ino:3", "use a pin below 30"),
    "a pin below 0": ("void setup() { analogWrite(-1, 3); }\nvoid loop() {}\n",
                      "analogWrite(-1): the board has no such pin", "bad.ino:1", "below 30"),
    "no such pin to interrupt": (
        "void f() {}\nvoid setup() { attachInterrupt(digitalPinToInterrupt(31), f, RISING); }\n"
        "void loop() {}\n",
        "attachInterrupt(): the board has no such pin", "bad.ino:2", "below 30"),
    "a speed too high for SoftwareSerial": (
        "#include <SoftwareSerial.h>\nSoftwareSerial bt(10, 11);\nconst long BAUD = 38400;\n"
        "void setup() { bt.begin(BAUD); }\nvoid loop() {}\n",
        "begin(BAUD): SoftwareSerial cannot do this speed", "bad.ino:4", "19200 on the pico"),
    "a speed too low for SoftwareSerial": (
        "#include <SoftwareSerial.h>\nSoftwareSerial bt(10, 11);\n"
        "void setup() { bt.begin(300); }\nvoid loop() {}\n",
        "begin(300): SoftwareSerial cannot do this speed", "bad.ino:3", "from 600 up"),
    "C of a share below 0": (
        "void setup() { interruptsVcpu(-1, 100); }\nvoid loop() {}\n",
        "interruptsVcpu: the budget C is below 0", "bad.ino:1:16", "0 <= C <= T <= 268.4 s"),
    "C of a handler is 0": (
        "void f() {}\nvoid setup() { attachInterruptVcpu(3, f, RISING, 0, 9); }\nvoid loop() {}\n",
        "attachInterruptVcpu: the budget C must be above 0", "bad.ino:2:16",
        "in attachInterruptVcpu(pin, isr, mode, C, T)"),
    "share of a variable": (
        "void setup() { int c = 5; interruptsVcpu(c, 100); }\nvoid loop() {}\n",
        "C and T of interruptsVcpu() must be constants, and 'c' is none", "bad.ino:1:27",
        "write the number, or make it constexpr, or call takt::setInterruptsVcpu"),
    "period of a handler that is called": (
        "void f() {}\nvoid setup() { attachInterruptVcpu(3, f, RISING, 1, millis()); }\n"
        "void loop() {}\n",
        "C and T of attachInterruptVcpu() must be constants, and 'long unsigned int millis()' is",
        "bad.ino:2:16", "write the number"),
    "T of a variable": ("int t = 5;\n" + SETUP + "void loop(1, 1, t) {}\n",
                        "C and T of loop() must be constants, and 't' is none", "bad.ino:3:6",
                        "write the number"),
    "T beyond 32 bits": (SETUP + "void loop(1, 5, 4294967296) {}\n",
                         "C or T of loop() is out of range", "bad.ino:2:6",
                         "T <= 268.4 s in loop("),
    "T above 268 s": (SETUP + "void loop(1, 5, 300000) {}\n",
                      "loop 1: the period T is longer than 268.4 s", "bad.ino:2:6", "T <= 268.4 s"),
    "T is text": (SETUP + 'void loop(1, 5, "x") {}\n', "C and T of loop() must be numbers",
                  "bad.ino:2:6", "milliseconds"),
    "handler of a variable": (
        "void f() {}\nvoid setup() { void (*g)() = f; attachInterruptVcpu(3, g, RISING, 1, 9); }\n"
        "void loop() {}\n", "must be a constant, and 'g' is none", "bad.ino:2:33", "a function"),
    "stack below any": (SETUP + "void loop(1, 10, 100, 8) {}\n", "stack below 128", "bad.ino:2:6",
                        "leave the size out"),
    "no setup": ("void loop(1, 10, 100) {}\n", "no setup()", "", "void setup()"),
    "no loop": (SETUP, "no loop", "", "void loop()"),
    "syntax": ("void setup() {\n    Serial.begin(9600)\n}\nvoid loop() {}\n", "expected ';'",
               "bad.ino:2:23", "correct the sketch"),
    "unknown name": (SETUP + "void loop() { blonk(); }\n", "'blonk' was not declared",
                     "bad.ino:2:15", "spelling"),
    "no header": ("#include <Nothing.h>\n" + SETUP + "void loop() {}\n", "no header Nothing.h",
                  "bad.ino:1:10", "--library"),
    "declared only": ("void later(int);\nvoid setup() { later(1); }\nvoid loop() {}\n",
                      "later(int)", "bad.ino:2", "define it"),
    "RAM": ("char big[300000];\nvoid setup() { Serial.println((int)big); }\nvoid loop() {}\n",
            "bytes more than the RAM of 262144", "", "smaller"),
    "constants": ("const char big[3000000] = {1};\nvoid setup() { Serial.println((int)big); }\n"
              "void loop() {}\n", "bytes more than the RAM of 262144", "", "smaller"),
    "stack too small": (SETUP + "void loop(1, 10, 100, 128) { Serial.println(millis()); }\n",
                        "loop 1 has 128 bytes of stack and needs", "bad.ino", "leave the size out"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_sketch(takt: Callable, write: Callable, name: str) -> None:
    source, what, where, fix = REFUSED[name]
    folder = write("bad", source)
    ran = takt("build", folder, "--json")
    assert ran.code == 1, ran.err
    error = ran.json["error"]
    assert what in error["what"]
    assert where in error["where"]
    assert fix in error["fix"]
    assert "Traceback" not in ran.err
    assert [line for line in ran.err.splitlines() if line.startswith("error:")] == [
        f"error: {error['where']}{': ' if error['where'] else ''}{error['what']}"
    ]
    assert not list(folder.rglob("bad.elf")) + list(folder.rglob("bad.uf2"))


def test_error_in_a_second_tab_and_in_a_file_of_src(takt: Callable, write: Callable) -> None:
    folder = write("tabs", SETUP + "void loop() { more(); }\n",
                   more_DOT_ino="\nvoid more() { oops }\n")  # fmt: skip
    assert "more.ino:2:15" in takt("build", folder, "--json").json["error"]["where"]
    folder = write("files", SETUP + "void loop() {}\n", src__part_DOT_c="int x = ;\n")
    assert "src/part.c:1:9" in takt("build", folder, "--json").json["error"]["where"]


def test_a_failed_build_takes_the_old_outputs_away(takt: Callable, write: Callable) -> None:
    folder = write("once", SETUP + "void loop(1, 10, 100) {}\n")
    assert takt("build", folder).code == 0
    assert len(list((folder / "build" / "pico").glob("once.*"))) == 4
    write("once", SETUP + "void loop(1, 101, 100) {}\n")
    assert takt("build", folder).code == 1
    assert not list((folder / "build" / "pico").glob("once.*"))


USAGE = {
    "unknown board": (["build", "SKETCH", "--board", "picoo"], "unknown board 'picoo'"),
    "no such sketch": (["check", "/nowhere/at/all"], "no such sketch"),
    "not a sketch": (["build", "EMPTY"], "no .ino file"),
    "empty output folder": (["run", "SKETCH", "--out", ""], "an empty name of a folder"),
    "empty library folder": (["build", "SKETCH", "--library", ""], "an empty name of a folder"),
    "unknown option": (["run", "SKETCH", "--fast"], "No such option"),
    "missing argument": (["run"], "Missing argument"),
    "negative time": (["run", "SKETCH", "--seconds", "-1"], "-1 s"),
    "time is no number": (["run", "SKETCH", "--seconds", "soon"], "soon"),
    "no library": (["build", "SKETCH", "--library", "/nowhere"], "no such library folder"),
    "no macro": (["build", "SKETCH", "--define", "2X=1"], "'2X=1' is no macro"),
    "unknown lab": (["lab", "run", "nothing.here"], "no lab 'nothing.here'"),
}


def test_a_board_with_the_chip_of_another(takt: Callable, write: Callable) -> None:
    ran = takt("build", write("nano", SETUP + "void loop() {}\n"), "--board", "nano")
    assert ran.code == 2 and "unknown board 'nano'" in ran.err
    assert (
        "it has the chip of the uno: --board uno, which has all its pins but A6 and A7" in ran.err
    )


@pytest.mark.parametrize("name", USAGE)
def test_usage(takt: Callable, write: Callable, tmp_path: Path, name: str) -> None:
    arguments, what = USAGE[name]
    folder = write("ok", SETUP + "void loop() {}\n")
    (tmp_path / "empty").mkdir()
    places = {"SKETCH": str(folder), "EMPTY": str(tmp_path / "empty")}
    ran = takt(*(places.get(a, a) for a in arguments), "--json")
    assert ran.code == 2
    assert what in ran.json["error"]["what"]
    assert "Traceback" not in ran.err


def test_the_fix_for_a_folder_without_a_sketch_can_be_followed(
    takt: Callable, tmp_path: Path
) -> None:
    (tmp_path / "not yet").mkdir()
    fix = takt("build", "not yet", "--json", cwd=tmp_path).json["error"]["fix"]
    assert fix == "./takt new 'not yet'"
    for folder in (Path("/"), tmp_path):  # not empty
        assert takt("build", folder, "--json").json["error"]["fix"].endswith("./takt new my-sketch")


def test_no_toolchain(takt: Callable, write: Callable, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("cmake", "ninja"):
        (tools / name).symlink_to(shutil.which(name) or "")
    folder = write("ok", SETUP + "void loop() {}\n")
    ran = takt("build", folder, "--json", PATH=str(tools))
    assert ran.code == 1
    assert ran.json["error"]["what"] == "arm-none-eabi-g++ is not installed"
    assert "apt-get install gcc-arm-none-eabi" in ran.json["error"]["fix"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_full_disk(takt: Callable, write: Callable, tmp_path: Path) -> None:
    folder = write("ok", SETUP + "void loop() {}\n")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("cannot mount here")
    try:
        ran = takt("build", folder, "--out", disk, "--json")
        assert ran.code == 1
        assert ran.json["error"]["what"] == "the disk is full"
        assert not list(disk.glob("ok.*")) + list(disk.glob(".ok.*"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def bootstrap_copy(tmp_path: Path, programs: list[str], uid: str) -> tuple[Path, dict[str, str]]:
    """The bootstrap in an empty folder, on a machine with only these programs."""
    home = tmp_path / "a clone"
    home.mkdir()
    shutil.copy(ROOT / "takt", home)
    shutil.copy(ROOT / "requirements.txt", home)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in programs:
        (tools / name).symlink_to(shutil.which(name) or "")
    (tools / "id").write_text(f"#!/bin/sh\necho {uid}\n")
    (tools / "id").chmod(0o755)
    return home, {"PATH": str(tools)}


BASIC = ["bash", "sh", "env", "cat", "sha256sum", "readlink", "dirname", "mkdir", "flock", "tr",
         "sort", "apt-get", "gcc", "rm", "tail", "sed"]  # fmt: skip


def test_bootstrap_names_the_command_where_it_may_not_install(tmp_path: Path) -> None:
    home, environment = bootstrap_copy(tmp_path, BASIC, "1000")
    ran = subprocess.run(
        [str(home / "takt"), "boards"], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert "only root can install" in ran.stderr
    command = next(line for line in ran.stderr.splitlines() if "fix: sudo apt-get" in line)
    for package in ("gcc-arm-none-eabi", "cmake", "ninja-build", "universal-ctags"):
        assert package in command
    assert " gcc " not in f"{command} "
    assert not (home / ".venv").exists()


def test_bootstrap_without_apt(tmp_path: Path) -> None:
    programs = [name for name in BASIC if name != "apt-get"]
    home, environment = bootstrap_copy(tmp_path, programs, "0")
    ran = subprocess.run(
        [str(home / "takt")], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert "missing, named by their Debian packages" in ran.stderr


def test_no_registry_is_named_in_what_the_bootstrap_reads() -> None:
    for name in ("takt", "requirements.txt", "requirements-test.txt", "tests/package-lock.json"):
        assert "://" not in (ROOT / name).read_text()


def test_python_is_the_same_as_the_bootstraps() -> None:
    assert Path(sys.prefix).name == ".venv"


def test_where_a_world_names_a_board_that_is_not_there(takt: Callable, write: Callable) -> None:
    folder = write("lost", "void setup() {}\nvoid loop() {}\n")
    (folder / "world.toml").write_text('# around\n[world]\nboard = "unoo"\n')
    ran = takt("run", folder)
    assert ran.code == 2
    assert "world.toml:3: unknown board 'unoo'" in ran.err
