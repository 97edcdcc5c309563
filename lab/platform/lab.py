"""Speed of the virtual platform: instructions per second of this computer's processor time."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from takt import boards
from takt.errors import UserError
from takt.machine.machine import Machine

HERE = Path(__file__).parent
VECTORS = 0x10000100
GOAL = 50
WORKLOADS = {1: "sieve", 2: "sort", 3: "arithmetic", 4: "interrupts", 5: "registers", 6: "all"}
PIECES, PIECE_SECONDS = 5, 0.15
FLAGS = ["-mcpu=cortex-m0plus", "-mthumb", "-Os", "-ffreestanding", "-nostdlib", "-std=gnu11"]
SCRIPT = f"""SECTIONS {{
    .vectors {VECTORS:#x} : {{ *(.vectors) }}
    .text : {{ *(.text*) *(.rodata*) }}
    .bss 0x20000000 (NOLOAD) : {{ *(.bss*) *(COMMON) }}
}}
"""


def _compile(workload: int, folder: Path) -> Path:
    script, elf = folder / "speed.ld", folder / f"{WORKLOADS[workload]}.elf"
    script.write_text(SCRIPT)
    source = str(HERE / "speed.c")
    command = ["arm-none-eabi-gcc", *FLAGS, f"-DWORKLOAD={workload}", "-T", str(script)]
    done = subprocess.run(
        [*command, "-o", str(elf), source], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise UserError("the workload does not compile", source, done.stderr)
    return elf


def _machine(elf: Path, board: boards.Board) -> Machine:
    machine = Machine(board.chip)
    with elf.open("rb") as file:
        for segment in ELFFile(file).iter_segments("PT_LOAD"):
            if segment["p_filesz"]:
                machine.load_bin(segment.data(), segment["p_paddr"])
    machine.reset_to(VECTORS)
    return machine


def _mips(machine: Machine) -> float:
    """The median over pieces of about PIECE_SECONDS each."""
    cycles, speeds = 1_000_000, []
    while len(speeds) < PIECES:
        before, begin = machine.instructions, time.process_time()
        stop = machine.run(machine.now + cycles)
        taken = time.process_time() - begin
        if stop.reason != "time":
            raise UserError(f"a workload stopped: {machine.fault()}", str(HERE / "speed.c"))
        if taken < PIECE_SECONDS / 2:
            cycles *= 2
        else:
            speeds.append((machine.instructions - before) / taken / 1e6)
    return sorted(speeds)[PIECES // 2]


def speed(board: boards.Board, options: dict[str, Any]) -> dict[str, Any]:
    """Millions of instructions per second, exact cycles, by kind of program."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for workload, name in WORKLOADS.items():
            machine = _machine(_compile(workload, Path(folder)), board)
            value = round(_mips(machine), 1)
            rows.append(
                {"case": name, "metric": "mips", "value": value, "unit": "million instructions/s",
                 "paper": None, "goal": GOAL}
            )  # fmt: skip
    config = {"core": "Cortex-M0+", "wait_states": 0, "clock": "processor time"}
    return {"config": config, "rows": rows}


BOARDS = ("pico", "galileo")
LABS = {"platform.speed": speed}
