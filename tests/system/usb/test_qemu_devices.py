"""The USB host of a PC on QEMU's controllers, with QEMU's devices, on one CPU and several."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from programs import Run
from takt import boards
from takt.machine.machines import machine_of
from takt.machine.pc_usb import CONTROLLERS
from takt.paths import ROOT

HERE = Path(__file__).resolve().parent
BLOCK, BLOCKS = 512, 512
DISK, TABLET, AUDIO = "usb-storage,drive=disk", "usb-tablet", "usb-audio,audiodev=none"
ALL = {"1": DISK, "2": TABLET, "3": AUDIO}
BEHIND_A_HUB = {"1": "usb-hub", "1.2": TABLET, "1.4": AUDIO}


class UsbRun(Run):
    """A program on a PC with devices of QEMU's."""

    def __init__(
        self, elf: Path, controller: str, devices: dict[str, str], options: list[str], cpus: int
    ) -> None:
        self.board, self.elf, self._roomy = boards.load("pc"), elf, False
        self.machine: Any = machine_of(self.board, cpus)
        self.machine.usb.controller = controller
        for port, device in devices.items():
            self.machine.usb.plug(device, port)
        own = self.machine._arguments
        self.machine._arguments = lambda: [*own(), *options]
        self.machine.load_elf(elf)
        self._last, self._said = None, b""


@pytest.fixture
def options(tmp_path: Path) -> list[str]:
    """What the devices need."""
    image = tmp_path / "disk.img"
    image.write_bytes(b"".join(struct.pack("<I", n) * (BLOCK // 4) for n in range(BLOCKS)))
    disk = f"if=none,id=disk,format=raw,file={image}"
    return ["-drive", disk, "-audiodev", "none,id=none"]


@pytest.mark.parametrize("cpus", (1, 2, 4))
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_bulk_interrupt_and_isochronous(
    linked: Callable[..., Path], options: list[str], controller: str, cpus: int
) -> None:
    """While the disk reads its file somebody computes, which takes QEMU long with several CPUs:
    they do without it."""
    devices, parts = (ALL, 3) if cpus == 1 else (BEHIND_A_HUB, 2)
    flags = [f"-DPARTS={parts}", f"-I{ROOT}/drivers", f"-I{ROOT}/tests/system/qemu"]
    elf = linked("pc", [HERE / "devices.c"], *flags)
    run = UsbRun(elf, controller, devices, options, cpus)
    try:
        run.passed(20_000)
        assert run.value("packets_sent") == 64 and run.value("packets_lost") == 0
        assert run.value("found") == parts
    finally:
        run.machine.close()
