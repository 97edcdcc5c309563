"""The second boot stage: its checksum is checked in, so the source must not drift from it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from takt.machine.machine import Machine
from takt.paths import ROOT

PICO = ROOT / "board" / "pico"


def test_checksum_is_that_of_the_source(linked) -> None:
    spec = importlib.util.spec_from_file_location("boot2_crc", PICO / "boot2_crc.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    code = tool.assemble()
    checked_in = re.search(r"0x(\w{8})", (PICO / "boot2_crc.h").read_text())[1]
    assert len(code) == 252
    assert int(checked_in, 16) == tool.crc32(code)
    assert tool.crc32(b"123456789") == 0x0376E6E7  # the check value of CRC-32/MPEG-2
    program: Path = linked("pico", "alarm")
    with program.open("rb") as stream:
        boot2 = ELFFile(stream).get_section_by_name(".boot2")
        assert boot2["sh_addr"] == 0x10000000
        assert boot2.data() == code + int(checked_in, 16).to_bytes(4, "little")


# CTRLR0 and SPI_CTRLR0 of the flash controller, by the lines that the flash has
SET_UP = {4: (0x5F0300, 0xA0002022), 2: (0x3F0300, 0x3B004218)}


@pytest.mark.parametrize("lines", SET_UP)
def test_as_many_lines_as_the_flash_has(linked, lines: int) -> None:
    """And the program runs from RAM."""
    m = Machine()
    if lines == 2:
        m.flash_has_two_lines()
    m.load_elf(linked("pico", "alarm"))
    m.break_at(m.symbol("main"))
    assert m.run(20_000_000).reason == "break", m.fault()
    assert (m.bus_read(0x18000000), m.bus_read(0x180000F4)) == SET_UP[lines]
    start, load = (m.symbol(f"__takt_program_{name}") for name in ("start", "load"))
    assert start <= m.pc < start + 0x40000 and m.read(start, 0xC0) == m.read(load, 0xC0)
