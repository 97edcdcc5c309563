"""QEMU with the lab's device inside, from Debian's source.

The device is platform/usbcan, and qemu/ has what makes it a device of QEMU: it runs on QEMU's
virtual clock, so that a run is the same whatever else the machine does.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from functools import cache
from pathlib import Path

from takt.build.ninja import Progress
from takt.paths import ROOT

from . import debian

HERE = Path(__file__).parent
TREE = debian.WORK / "qemu"
BUILT = TREE / "build" / "takt.state"
PROGRAM = TREE / "build" / "qemu-system-x86_64"
CORE = ROOT / "platform" / "usbcan"
NEEDS = ("dpkg-dev", "gcc", "libc6-dev", "libfdt-dev", "libglib2.0-dev", "libpixman-1-dev",
         "meson", "ninja-build", "patch", "pkg-config", "python3", "python3-venv",
         "qemu-system-x86", "xz-utils", "zlib1g-dev")  # fmt: skip
OPTIONS = ("--target-list=x86_64-softmmu", "--without-default-features", "--enable-tcg",
           "--enable-fdt", "--disable-werror", "--with-git-submodules=ignore", "--disable-docs",
           "--disable-tools", "--disable-guest-agent", "--disable-debug-info")  # fmt: skip
FIRMWARE = (Path("/usr/share/seabios"), Path("/usr/share/qemu"))  # of Debian's QEMU, as it is
LOADED = ("bios-256k.bin", "linuxboot_dma.bin", "multiboot_dma.bin", "kvmvapic.bin")
# The machine of every guest. It counts instructions, 2 ns each, and all clocks follow the count.
MACHINE = ("-M", "q35", "-cpu", "max", "-m", "512", "-nodefaults", "-display", "none",
           "-no-reboot", "-icount", "shift=1,sleep=off", "-rtc", "clock=vm,base=2020-01-01",
           "-seed", "1", "-device", "qemu-xhci")  # fmt: skip
LINE = "subdir('takt')  # the lab's device\n"


def _sources() -> list[Path]:
    return sorted([*(HERE / "qemu").glob("*.c"), *CORE.glob("*.[ch]")])


def code(paths: list[Path]) -> bytes:
    """What C files say, whatever their comments and lines."""
    texts = (path.name.encode() + b" " + path.read_bytes() for path in paths)
    return b"\n".join(re.sub(rb"/\*.*?\*/|//[^\n]*|\s+", b" ", one, flags=re.S) for one in texts)


def _state() -> str:
    """Stands for what the device is made from."""
    return hashlib.sha256(code(_sources())).hexdigest()


def _place() -> None:
    """The device's files into the tree, touched only where they changed."""
    folder = TREE / "hw" / "usb" / "takt"
    folder.mkdir(exist_ok=True)
    sources = _sources()
    for path in sources:
        there = folder / path.name
        if not there.exists() or there.read_bytes() != path.read_bytes():
            shutil.copyfile(path, there)
    names = " ".join(f"'{path.name}'," for path in sources if path.suffix == ".c")
    made = f"softmmu_ss.add(when: 'CONFIG_USB', if_true: files({names}))\n"
    build = folder / "meson.build"
    if not build.exists() or build.read_text() != made:
        build.write_text(made)
    listing = TREE / "hw" / "usb" / "meson.build"
    text = listing.read_text()
    if LINE not in text:
        listing.write_text(text + LINE)


def build(progress: Progress) -> None:
    """The source if it is not here yet, the program if it is not that of our files."""
    debian.install(NEEDS)
    if not (TREE / "build" / "build.ninja").exists():
        progress("QEMU's source", 1, 5)
        shutil.rmtree(TREE, ignore_errors=True)
        found = debian.source("qemu", debian.WORK / "source")
        found.rename(TREE)
        (TREE / "build").mkdir()
        progress("QEMU: configure", 2, 5)
        debian.run(["../configure", *OPTIONS], "configure QEMU", TREE / "build")
    _place()
    progress("QEMU: build, some minutes", 2, 5)
    jobs = str(max(1, (os.cpu_count() or 1)))
    debian.run(["ninja", "-j", jobs, PROGRAM.name], "build QEMU", TREE / "build")
    BUILT.write_text(_state())


@cache
def program() -> Path:
    """The program, as it was built from today's files. Looked at once: a campaign is long."""
    if not PROGRAM.exists() or not BUILT.exists() or BUILT.read_text() != _state():
        what = "its QEMU is not built" if not PROGRAM.exists() else "its QEMU is of another state"
        raise debian.NotSetUp(what)
    return PROGRAM


@cache
def version() -> str:
    """Of Debian's source."""
    told = TREE / "debian" / "changelog"
    if not told.exists():
        raise debian.NotSetUp("its QEMU is not here")
    return told.read_text(encoding="utf-8").partition("\n")[0]


@cache
def key() -> str:
    """Stands for QEMU, with its device, and the machine: equal ones give equal runs. Made of what
    QEMU is built from, as a program has in it where and when that was."""
    told = hashlib.sha256(" ".join([version(), *OPTIONS, LINE, *MACHINE, _state()]).encode())
    for name in LOADED:
        found = [folder / name for folder in FIRMWARE if (folder / name).exists()]
        told.update(found[0].read_bytes() if found else b"")
    return told.hexdigest()
