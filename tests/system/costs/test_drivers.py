"""What board.toml says of drivers' interrupts: any row of handlers takes at most what the analysis
counts for so long a time, and not much less, counted by the machine's cycles."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import defaultdict
from pathlib import Path

import pytest
from takt import boards
from takt.boards import Board
from takt.build.build import build
from takt.code.elf import Program
from takt.machine.machines import machine_of
from takt.world import world

VTOR = 0xE000ED08  # reads 0 on a Cortex-M0
VECTOR, EXTERNAL, IPSR, XPSR = 4, 16, 0x1FF, 16  # bytes; the first interrupt's exception; register
KERNELS = (11, 14)  # SVC and PendSV
START, END = 0.02, 0.5  # s
LONGEST = 0.02  # s, of rows
PULSE, EDGES, WIRE_AT = 3, 9, 0x50
SKETCH = """
#include <SPI.h>
#include <Takt.h>
#include <Wire.h>
volatile long edges, bytes, high;
void edge() { edges = edges + 1; }
void setup() {
  Serial.begin(115200);
  Wire.begin();
  SPI.begin();
  pinMode(3, INPUT);
  pinMode(9, INPUT);
  attachInterruptIsr(9, edge, CHANGE);
}
void loop(1, 2, 30) {
  for (int n = 0; n < 60; n++) Serial.write('0' + n);
  while (Serial.read() >= 0) bytes = bytes + 1;
  delay(5);
}
void loop(2, 2, 40) {
  Wire.beginTransmission(0x50);
  Wire.write(1);
  Wire.endTransmission();
  Wire.beginTransmission(0x50);
  for (int n = 0; n < 30; n++) Wire.write(n);
  Wire.endTransmission();
  Wire.requestFrom(0x50, 20);
  delay(1);
}
static void transfer(int count) {
  SPI.beginTransaction(SPISettings(250000, MSBFIRST, SPI_MODE0));
  for (int n = 0; n < count; n++) SPI.transfer(n);
  static char block[80];
  SPI.transfer(block, sizeof block);
  SPI.endTransaction();
}
void loop(3, 2, 50) { transfer(3); delay(1); }
void loop(4, 2, 60) { high = high + pulseIn(3, HIGH); }
void loop(5, 2, 70) { transfer(1); delay(2); }
"""


class Target:
    """Takes and gives all bytes."""

    def start(self, read: bool) -> bool:
        return True

    def write(self, byte: int) -> bool:
        return True

    def read(self, last: bool) -> int:
        return 0x55

    def stop(self) -> None: ...


def handlers(machine, elf: Path, sources: list[int], until: int) -> dict[int, list]:
    """(start, cycles) of each run of each interrupt's handler; what interrupts it is not its."""
    program, table = Program(elf), machine.bus_read(VTOR)
    for source in sources:
        at = machine.word(table + VECTOR * (EXTERNAL + source)) & ~1
        assert program.function_at(at) is not None
        machine.break_at(at)
    found: dict[int, list] = defaultdict(list)
    entry = 16  # cycles, before the first instruction
    while machine.now < until:
        stop = machine.run(until)
        if stop.reason != "break":
            assert stop.reason == "time", (stop, machine.fault())
            continue
        active: dict[int, list] = {}
        current = machine.register(XPSR) & IPSR
        active[current] = [machine.now - entry, entry]
        while current and current not in KERNELS:
            before = machine.now
            machine.step()
            after = machine.register(XPSR) & IPSR
            active[current][1] += machine.now - before
            if after != current and after > KERNELS[-1] and after not in active:
                active[after] = [machine.now, 0]
            current = after
        for number, run in active.items():
            found[number - EXTERNAL].append(tuple(run))
    return found


def toggle(machine, hz: int, pin: int, least: float, most: float, rng: random.Random) -> None:
    """Edges at random distances, in seconds."""
    at, level = START, 0
    while at < END:
        level ^= 1
        machine.pin_drive(pin, level, at=int(at * hz))
        at += rng.uniform(least, most)


def most_of_promise(
    board: Board, runs: list[tuple[int, int]], names: list[str], late: int
) -> float:
    """The largest share, over rows of handlers, of what is counted for the time of the row; late:
    cycles by which a handler may begin after its event."""
    told = [one for one in board.raw["interrupts"] if one["name"] in names]
    assert len(told) == len(names)
    runs = sorted(runs)
    starts = [start for start, _ in runs]
    most = (
        max(cycles for _, cycles in runs) * 1e9 / board.clock_hz / sum(o["cost_ns"] for o in told)
    )
    for first, start in enumerate(starts):
        took = 0
        for at, cycles in runs[first : bisect_left(starts, start + LONGEST * board.clock_hz)]:
            took += cycles
            us = (at - start + late) * 1e6 / board.clock_hz
            counted = sum(o["cost_ns"] * (us // o["separation_us"] + 1) for o in told)
            most = max(most, took * 1e9 / board.clock_hz / counted)
    return most


GROUPS = {  # by board: numbers of interrupts, and what counts them
    "pico": {
        (20,): ["Serial sends", "Serial receives"],
        (13,): ["pins", "pulses"],
        (1, 23): ["Wire", "Wire, long transactions"],
        (18,): ["SPI", "SPI, next loop"],
    },
    "stm32f051": {
        (27,): ["Serial sends", "Serial has sent", "Serial receives"],
        (7,): ["pins"],
        (5,): ["pulses"],
        (23,): ["Wire", "Wire, ends"],
    },
}


@pytest.mark.parametrize("name", GROUPS)
def test_drivers_interrupts_take_what_is_counted(tmp_path: Path, name: str) -> None:
    board = boards.load(name)
    folder = tmp_path / "drivers"
    folder.mkdir()
    (folder / "drivers.ino").write_text(SKETCH)
    built = build(folder, board, out=tmp_path / "out", admit=False)
    machine = machine_of(board)
    machine.load_elf(built.elf)
    machine.i2c_device(0, WIRE_AT, Target())
    rng = random.Random(1)
    chip = world.load(folder, board).chip
    toggle(machine, board.clock_hz, chip[EDGES], 0.0006, 0.003, rng)
    toggle(machine, board.clock_hz, chip[PULSE], 0.002, 0.003, rng)
    machine.run(int(START * board.clock_hz))
    for n in range(int((END - START) * 500)):
        machine.uart_send(0, b"x", at=int((START + n * 0.002) * board.clock_hz))
    groups, until = GROUPS[name], int(END * board.clock_hz)
    found = handlers(machine, built.elf, [n for group in groups for n in group], until)
    runs = {group: [run for number in group for run in found[number]] for group in groups}
    longest = {group: max(cycles for _, cycles in runs[group]) for group in groups}
    off = board.costs["critical"] * board.clock_hz // 10**9
    shares = {}
    for group, names in groups.items():
        assert len(runs[group]) > 50, names
        late = off + sum(longest[other] for other in groups if other != group)
        shares[names[0]] = most_of_promise(board, runs[group], names, late)
        print(name, names, len(runs[group]), longest[group] * 1e6 / board.clock_hz)
    print(shares)
    assert all(0.4 < share <= 1 for share in shares.values()), shares
