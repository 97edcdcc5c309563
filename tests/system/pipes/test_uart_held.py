"""A serial port's FIFO keeps bytes back until there are more, or for a while: a pipe's bound counts
for how long, and none is lost or waits for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from takt import boards
from takt.build.build import build
from takt.cli import run
from takt.result.trace import Kind
from takt.world import world

SKETCH = """#include <Takt.h>
int expected, wrong;
void pipe(in, uartIn(1, 9600), qos(960, 100, 100_us, 20_ms)) {
  int c;
  while ((c = in.read()) >= 0) wrong += c != (expected++ & 255);
}
void setup() { Serial.begin(115200); }
void loop(watch, 5, 100) {
  Serial.print(expected);
  Serial.print(' ');
  Serial.println(wrong);
  delay(100);
}
"""
BIT_NS = 1_000_000_000 / 9600
COUNT = 30
FROM_NS = 200_000_000


class Slowly:
    """Bytes one by one, a pause of so many bits after each."""

    def __init__(self, pause: int) -> None:
        self.every_ns = (10 + pause) * BIT_NS
        self.sent_us: list[float] = []

    def start(self, bench: Any) -> None:
        for i in range(COUNT):
            at = bench.cycles(FROM_NS + i * self.every_ns)
            bench.at(at, lambda i=i: bench.send(1, bytes([i])))
            self.sent_us.append(bench.us(at))


# Pauses after which the FIFO goes on waiting for the next byte, and such as are too long for that.
@pytest.mark.parametrize(
    "board, pause", [("pico", 21), ("pico", 40), ("lm3s6965evb", 40), ("pc", 29), ("pc", 60)]
)
def test_no_byte_waits_longer_than_the_bound(board: str, pause: int, tmp_path: Path) -> None:
    sketch = tmp_path / "sketch"
    sketch.mkdir()
    (sketch / "sketch.ino").write_text(SKETCH)
    data = boards.load(board)
    built = build(sketch, data, out=tmp_path / "build")
    around, slowly = world.load(sketch, data), Slowly(pause)
    around.stimuli.append(slowly)
    result = run.run(built, around, 1.0)
    (pipe,) = result.stats.pipes
    assert result.serial.splitlines()[-1] == f"{COUNT} 0" and result.missed == pipe.lost == 0
    taken = result.trace.of(Kind.TAKEN, pipe.pipe.place)
    handled = np.repeat(result.trace.time[taken], result.trace.value[taken])
    offset = 1_000_000 - result.trace.end  # of the kernel's clock
    byte_us = 10 * BIT_NS / 1000 if data.raw.get("qemu") is None else 1e7 / data.serial["baud"]
    latest = (handled + offset - np.array(slowly.sent_us) - byte_us).max()
    assert latest <= pipe.pipe.bounds.delay_us
