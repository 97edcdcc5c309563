"""A disc that a PC boots a program from: an ISO image with GRUB, for a CD, a USB stick or QEMU."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from takt.build.build import Build
from takt.build.cmake import need_tool
from takt.errors import UserError
from takt.paths import shown

TOOLS = {"grub-mkrescue": "grub-common", "xorriso": "xorriso", "mformat": "mtools"}
GRUB = Path("/usr/lib/grub")
LOADERS = {"i386-pc": "grub-pc-bin", "x86_64-efi": "grub-efi-amd64-bin"}  # BIOS, UEFI
MENU = """set timeout=0
set gfxpayload=text
menuentry "{name}" {{
    multiboot2 /boot/takt.elf
}}
"""


def make(built: Build, wanted: bool) -> None:
    """Makes the disc of a program and adds it to its files; if it is not wanted, one of the same
    program that was made before stays."""
    path, of = built.elf.with_suffix(".iso"), built.out / "obj" / "disc.of"
    if not wanted and not path.exists():
        return
    this = hashlib.sha256(built.elf.read_bytes()).hexdigest()
    if not wanted and of.exists() and of.read_text() == this:
        built.files["iso"] = path
        return
    path.unlink(missing_ok=True)
    if not wanted:
        return
    if built.board.core != "x86_64":
        raise UserError(f"{built.board.name} boots from no disc", "--iso", "choose --board pc", 2)
    _need()
    with tempfile.TemporaryDirectory(dir=built.out) as folder:
        _lay_out(Path(folder), built)
        new = path.with_name(f".{path.name}.new")
        _run(["grub-mkrescue", "-o", str(new), folder, "--", "-volid", "TAKT"], new)
        os.replace(new, path)
    of.write_text(this)
    built.files["iso"] = path


def _need() -> None:
    for tool, package in TOOLS.items():
        need_tool(tool, package)
    if not any((GRUB / name).is_dir() for name in LOADERS):
        packages = " ".join(LOADERS.values())
        raise UserError(
            "GRUB's boot loaders are not installed", shown(GRUB), f"apt-get install {packages}"
        )


def _lay_out(folder: Path, built: Build) -> None:
    """What will be on the disc."""
    (folder / "boot" / "grub").mkdir(parents=True)
    (folder / "boot" / "takt.elf").write_bytes(built.elf.read_bytes())
    menu = MENU.format(name=built.name)
    (folder / "boot" / "grub" / "grub.cfg").write_text(menu, encoding="utf-8")


def _run(command: list[str], made: Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0 or not made.exists():
        made.unlink(missing_ok=True)
        said = "\n".join((done.stdout + done.stderr).splitlines()[-12:])
        raise UserError(
            "grub-mkrescue could not make the disc",
            shown(made.parent),
            "see its messages below; is there room on the disk?",
            detail=said,
        )
