"""Small programs for the virtual platform, assembled on the fly."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from takt.code import elf_tables
from takt.machine.machine import Machine

# chip: vectors, stack, core of the assembler
CHIPS = {
    "rp2040": (0x10000100, 0x20041000, "cortex-m0plus"),
    "stm32f051": (0x08000000, 0x20002000, "cortex-m0"),
}

HEADER = """
    .syntax unified
    .cpu {cpu}
    .thumb
    .global _start
"""

TABLE = """
    .section .vectors, "a"
    .word {stack:#x}, _start, {nmi}, {hardfault}, 0, 0, 0, 0, 0, 0, 0, {svc}, 0, 0, {pendsv}
    .word {systick}
    .rept 32
    .word {irq}
    .endr
    .text
"""


SCRIPT = """SECTIONS {{
    .vectors {vectors:#x} : {{ *(.vectors) }}
    .text : {{ *(.text) }}
    .ramcode 0x20000000 : {{ *(.ramcode) }}
}}
"""


class Firmware:
    """An assembled program on a fresh machine, at its first instruction."""

    def __init__(self, elf: Path, chip: str, core: str | None, wait_states: int | None) -> None:
        self.machine = Machine(chip, core=core, wait_states=wait_states)
        with elf.open("rb") as file:
            parsed = ELFFile(file)
            for segment in parsed.iter_segments("PT_LOAD"):
                if segment["p_filesz"]:
                    self.machine.load_bin(segment.data(), segment["p_paddr"])
            self.symbols = elf_tables.values(parsed)
        self.machine.reset_to(CHIPS[chip][0])

    def at(self, name: str) -> int:
        return self.symbols[name] & ~1

    def run_to(self, name: str, limit: int = 10_000_000) -> int:
        """Runs up to a label and returns the cycle."""
        address = self.at(name)
        self.machine.break_at(address)
        stop = self.machine.run(limit)
        self.machine.break_at(address, False)
        assert stop.reason == "break" and stop.detail == address, (stop, self.machine.fault())
        return stop.cycle

    def cycles(self, first: str, last: str) -> int:
        start = self.run_to(first)
        return self.run_to(last) - start


def assembled(
    folder: Path,
    source: str,
    core: str | None = None,
    wait_states: int | None = None,
    chip: str = "rp2040",
    **handlers: str,
) -> Firmware:
    """Assembles and loads; `handlers` name the labels of nmi, hardfault, svc, pendsv, systick and
    irq (all interrupts)."""
    names = dict.fromkeys(("nmi", "hardfault", "svc", "pendsv", "systick", "irq"), "0")
    names.update({kind: f"{label} + 1" for kind, label in handlers.items()})
    vectors, stack, cpu = CHIPS[chip]
    table = TABLE.format(stack=stack, **names).replace("_start,", "_start + 1,", 1)
    path = folder / f"program{len(list(folder.iterdir()))}"
    path.with_suffix(".s").write_text(
        HEADER.format(cpu=cpu) + table + source + "\n    .align 2\n    .ltorg\n"
    )
    path.with_suffix(".ld").write_text(SCRIPT.format(vectors=vectors))
    command = ["arm-none-eabi-gcc", f"-mcpu={cpu}", "-nostdlib"]
    files = ["-T", f"{path}.ld", "-o", f"{path}.elf", f"{path}.s"]
    subprocess.run([*command, *files], check=True)
    return Firmware(path.with_suffix(".elf"), chip, core, wait_states)


@pytest.fixture
def assemble(tmp_path: Path):
    """assemble(source, chip=, core=, wait_states=, irq="label", ...) -> Firmware"""

    def build(source: str, **options) -> Firmware:
        return assembled(tmp_path, source, **options)

    return build
