"""Pipes that cannot be: one message, with the place in the sketch and what to do instead."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import build
from takt.can import adapters as can_adapters
from takt.code.elf import Program
from takt.errors import UserError
from takt.paths import ROOT
from takt.world import world
from takt.world.parts.usb_can import plugged

GOOD = "qos(960, 100, 500_us)"
CAN = """#include <Can.h>
canAdapter(kvaser, hydra, 1_ms, 6_ms);
canSender(kvaser, hydra, 1_ms, 6_ms);
"""
GS = "#include <Can.h>\ncanAdapter(stick, gs, 1_ms, 6_ms);\n"


def one(end: str, qos: str = GOOD, name: str = "a") -> str:
    return f"void pipe({name}, {end}, {qos}) {{}}\n"


def refused(folder: Path, text: str, board: str) -> UserError:
    sketch = folder / "sketch"
    sketch.mkdir()
    (sketch / "sketch.ino").write_text(f"#include <Takt.h>\n{text}void setup() {{}}\n")
    with pytest.raises(UserError) as found:
        build(sketch, boards.load(board))
    return found.value


RATE = "pipe a: the rate is not a number above 0"
ROOM = "pipe a: the room is not a number above 0"
EXEC = "pipe a: the time for handling is not a time above 0"
PORT = "pipe a: the board has no such serial port"
SPEED = "pipe a: no speed of a serial port"


@pytest.mark.parametrize(
    "text, line, what",
    [
        (one("uartIn(7, 9600)"), 2, PORT),
        (one("uartIn(-1, 9600)"), 2, PORT),
        (one("uartIn(257, 9600)"), 2, PORT),
        (one("uartOut(1, 0)"), 2, SPEED),
        (one("uartIn(1, -9600)"), 2, SPEED),
        (one("uartIn(1, INFINITY)"), 2, SPEED),
        (one("uartIn(1, 1e12)"), 2, SPEED),
        (one("uartIn(1, 9600)", "qos(INFINITY, 100, 500_us)"), 2, RATE),
        (one("uartIn(1, 9600)", "qos(NAN, 100, 500_us)"), 2, RATE),
        (one("uartIn(1, 9600)", "qos(-1, 100, 500_us)"), 2, RATE),
        (one("uartIn(1, 9600)", "qos(960, -100, 500_us)"), 2, ROOM),
        (one("uartIn(1, 9600)", "qos(960, NAN, 500_us)"), 2, ROOM),
        (one("uartIn(1, 9600)", "qos(960, 100, 0)"), 2, EXEC),
        (one("uartIn(1, 9600)", "qos(960, 100, -500_us)"), 2, EXEC),
        (one("uartIn(1, 9600)", "qos(960, 100, NAN)"), 2, EXEC),
        *(
            (
                one("uartIn(1, 9600)", f"qos(960, 100, 500_us, {latency})"),
                2,
                "pipe a: the latency is not a time above 0",
            )
            for latency in ("-1", "0")
        ),
        (one("uartIn(1, 9600)", "qos(960, 1e9, 500_us)"), 2, "pipe a: the buffer is too large"),
        (one("uartIn(1, 9600)") + one("uartIn(0, 9600)"), 3, "pipe a is defined twice"),
        (
            one("uartIn(1, 9600)") + one("uartIn(1, 9600)", name="b"),
            3,
            "pipe b: Serial1 has a pipe from it, pipe a",
        ),
        (
            "void loop(1, 1, 100) { Serial.read(); }\n" + one("uartIn(0, 9600)"),
            3,
            "pipe a: the sketch uses Serial itself",
        ),
        (
            one("uartOut(1, 9600)") + one("uartIn(1, 19200)", name="b"),
            3,
            "pipe b: Serial1 cannot have another speed than for pipe a",
        ),
        (
            "int most = 960;\n" + one("uartIn(1, 9600)", "qos(most, 100, 500_us)"),
            3,
            "what is asked of a pipe must be constant, and 'most' is not",
        ),
        (
            one("uartIn(1, 9600)", "qos(960, 100)"),
            2,
            "qos(...) does not say all that is asked of a pipe",
        ),
        (
            one("uartIn(1, 9600)", 'qos("fast", 100, 500_us)'),
            2,
            "a text stands where a number is asked for",
        ),
        (CAN + one("canIn(kvaser, 0)"), 2, "this board has no driver for USB"),
    ],
)
def test_on_a_pico(text: str, line: int, what: str, tmp_path: Path) -> None:
    found = refused(tmp_path, text, "pico")
    assert found.what == what and f"sketch.ino:{line}" in found.where and found.fix
    assert not found.detail


@pytest.mark.parametrize(
    "text, line, what, fix",
    [
        (
            CAN + one("canIn(kvaser, 5)"),
            5,
            "pipe a: there is no channel 5; the device has 5, 0 to 4",
            "choose one of 0 to 4",
        ),
        (
            CAN + one("canOut(kvaser, -1)"),
            5,
            "pipe a: there is no channel 255 or more; the device has 5, 0 to 4",
            "choose one of 0 to 4",
        ),
        (
            GS + one("canIn(stick, 1)"),
            4,
            "pipe a: there is no channel 1; the device has one, 0",
            "write 0",
        ),
        (
            CAN + one("canIn(kvaser, 2)") + one("canIn(kvaser, 2)", name="b"),
            6,
            "pipe b: channel 2 of can_kvaser in has a pipe from it, pipe a",
            "leave one out, and let its body do what the other one is for",
        ),
        (
            CAN.replace("canSender(kvaser, hydra", "canSender(kvaser, gs"),
            4,
            "canSender kvaser: its adapter is of another kind",
            "name the same kind as canAdapter(...) does",
        ),
        (
            CAN.replace("1_ms, 6_ms);\ncanSender", "0, 6);\ncanSender"),
            3,
            "canAdapter kvaser: C must be above 0 and at most T",
            "write how long it may run and in what time, as 1_ms, 5_ms",
        ),
        (
            CAN + f"void pipe(a, canIn(kvaser, 0), {GOOD}) {{\n  int c;\n  a.read(c);\n}}\n",
            7,
            "pipe: read() takes a packet of another size",
            "name a variable of its endpoint's type: CanFrame with CAN, uint8_t with a serial port",
        ),
        (
            CAN + f"void pipe(a, canOut(kvaser, 0), {GOOD}) {{\n  a.write('c');\n}}\n",
            6,
            "pipe: write() takes a packet of another size",
            "name a variable of its endpoint's type: CanFrame with CAN, uint8_t with a serial port",
        ),
        (
            CAN + f"void pipe(a, canIn(kvaser, 0), {GOOD}) {{\n  while (a.read() >= 0) ;\n}}\n",
            6,
            "pipe: read() without a packet is for bytes",
            "name a variable for the packet: CanFrame frame with CAN",
        ),
    ],
)
def test_on_a_pc(text: str, line: int, what: str, fix: str, tmp_path: Path) -> None:
    found = refused(tmp_path, text, "pc")
    assert (found.what, found.fix) == (what, fix) and f"sketch.ino:{line}" in found.where


def test_as_many_adapters_as_there_are_names(tmp_path: Path) -> None:
    text = "#include <Can.h>\n"
    for name in ("one", "two", "three", "four"):
        text += f"canAdapter({name}, hydra, 1, 20);\n"  # ms
        text += one(f"canIn({name}, 0)", name=f"of_{name}")
    (tmp_path / "sketch").mkdir()
    (tmp_path / "sketch/sketch.ino").write_text(f"#include <Takt.h>\n{text}void setup() {{}}\n")
    program = Program(build(tmp_path / "sketch", boards.load("pc")).elf)
    assert can_adapters.defined(program, "hydra") == ["one", "two", "three", "four"]
    part = '[parts.{0}]\ntype = "usb-can"\nadapter = "{1}"\nport = "{2}"\nperiods = ["1 s"]\n'
    (tmp_path / "sketch/world.toml").write_text(
        part.format("car", "kvaser", 1) + part.format("stick", "gs_usb", 2)
    )
    parts = world.load(tmp_path / "sketch", boards.load("pc")).parts.values()
    said = can_adapters.alone(program, plugged(parts))
    assert [line.split(";")[0] for line in said] == [
        *(
            f"adapter {name} (hydra) is not plugged in, its channels stay closed"
            for name in ("two", "three", "four")
        ),
        "nobody reads stick",
    ]


def test_a_board_with_one_port(tmp_path: Path) -> None:
    assert refused(tmp_path, one("uartIn(1, 9600)"), "uno").what == PORT


def test_tpipe_where_threads_are_fixed(tmp_path: Path) -> None:
    text = "#include <takt/tpipe.h>\nstruct takt_endpoint end;\n"
    text += "void loop() { takt_tpipe({&end, 0}, nullptr, nullptr, nullptr); }\n"
    found = refused(tmp_path, text, "pico")
    assert found.what.startswith("tpipe() needs threads made at run time")


@pytest.mark.parametrize("command", ["check", "build", "run"])
def test_every_command_says_so(command: str, tmp_path: Path) -> None:
    sketch = tmp_path / "sketch"
    sketch.mkdir()
    (sketch / "sketch.ino").write_text(
        "#include <Takt.h>\n" + one("uartIn(1, 9600)", "qos(2000, 200, 1)") + "void setup() {}\n"
    )
    takt = [sys.executable, "-P", "-m", "takt", command, str(sketch)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    said = subprocess.run(takt, env=environment, capture_output=True, text=True)
    assert said.returncode == 1
    if command == "check":  # below the tables
        (line,) = (row for row in said.stdout.splitlines() if "sketch.ino" in row)
        assert line.endswith("; ask for less")
    else:
        line, fix = said.stderr.splitlines()
        assert fix == "  fix: ask for less"
    assert "sketch.ino:2: pipe a: the pipes of Serial1 ask for 16 kbit/s" in line
