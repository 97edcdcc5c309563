"""Debian's kernels as guests: unpacked, with the modules that the device needs."""

from __future__ import annotations

import lzma
import re
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from takt.errors import UserError
from takt.paths import shown

from . import debian

PACKAGES = {"std": "linux-image-amd64", "rt": "linux-image-rt-amd64"}
XZ = b"\xfd7zXZ\0"
ROOTS = ("xhci_pci", "can_raw", "kvaser_usb", "gs_usb")


@dataclass(frozen=True)
class Kernel:
    version: str
    image: Path
    modules: tuple[Path, ...]  # in the order of loading


def _folder(flavour: str) -> Path:
    return debian.WORK / f"linux-{flavour}"


def _depends(module: Path) -> list[str]:
    with module.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".modinfo")
        told = section.data().decode(errors="replace") if section else ""
    found = re.search(r"(?:^|\0)depends=([^\0]*)", told)
    return [name.replace("-", "_") for name in found[1].split(",") if name] if found else []


def _ordered(folder: Path, roots: tuple[str, ...]) -> tuple[Path, ...]:
    """Modules and what they need, each after what it needs."""
    files = {path.stem.replace("-", "_"): path for path in folder.rglob("*.ko")}
    order: dict[str, Path] = {}

    def add(name: str) -> None:
        if name in order:
            return
        if name not in files:
            fix = "this lab was made for Debian 12's kernels"
            raise UserError(f"no module {name}", shown(folder), fix)
        for needed in _depends(files[name]):
            add(needed)
        order[name] = files[name]

    for root in roots:
        add(root)
    return tuple(order.values())


def fetch(flavour: str) -> None:
    """The kernel's package; and the kernel, that QEMU can start as it is, out of its own unpacker,
    which would take longer than all the rest of booting."""
    folder = _folder(flavour)
    if not list(folder.glob("boot/vmlinux-*")):
        debian.unpack(debian.dependency(PACKAGES[flavour], r"linux-image-\d\S*"), folder)
        (packed,) = folder.glob("boot/vmlinuz-*")
        data = packed.read_bytes()
        plain = lzma.LZMADecompressor().decompress(data[data.index(XZ) :])
        packed.with_name(packed.name.replace("vmlinuz", "vmlinux")).write_bytes(plain)


def kernel(flavour: str) -> Kernel:
    images = sorted((_folder(flavour) / "boot").glob("vmlinux-*"))
    if not images:
        raise debian.NotSetUp("its kernels are not here")
    version = images[-1].name.removeprefix("vmlinux-")
    modules = _folder(flavour) / "lib" / "modules" / version
    return Kernel(version, images[-1], _ordered(modules, ROOTS))
