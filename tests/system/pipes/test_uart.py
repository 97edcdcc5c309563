"""Pipes over serial ports on the boards: nothing is lost, in order, within the bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from everywhere import PC, QEMU
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.result.result import Result
from takt.world import world

# Every byte is the one before plus 1, at any rate that the line carries.
IN = """#include <Takt.h>
long got, wrong;
int expected = -1;
void pipe(in, uartIn({port}, {baud}), qos({baud} / 10, {room}, {exec}_us)) {{
  int c;
  while ((c = in.read()) >= 0) {{
    if (expected >= 0 && c != expected) wrong++;
    expected = (c + 1) & 255;
    got++;
  }}
}}
void setup() {{}}
void loop(hog, {hog}) {{ volatile int x = 0; for (int i = 0; i < 50; i++) x += i; }}
"""
OUT = """#include <Takt.h>
byte next;
void pipe(out, uartOut({port}, {baud}), qos({baud} / 10, {room}, {exec}_us)) {{
  while (out.write(next)) next++;
}}
void setup() {{}}
void loop(hog, {hog}) {{ volatile int x = 0; for (int i = 0; i < 50; i++) x += i; }}
"""
# port, baud, room, exec us, hog; the uno's CPU is slow and its only port is 0.
BOARDS = {
    "pico": (1, 115200, 250, 1000, "5, 8"),
    "stm32f051": (1, 38400, 250, 2000, "3, 10"),
    "sim": (1, 115200, 250, 1000, "5, 8"),
    "uno": (0, 2400, 100, 20000, "20, 100"),
    "lm3s6965evb": (1, 115200, 250, 1000, "3, 10"),
    "pc": (1, 115200, 250, 1000, "5, 8"),
}


def ran(text: str, board: str, folder: Path, seconds: float, send: bytes = b"") -> Result:
    sketch = folder / "sketch"
    sketch.mkdir()
    port, baud, room, texec, hog = BOARDS[board]
    (sketch / "sketch.ino").write_text(
        text.format(port=port, baud=baud, room=room, exec=texec, hog=hog)
    )
    data = boards.load(board)
    built = build(sketch, data, out=folder / "build")
    outside = world.load(sketch, data)
    if send:
        outside.stimuli.append(Sender(port, baud, send))
    return run.run(built, outside, seconds)


class Sender:
    """Bytes on a line, back to back, from 0.1 s on."""

    AT_ONCE = 100

    def __init__(self, port: int, baud: int, data: bytes) -> None:
        self.port, self.baud, self.data = port, baud, data

    def start(self, bench: Any) -> None:
        for i in range(0, len(self.data), self.AT_ONCE):
            at = 100_000_000 + i * 10 * 1_000_000_000 // self.baud
            bench.at(bench.cycles(at), lambda i=i: self._send(bench, i))

    def _send(self, bench: Any, i: int) -> None:
        bench.send(self.port, self.data[i : i + self.AT_ONCE], self.baud)


def words(result: Result, *names: str) -> list[int]:
    """Variables of the program: what the report has of them is the pipe's."""
    return [result.stats.pipes[0].as_dict()[name] for name in names]


@pytest.mark.parametrize("board", ["pico", "stm32f051", "uno", "lm3s6965evb", "pc"])
def test_in(board: str, tmp_path: Path) -> None:
    baud = BOARDS[board][1]
    data = bytes(i & 255 for i in range(baud // (40 if board in (*QEMU, PC) else 10)))
    result = ran(IN, board, tmp_path, 1.5, data)
    arrived, handled, lost, late = words(result, "arrived", "handled", "lost", "late")
    assert (arrived, handled, lost, late) == (len(data), len(data), 0, 0)
    (pipe,) = result.stats.pipes
    assert 0 < pipe.latency_max_us <= pipe.pipe.bounds.delay_us
    assert pipe.latency_max_us > pipe.pipe.asked.thread.period_us // 2
    assert result.missed == 0


@pytest.mark.parametrize("board", ["microbit", "pc"])
def test_a_slow_line_is_as_slow_in_qemu(board: str, tmp_path: Path) -> None:
    """The room would not do for a sentence at the console's speed."""
    sketch = tmp_path / "sketch"
    sketch.mkdir()
    text = IN.format(port=0, baud=9600, room=60, exec=1000, hog="3, 20")
    (sketch / "sketch.ino").write_text(text)
    (sketch / "world.toml").write_text('[parts.gps]\ntype = "gps-receiver"\nport = 0\nbaud = 9600')
    data = boards.load(board)
    built = build(sketch, data, out=tmp_path / "build")
    result = run.run(built, world.load(sketch, data), 1.0)
    handled, lost = words(result, "handled", "lost")
    assert handled > 800 and lost == 0


@pytest.mark.parametrize("board", ["pico", "sim", "uno", "lm3s6965evb", "pc"])
def test_out(board: str, tmp_path: Path) -> None:
    baud = BOARDS[board][1]
    result = ran(OUT, board, tmp_path, 1.5)
    (pipe,) = result.stats.pipes
    assert pipe.lost == pipe.late == result.missed == 0
    assert pipe.per_s_min is None or pipe.per_s_min >= baud // 10 - 1
    assert pipe.handled >= baud // 10


BOTH = """#include <Takt.h>
byte next;
void pipe(out, uartOut(1, 115200), qos(1000, 100, 500_us)) {
  for (int i = 0; i < 10 && out.write(next); i++) next++;
}
void pipe(in, uartIn(1, 115200), qos(11520, 400, 500_us)) { while (in.read() >= 0) {} }
void pipe(console, uartIn(0, 115200), qos(11520, 400, 500_us)) { while (console.read() >= 0) {} }
void setup() {}
"""


@pytest.mark.parametrize("board", ["sim", "pc"])
def test_several(board: str, tmp_path: Path) -> None:
    result = ran(
        BOTH.replace("{", "{{").replace("}", "}}"), board, tmp_path, 0.5, bytes(range(200))
    )
    pipes = {found.pipe.name: found for found in result.stats.pipes}
    assert pipes["pipe in"].handled == 200 and pipes["pipe out"].handled > 40
    assert pipes["pipe console"].handled == 0 and result.missed == 0
