"""A PC with UEFI: its firmware puts controllers where CPUs with many address lines reach, far above
4 GB."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from everywhere import BOARDS, PC
from pc_console import said_by
from takt import boards
from takt.build import boot_disc
from takt.build.build import Build, build

HERE = Path(__file__).resolve().parent
FIRMWARE = Path("/usr/share/OVMF/OVMF_CODE_4M.fd")
LOADER = boot_disc.GRUB / "x86_64-efi"
TABLET = "device 0627:0001\r\n"

pytestmark = pytest.mark.skipif(
    PC not in BOARDS or not FIRMWARE.exists() or not LOADER.exists(),
    reason="no OVMF, no GRUB for it, or the compiler here is not a PC's",
)


@pytest.fixture(scope="module")
def disc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uefi") / "attached"
    folder.mkdir()
    (folder / "attached.c").write_text(f'#include "{HERE / "attached.c"}"\n')
    built: Build = build(folder, boards.load(PC), trace=False)
    boot_disc.make(built, True)
    return built.files["iso"]


def booted(disc: Path, tmp_path: Path, *options: str, end: Sequence[str]) -> str:
    """What the program on the disc says until it has said all of `end`, started by UEFI."""
    variables = tmp_path / "variables.fd"
    shutil.copy(FIRMWARE.with_name("OVMF_VARS_4M.fd"), variables)
    firmware = [f"file={FIRMWARE},readonly=on", f"file={variables}"]
    flash = [option for drive in firmware for option in ("-drive", f"if=pflash,format=raw,{drive}")]
    text = said_by(*flash, "-cdrom", str(disc), *options, end=end)
    return text[text.rfind("Booting `") :]


@pytest.mark.parametrize("cpu", ("qemu64", "max"))
def test_usb_works(disc: Path, tmp_path: Path, cpu: str) -> None:
    """With `max` the registers are above 512 GB."""
    devices = ("-device", "qemu-xhci", "-device", "usb-tablet")
    text = booted(disc, tmp_path, "-cpu", cpu, "-m", "256", *devices, end=[TABLET])
    assert TABLET in text and "not served" not in text


def test_what_cannot_be_served_is_told(disc: Path, tmp_path: Path) -> None:
    """A third controller, and a hub behind a hub."""
    options = [word for n in range(3) for word in ("-device", f"qemu-xhci,id=x{n}")]
    for port, device in (("1", "usb-hub"), ("1.1", "usb-hub"), ("1.2", "usb-tablet")):
        options += ["-device", f"{device},bus=x0.0,port={port}"]
    third = "(1b36:000d) is not served: there is room for 2, and a few pages of memory for each\r\n"
    hub = ".1 is not served: there is no room left for it, its endpoints or its descriptors\r\n"
    end = [third, hub, TABLET]
    text = booted(disc, tmp_path, "-cpu", "max", "-m", "256", *options, end=end)
    assert all(one in text for one in end), text
    assert text.count("not served") == 2 and "device 0409:55aa on port " in text
