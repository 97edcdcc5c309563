"""PCI devices of a PC: configuration space, memory, interrupts by message."""

from __future__ import annotations

from pathlib import Path

import pytest
from everywhere import BOARDS, PC
from pc_console import said_by
from programs import link

pytestmark = pytest.mark.skipif(PC not in BOARDS, reason="the compiler here is not a PC's")
HERE = Path(__file__).resolve().parent


def test_a_device_is_found_and_interrupts(tmp_path: Path) -> None:
    drivers = f"-I{HERE.parents[2] / 'drivers'}"
    elf = link(PC, [HERE / "pci.c"], tmp_path / "pci.elf", drivers)
    devices = ("-cpu", "max", "-device", "edu", "-device", "qemu-xhci")
    text = said_by(*devices, "-kernel", str(elf), end=" end\r\n")
    assert text == "interrupts 20 end\r\n"
