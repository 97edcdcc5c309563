"""One run of a guest with the device, and what it told: kept in a file, so that a campaign that was
stopped goes on where it was.

QEMU counts instructions, 2 ns each, and all clocks follow the count; a guest that sleeps makes it
jump. Nothing depends on the machine it runs on: the same run gives the same result to the bit.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from takt.errors import UserError
from takt.paths import shown
from takt.qemu_link import KILLED_WITH_US

from . import debian, qemu

RUNS = debian.WORK / "runs"
REAL_S_PER_S = 30  # real seconds that a second of a run may take
BOOT_S = 200
LOOK_S = 2
DEAD = ("takt: fatal", "Kernel panic", "@ failed")
MARK = "@ "


@dataclass(frozen=True)
class Guest:
    """What QEMU starts; key stands for its contents."""

    key: str
    arguments: Callable[[Path], list[str]]  # of QEMU; the folder is for files of this run


@dataclass
class Channel:
    received: int
    lost: int
    repeated: int
    latest_us: int
    second: list[int] = field(default_factory=list)
    bins: dict[int, int] = field(default_factory=dict)


@dataclass
class Told:
    """What a run told: the guest by channel, the device by name."""

    channels: dict[int, Channel] = field(default_factory=dict)
    hogs: list[int] = field(default_factory=list)
    writers: dict[int, tuple[int, int]] = field(default_factory=dict)
    facts: dict[str, int] = field(default_factory=dict)  # what else the guest says
    device: dict[str, int] = field(default_factory=dict)


def _line(told: Told, what: str, numbers: list[str]) -> None:
    match what:
        case "channel":
            channel, *counts = map(int, numbers)
            told.channels[channel] = Channel(*counts)
        case "seconds":
            told.channels[int(numbers[0])].second = [int(one) for one in numbers[1:]]
        case "bins":
            pairs = (one.split(":") for one in numbers[1:])
            told.channels[int(numbers[0])].bins = {int(bin): int(n) for bin, n in pairs}
        case "hog":
            told.hogs.append(int(numbers[1]))
        case "writer":
            told.writers[int(numbers[0])] = int(numbers[1]), int(numbers[2])
        case "fact":
            told.facts[numbers[0]] = int(numbers[1])


def read(console: str, report: str) -> Told:
    """From the lines that a guest prints (guest.h) and the device's report."""
    told = Told()
    lines = [line for line in console.splitlines() if line.startswith(MARK)]
    for line in lines:
        what, *numbers = line.removeprefix(MARK).split()
        if what == "failed":
            raise UserError(f"the guest failed: {line.removeprefix(MARK + 'failed ')}", "lab/pipes")
        _line(told, what, numbers)
    if f"{MARK}end" not in lines:
        last = "\n".join(console.splitlines()[-12:])
        raise UserError("the guest did not come to its end", "lab/pipes", detail=last)
    told.device = {name: int(value) for name, value in map(str.split, report.splitlines())}
    return told


def _from_json(text: str) -> Told:
    raw = json.loads(text)
    channels = {}
    for number, one in raw["channels"].items():
        bins = {int(bin): count for bin, count in one.pop("bins").items()}
        channels[int(number)] = Channel(**one, bins=bins)
    writers = {int(number): tuple(counts) for number, counts in raw["writers"].items()}
    return Told(channels, raw["hogs"], writers, raw["facts"], raw["device"])


def _command(guest: Guest, folder: Path) -> list[str]:
    firmware = [word for path in qemu.FIRMWARE for word in ("-L", str(path))]
    return [
        *KILLED_WITH_US, "nice", "-n", "10", str(qemu.program()), *firmware,
        "-M", "q35", "-m", "512", "-nodefaults", "-display", "none", "-no-reboot",
        "-icount", "shift=1,sleep=off", "-rtc", "clock=vm,base=2020-01-01", "-seed", "1",
        "-serial", f"file:{folder / 'console'}", "-device", "qemu-xhci",
        "-device", f"takt-usbcan,plan={folder / 'plan'},report={folder / 'report'}",
        *guest.arguments(folder),
    ]  # fmt: skip


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def _ended(process: subprocess.Popen[bytes], console: Path, seconds: float) -> str:
    """Waits for QEMU's end; why it had to be ended, "" if it did so by itself."""
    late = time.monotonic() + BOOT_S + REAL_S_PER_S * seconds
    while True:
        try:
            process.wait(LOOK_S)
            return ""
        except subprocess.TimeoutExpired:
            dead = next((one for one in DEAD if one in _text(console)), "")
        if dead or time.monotonic() > late:
            process.kill()
            process.wait()
            return "the guest stopped" if dead else "the guest takes too long"


def _simulate(guest: Guest, plan: list[str], seconds: float) -> Told:
    with tempfile.TemporaryDirectory(prefix="takt-pipes-") as name:
        folder = Path(name)
        console, report = folder / "console", folder / "report"
        (folder / "plan").write_text("\n".join(plan) + "\n")
        with (folder / "errors").open("w") as errors:
            process = subprocess.Popen(
                _command(guest, folder), stdin=subprocess.DEVNULL, stdout=errors, stderr=errors
            )
            wrong = _ended(process, console, seconds)
        if wrong or process.returncode or not report.exists():
            said = (_text(folder / "errors") + _text(console))[-2000:]
            raise UserError(wrong or "QEMU failed", shown(qemu.PROGRAM), detail=said)
        return read(_text(console), _text(report))


def _place(guest: Guest, plan: list[str]) -> Path:
    asked = {"qemu": qemu.key(), "guest": guest.key, "plan": plan}
    name = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:24]
    return RUNS / f"{name}.json"


def kept(guest: Guest, plan: list[str]) -> Told | None:
    """What an equal run told before."""
    path = _place(guest, plan)
    return _from_json(path.read_text()) if path.exists() else None


def run(guest: Guest, plan: list[str], seconds: float) -> Told:
    """A run, or what an equal one told before."""
    known = kept(guest, plan)
    if known:
        return known
    told = _simulate(guest, plan, seconds)
    RUNS.mkdir(parents=True, exist_ok=True)
    path = _place(guest, plan)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(asdict(told)))
    new.replace(path)
    return told
