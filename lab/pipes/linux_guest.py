"""Linux as a guest: which kernel, which way to the device, which settings."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import initramfs, kernels
from .scenario import START_MS, Scenario
from .simulate import Guest

APPEND = "console=ttyS0 quiet loglevel=4 tsc=reliable nokaslr"


# As an engineer would set it who knows where PREEMPT_RT's interrupts are handled: the host
# controller's interrupt thread under SCHED_DEADLINE, too, and no reader without a budget.
IRQ_US, READER_US = (1000, 4000), (2000, 46_000)


@dataclass(frozen=True)
class Linux:
    name: str
    kernel: str
    vendor: bool = False
    hrtick: bool = False
    tuned: bool = False

    @property
    def about(self) -> str:
        kernel = "with PREEMPT_RT" if self.kernel == "rt" else "standard"
        driver = (
            "a thread that reads USB itself, 2 ms in every 14, as its vendor's driver"
            if self.vendor
            else "the kernel's driver, raw CAN sockets"
        )
        ticks = "on" if self.hrtick else "off, as usual"
        said = f"Debian's {_made(self.kernel).version}, {kernel}; {driver}; HRTICK_DL {ticks}"
        if self.tuned:
            said += f"; the interrupt thread of USB {IRQ_US[0]} us in every {IRQ_US[1]}"
        return said

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
        given["start_ms"] = START_MS
        if self.tuned:
            given["irq_budget_us"], given["irq_period_us"] = IRQ_US
            if not scenario.budget_us:
                given["budget_us"], given["period_us"] = READER_US
        append = f"{APPEND} -- {' '.join(f'{name}={given[name]}' for name in sorted(given))}"
        parts = _made(self.kernel)

        def arguments(folder: Path) -> list[str]:
            (folder / "initrd").write_bytes(parts.files)
            return [
                "-kernel", str(parts.image), "-initrd", str(folder / "initrd"), "-append", append,
            ]  # fmt: skip

        return Guest(f"{parts.key} {append}", arguments)


@dataclass(frozen=True)
class Parts:
    version: str
    image: Path
    files: bytes  # of the initial file system
    key: str


@cache
def _made(flavour: str) -> Parts:
    kernel = kernels.kernel(flavour)
    told = hashlib.sha256(initramfs.key().encode())
    for path in (kernel.image, *kernel.modules):
        told.update(path.read_bytes())
    return Parts(kernel.version, kernel.image, initramfs.make(kernel), told.hexdigest())


SYSTEMS = (
    Linux("linux-rt", "rt"),
    Linux("linux-rt-hrtick", "rt", hrtick=True),
    Linux("linux-rt-tuned", "rt", hrtick=True, tuned=True),
    Linux("linux-std", "std"),
    Linux("linux-std-hrtick", "std", hrtick=True),
)
VENDOR = (
    Linux("linux-rt-vendor", "rt", vendor=True),
    Linux("linux-rt-vendor-hrtick", "rt", vendor=True, hrtick=True),
)
