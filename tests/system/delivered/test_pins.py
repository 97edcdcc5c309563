"""What the machine says a loop was delivered, beside what a pin shows of its work: each two units
of it end with a rising edge, and take as many cycles wherever they are not interrupted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from takt import boards
from takt.build.build import Build, build
from takt.code.elf import Program
from takt.machine.machines import machine_of
from takt.machine.records import PIECE
from takt.result.witness import Witness
from takt.world import world

SKETCH = """
static inline __attribute__((always_inline)) void spin() {
  for (uint16_t i = %d; i; i--) asm volatile("");
}
static void unit(bool &s) { LOCK s = !s; digitalWrite(3, s); spin(); UNLOCK }
void setup() {
  Serial.begin(9600); pinMode(3, OUTPUT); pinMode(12, OUTPUT); digitalWrite(12, HIGH);
}
void loop(1, 10, 50) {
  static unsigned n;
  LOCK UNLOCK
  delay(%s);
  if (++n %% 16 == 0) Serial.write('x');
}
void loop(2, 20, 100) { static bool s; for (;;) unit(s); }
void task(99, 50) { for (;;) asm volatile("nop"); }
"""
FREE = "#include <Takt.h>\n#define LOCK\n#define UNLOCK\n"
LOCKED = "#include <Takt.h>\nMutex m{400_us};\n#define LOCK m.lock();\n#define UNLOCK m.unlock();\n"
# board: turns of a unit, what the other loop sleeps, the shortest window judged in us
CASES = {
    "pico": (150, "70_us", 1_000),
    "stm32f051": (150, "300_us", 2_000),
    "uno": (40, "3_ms", 10_000),
    "atmega324p": (40, "5_ms", 20_000),
}
SECONDS = 0.7
UNLOCKS = {"pico": 78, "stm32f051": 104, "uno": 136, "atmega324p": 136}  # when others go on
ABANDONED = 6  # cycles of pushes and pops that an interrupt made begin anew


def built_for(board: str, folder: Path, mutex: str) -> Build:
    turns, sleep, _ = CASES[board]
    (folder / "pins").mkdir()
    (folder / "pins" / "pins.ino").write_text(mutex + SKETCH % (turns, sleep))
    return build(folder / "pins", boards.load(board), out=folder / "out")


def ran(built: Build) -> tuple[np.ndarray, np.ndarray, int, list[tuple[int, int]]]:
    """Cycles of the rising edges of pin 3; pieces of loop 2; the cycle at which setup() ended;
    pieces of all threads and sleep, by cycles only."""
    machine = machine_of(built.board)
    machine.load_elf(built.elf)
    witness = Witness(machine, built, Program(built.elf))
    chip = world.empty(built.board).chip
    for pin in (3, 12):
        machine.log_pin(chip[pin])
    stop = machine.run(round(SECONDS * built.board.clock_hz))
    assert stop.reason == "time", stop
    rows, edges = witness.machine.delivered(), machine.pin_edges()
    assert rows.dtype == PIECE
    place = next(thread.place for thread in built.threads if thread.name == "loop 2")
    work = np.array([cycle for cycle, pin, level in edges if pin == chip[3] and level])
    begun = next(cycle for cycle, pin, level in edges if pin == chip[12] and level)
    every = sorted((int(r["cycle"]), int(r["cycles"])) for r in rows)
    return work, rows[rows["thread"] == place], begun, every


def delivered_by(mine: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Cycles, by some instants."""
    ends = np.cumsum(mine["cycles"], dtype=np.int64)
    time = np.stack([mine["cycle"], mine["cycle"] + mine["cycles"]], axis=1).ravel()
    return np.interp(at, time, np.stack([ends - mine["cycles"], ends], axis=1).ravel())


@pytest.mark.parametrize("mutex", [FREE, LOCKED], ids=["at once", "held up"])
@pytest.mark.parametrize("board", CASES)
def test_a_unit_of_work_is_delivered_as_many_cycles_every_time(
    board: str, mutex: str, tmp_path: Path
) -> None:
    """Preempted anywhere; or only when it unlocks the mutex that the other needs."""
    built = built_for(board, tmp_path, mutex)
    work, mine, begun, every = ran(built)
    units = np.diff(work)
    alone = int(np.bincount(units).argmax())  # cycles of two units that nothing interrupts
    cost = np.diff(delivered_by(mine, work))
    interrupted = units > alone * 1.02
    assert interrupted.sum() >= 20, "the loop is interrupted and preempted, in all kinds of places"
    assert units[interrupted].max() > 20 * alone, "and waits for its budget"
    if mutex == LOCKED:
        waited = units > built.board.clock_hz // 100  # for budget: its end is its own business
        assert np.count_nonzero(waited) < 10
        assert np.abs(cost[~waited] - alone).max() <= UNLOCKS[board]
        return
    assert np.abs(cost - alone).max() <= ABANDONED
    _check_windows(built, board, work, mine, begun, alone)
    gaps = [at - end for (at, _), end in zip(every[1:], (a + n for a, n in every), strict=False)]
    assert min(gaps) >= 0, "nobody is delivered what another is"


def _check_windows(
    built: Build, board: str, work: np.ndarray, mine: np.ndarray, begun: int, alone: int
) -> None:
    """In any window as much was delivered as units of work were done, but for the ends of one."""
    window = CASES[board][2] * built.board.clock_hz // 1_000_000
    borders = np.arange(begun, work[-1], window)
    done = np.diff(np.searchsorted(work, borders)) * alone
    seen = np.diff(delivered_by(mine, borders))
    assert len(done) > 25 and done.min() == 0 and done.max() > 0
    assert np.abs(done - seen).max() <= 1.05 * alone
