"""takt lab setup pipes: what this lab needs beyond ./takt's own."""

from __future__ import annotations

from takt.build.ninja import Progress

from . import debian, initramfs, kernels, qemu


def setup(progress: Progress) -> None:
    """QEMU with the device (some 5 minutes), Debian's two kernels (140 MB), the guest's program."""
    debian.install(qemu.NEEDS)
    progress("package lists", 0, 5)
    debian.update()
    qemu.build(progress)
    for at, flavour in enumerate(kernels.PACKAGES):
        progress(f"kernel {flavour}", 3 + at, 5)
        kernels.fetch(flavour)
    initramfs.program()
