"""elli.tick: what a tick costs against the tickless alarm (section 5.4): the same sleeping threads
on the same kernel, whose clock and alarm are once the board's timer and once a tick of 1 ms."""

from __future__ import annotations

import struct
from typing import Any

from takt import boards
from takt.build.build import Build
from takt.code.elf import Program

from . import programs
from .figures import Row, row
from .programs import Setting

TICK_US = 1000
# note 3 of the thesis: 60 cycles each of 1000 interrupts
PAPER = {"awake_cycles_per_s": 60_000, "wakeups_per_s": 1000}
CASES = {"one-a-second": (1_000_000,), "three-sleepers": (10_000, 20_000, 50_000)}
SECONDS = 2
WFI, NEAR = 0xBF30, 8  # bytes behind it, within which interrupts are let in


def _definitions(sleeps: tuple[int, ...], tick: bool) -> programs.Defines:
    threads = (
        f"TAKT_THREAD(s{n}, {n}, sleeper, (void *){us}, 640);" for n, us in enumerate(sleeps)
    )
    return {"SLEEPERS": " ".join(threads)} | ({"TICK_US": TICK_US} if tick else {})


def _waits_for_interrupts(built: Build) -> list[int]:
    """Where the program sleeps: the addresses of WFI."""
    code = next(s for s in Program(built.elf).sections if s.name == ".text")
    halves = struct.iter_unpack("<H", code.data[: len(code.data) & ~1])
    return [code.address + 2 * n for n, (half,) in enumerate(halves) if half == WFI]


def _run(built: Build, setting: Setting, seconds: float) -> dict[str, float]:
    """Cycles awake and wake-ups in a second."""
    machine = programs.load(built, setting)
    hz = built.board.clock_hz
    programs.run_to(machine, built, machine.symbol("port_thread_entry") & ~1)
    programs.run(machine, built, machine.now + hz // 100)
    begin, slept = machine.now, machine.sleep_cycles
    sleeps = _waits_for_interrupts(built)
    machine.log_masked()
    programs.run(machine, built, begin + round(seconds * hz))
    awake = machine.now - begin - (machine.sleep_cycles - slept)
    ups = sum(any(0 < one.end - at <= NEAR for at in sleeps) for one in machine.masked())
    return {"awake_cycles_per_s": round(awake / seconds), "wakeups_per_s": ups / seconds}


def measure(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """What a tick costs against the tickless alarm (section 5.4): cycles and wake-ups."""
    seconds = options.get("seconds", SECONDS)
    rows: list[Row] = []
    for setting in programs.settings(board, options):
        for case, sleeps in CASES.items():
            for kind, tick in (("tickless", False), ("tick", True)):
                name = f"{kind} {case}{setting.suffix}"
                defines = _definitions(sleeps, tick)
                built = programs.program("sleepers", board, f"{kind}-{case}", defines)
                for metric, value in _run(built, setting, seconds).items():
                    unit = "cycles/s" if "cycles" in metric else "1/s"
                    rows.append(row(name, metric, value, unit, PAPER[metric] if tick else None))
    config = {
        "tick": f"SysTick every {TICK_US} us is clock and alarm; the board's timer is not linked",
        "seconds": seconds,
        "paper": "its own estimate: entry 15 + exit 15 + handler 30 cycles",
    }
    return {
        "board": board.name,
        "config": config | programs.config(board, options),
        "rows": rows,
    }
