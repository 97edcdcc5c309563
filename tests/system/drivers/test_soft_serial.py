"""SoftwareSerial: what is on its pins, and what it makes of what is driven there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from takt import boards
from takt.build.build import build
from takt.cli.run import _Session as Session
from takt.world import world

PINS = {"pico": (6, 7), "uno": (6, 7), "atmega324p": (2, 1)}  # rx, tx
# By turns, and both ways at once.
TURNS = {"pico": (1200, 9600, 19200), "uno": (1200, 4800, 9600), "atmega324p": (2400, 4800)}
AT_ONCE = {"pico": (1200, 9600, 19200), "uno": (1200, 2400), "atmega324p": (1200,)}
BESIDE = {"pico": (19200, 19200), "uno": (1200, 600)}  # loops with budgets, at most
COVERED = {"pico": 9600, "uno": 1200}  # by the proof
CASES = [
    (board, baud, at_once, beside)
    for at_once, rates in ((False, TURNS), (True, AT_ONCE))
    for board, all_ in rates.items()
    for baud in all_
    for beside in (False, True)
    if not beside or baud <= BESIDE.get(board, (0, 0))[at_once]
]
ECHO = """
#include <SoftwareSerial.h>
SoftwareSerial port(RX_PIN, TX_PIN, INVERTED);
void setup() { Serial.begin(57600); port.begin(BAUD); port.print("ready."); }
unsigned long last;
int seen;
void LOOP {
  if (port.available() != seen) { seen = port.available(); last = millis(); }
  if (AT_ONCE || millis() - last > 40)
    while (port.available()) { int c = port.read(); port.write(c ^ 0x20); }
  if (port.overflow()) Serial.println("lost");
  delay(2);
}
OTHER
"""
TEXT = "The quick brown fox, 0123456789.\x00\xff\x55\xaa"


def levels(data: bytes, bit: float) -> Iterator[tuple[float, int]]:
    """When the wire changes, and to what: frames of 8N1 without pauses."""
    for n, byte in enumerate(data):
        bits = [0, *((byte >> k) & 1 for k in range(8)), 1]
        for k, level in enumerate(bits):
            yield (10 * n + k) * bit, level


def decoded(edges: list[tuple[int, int]], bit: float) -> bytes:
    """By looking at the middle of each bit, from start bit to start bit."""
    found, at, level = bytearray(), -1.0, 1
    changes = [*edges, (edges[-1][0] + round(20 * bit), 1)] if edges else []
    for cycle, new in changes:
        if level == 1 and new == 0 and cycle > at:
            byte = 0
            for k in range(8):
                middle = cycle + (k + 1.5) * bit
                last = [one for when, one in edges if when <= middle][-1]
                byte |= last << k
            found.append(byte)
            at = cycle + 9.4 * bit
        level = new
    return bytes(found)


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize(("board", "baud", "at_once", "beside"), CASES)
def test_both_ways(
    write: Callable, board: str, baud: int, at_once: bool, beside: bool, inverted: bool
) -> None:
    rx, tx = PINS[board]
    text = ECHO.replace("RX_PIN", str(rx)).replace("TX_PIN", str(tx)).replace("BAUD", str(baud))
    text = text.replace("INVERTED", str(inverted).lower())
    text = text.replace("AT_ONCE", str(at_once).lower())
    text = text.replace("LOOP", "loop(1, 20, 100)" if beside else "loop()")
    other = "void loop(2, 2, 50) { for (volatile int i = 0; i < 100; i++) {} delay(10); }"
    text = text.replace("OTHER", other if beside else "")
    covered = beside and not at_once and baud <= COVERED.get(board, 0)
    built = build(write("soft", text), boards.load(board), trace=beside, admit=covered)
    session = Session(built, world.load(built.sketch.folder, built.board))
    machine, chip = session.machine, session.world.chip
    bit = built.board.clock_hz / baud
    start = round(60 * bit + 0.05 * built.board.clock_hz)
    machine.pin_drive(chip[rx], int(not inverted), 0)
    for when, level in levels(TEXT.encode("latin-1"), bit):
        machine.pin_drive(chip[rx], level ^ inverted, start + round(when))
    seconds = (start + (2 * len(TEXT) + 6) * 12 * bit) / built.board.clock_hz + 0.3
    session.go(seconds, None)
    seen = [(cycle, level ^ inverted) for cycle, pin, level in session.bench.edges if pin == tx]
    expected = b"ready." + bytes(byte ^ 0x20 for byte in TEXT.encode("latin-1"))
    first = next(i for i, (_, level) in enumerate(seen) if level == 0)
    assert decoded(seen[first:], bit) == expected
    assert session.bench.text() == ""


GREEDY = """
#include <Takt.h>
#include <SoftwareSerial.h>
SoftwareSerial port(RX_PIN, TX_PIN);
void setup() { Serial.begin(57600); port.begin(BAUD); }
void loop(1, 1_ms, 20_ms) { delay(1); }
void loop(2, 3_ms, 100_ms) { port.write("Uhello"); }
void loop(3, 2_ms, 100_ms) { Serial.print(F("0123456789")); }
"""


@pytest.mark.parametrize("board", BESIDE)
def test_beside_greedy_loops(write: Callable, board: str) -> None:
    """No edge is late by more than half a bit, the end of the stop bit included."""
    (rx, tx), baud = PINS[board], BESIDE[board][0]
    text = GREEDY.replace("RX_PIN", str(rx)).replace("TX_PIN", str(tx)).replace("BAUD", str(baud))
    built = build(write("soft", text), boards.load(board), trace=False)
    session = Session(built, world.load(built.sketch.folder, built.board))
    session.go(4, None)
    bit = built.board.clock_hz / baud
    edges = [cycle for cycle, pin, _ in session.bench.edges if pin == tx]
    starts, late = [edges[1]], []
    for cycle in edges[2:-20]:
        bits = (cycle - starts[-1]) / bit
        if bits > 9.5:  # a frame is ten bits: what comes then is the next start
            starts.append(cycle)
        else:
            late.append(bits - round(bits))
    assert len(starts) > 300
    assert min(late) > -0.1 and max(late) < 0.45


AGAIN = """
#include <SoftwareSerial.h>
SoftwareSerial a(RX_A, TX_A), b(RX_B, TX_B);
void setup() {
  Serial.begin(57600);
  a.begin(1200); b.begin(1200);
  for (int i = 0; i < 4; i++) {
    b.write('x');
    a.begin(i & 1 ? 1200 : 2400);
    a.write('y');
    b.flush();
  }
  { SoftwareSerial c(RX_A, TX_A); a.end(); c.begin(2400); c.write('z'); }
  a.begin(2400); a.write('w'); a.flush();
  Serial.println("over");
}
void loop() {}
"""
MORE = {"pico": (8, 9), "uno": (8, 9), "atmega324p": (4, 5)}


@pytest.mark.parametrize("board", PINS)
def test_a_port_that_is_begun_again_disturbs_no_other(write: Callable, board: str) -> None:
    text = AGAIN
    for name, pin in zip(("RX_A", "TX_A", "RX_B", "TX_B"), PINS[board] + MORE[board], strict=True):
        text = text.replace(name, str(pin))
    built = build(write("again", text), boards.load(board), trace=False)
    session = Session(built, world.load(built.sketch.folder, built.board))
    session.go(0.3, None)
    assert session.bench.text() == "over\r\n"
    edges = [(cycle, level) for cycle, pin, level in session.bench.edges if pin == MORE[board][1]]
    first = next(i for i, (_, level) in enumerate(edges) if level == 0)
    assert decoded(edges[first:], built.board.clock_hz / 1200) == b"xxxx"
