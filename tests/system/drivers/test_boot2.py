"""The second boot stage: its checksum is checked in, so the source must not drift from it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from elftools.elf.elffile import ELFFile
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
