"""Linux as a guest: which kernel, which way to the device, which settings."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from . import initramfs, kernels
from .scenario import Scenario
from .simulate import Guest

APPEND = "console=ttyS0 quiet loglevel=4 tsc=reliable nokaslr"


@dataclass(frozen=True)
class Linux:
    name: str
    kernel: str
    vendor: bool = False
    hrtick: bool = False
    start_ms: ClassVar[int] = 6000  # when booting is over for certain, by the machine's clock

    @property
    def about(self) -> str:
        kernel = "with PREEMPT_RT" if self.kernel == "rt" else "standard"
        driver = (
            "a thread that reads USB itself, 2 ms in every 14, as its vendor's driver"
            if self.vendor
            else "the kernel's driver, raw CAN sockets"
        )
        ticks = "on" if self.hrtick else "off, as usual"
        return f"Debian's {_made(self.kernel)[2].split()[0]}, {kernel}; {driver}; HRTICK_DL {ticks}"

    def admission(self, scenario: Scenario) -> str:
        """SCHED_DEADLINE's, a test of utilisation, refuses in the guest, and the run fails."""
        return ""

    def bounds_us(self, scenario: Scenario) -> dict[int, int]:
        """None are stated."""
        return {}

    def guest(self, scenario: Scenario) -> Guest:
        """Settings: see linux/lab.h."""
        names = ("hogs", "readers", "writers", "seconds", "budget_us", "period_us")
        given = {name: getattr(scenario, name) for name in names}
        given |= {"vendor": int(self.vendor), "hrtick": int(self.hrtick)}
        given["start_ms"] = self.start_ms
        words = " ".join(f"{name}={value}" for name, value in sorted(given.items()))
        image, files, contents = _made(self.kernel)

        def arguments(folder: Path) -> list[str]:
            (folder / "initrd").write_bytes(files)
            append = f"{APPEND} -- {words}"
            return [
                "-kernel", str(image), "-initrd", str(folder / "initrd"), "-append", append,
            ]  # fmt: skip

        return Guest(f"{contents} {APPEND} -- {words}", arguments)


@cache
def _made(flavour: str) -> tuple[Path, bytes, str]:
    kernel = kernels.kernel(flavour)
    files = initramfs.make(kernel)
    return kernel.image, files, f"{kernel.version} {hashlib.sha256(files).hexdigest()}"


SYSTEMS = (
    Linux("linux-rt", "rt"),
    Linux("linux-rt-hrtick", "rt", hrtick=True),
    Linux("linux-std", "std"),
    Linux("linux-std-hrtick", "std", hrtick=True),
)
VENDOR = (
    Linux("linux-rt-vendor", "rt", vendor=True),
    Linux("linux-rt-vendor-hrtick", "rt", vendor=True, hrtick=True),
)
