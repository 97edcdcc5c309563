"""One run of a guest with the device, and what it told: kept in a file, so that a campaign that was
stopped goes on where it was.

QEMU counts instructions, 2 ns each, and all clocks follow the count; a guest that sleeps makes it
jump. Nothing depends on the machine it runs on: the same run gives the same result to the bit.
"""

from __future__ import annotations

import hashlib
import json
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from takt.errors import UserError
from takt.machine.qemu_link import KILLED_WITH_US
from takt.paths import shown

from . import debian, qemu
from .told import Channel, Told

RUNS = debian.WORK / "runs"
CPU_S_PER_S = 20  # seconds of the machine's CPU that a second of a run may take
BOOT_S = 120  # and booting
LOOK_S = 2
LOST_EVENT = "Transfer event TRB DMA ptr not part of current TD"  # see fig9.py
DEAD = ("takt: fatal", "Kernel panic", "@ failed", LOST_EVENT)
MARK = "@ "
SENT = re.compile(r"channel\.(\d+)\.second\.(\d+)")  # of the device's report


@dataclass(frozen=True)
class Guest:
    """What QEMU starts; key stands for its contents."""

    key: str
    arguments: Callable[[Path], list[str]]  # of QEMU; the folder is for files of this run


def _line(told: Told, what: str, numbers: list[str]) -> None:
    match what:
        case "channel":
            channel, *counts = map(int, numbers)
            told.channels[channel] = Channel(*counts)
        case "seconds":
            told.second[int(numbers[0])] = [int(one) for one in numbers[1:]]
        case "soon":
            told.soon[int(numbers[0])] = [int(one) for one in numbers[1:]]
        case "bins":
            for bin, n in (map(int, one.split(":")) for one in numbers[1:]):
                told.bins[bin] = told.bins.get(bin, 0) + n
        case "hog":
            told.hogs.append(int(numbers[1]))
        case "writer":
            told.writers[int(numbers[0])] = [int(one) for one in numbers[1:]]
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
    for name, value in map(str.split, report.splitlines()):
        sent = SENT.fullmatch(name)
        if sent:
            seconds = told.sent.setdefault(int(sent[1]), [])
            seconds += [0] * (int(sent[2]) + 1 - len(seconds))
            seconds[int(sent[2])] = int(value)
        else:
            told.device[name] = int(value)
    return told


def _command(guest: Guest, folder: Path, cpu_s: int) -> list[str]:
    firmware = [word for path in qemu.FIRMWARE for word in ("-L", str(path))]
    return [
        *KILLED_WITH_US, "prlimit", f"--cpu={cpu_s}", "nice", "-n", "10",
        str(qemu.program()), *firmware,
        *qemu.MACHINE, "-serial", f"file:{folder / 'console'}",
        "-device", f"takt-usbcan,plan={folder / 'plan'},report={folder / 'report'}",
        *guest.arguments(folder),
    ]  # fmt: skip


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def _ended(process: subprocess.Popen[bytes], console: Path) -> str:
    """Waits for QEMU's end; why it had to be ended, "" if it did so by itself."""
    while True:
        try:
            late = process.wait(LOOK_S) == -signal.SIGXCPU
            return "the guest takes too long" if late else ""
        except subprocess.TimeoutExpired:
            dead = any(one in _text(console) for one in DEAD)
        if dead:
            process.kill()
            process.wait()
            return "the guest stopped"


def _simulate(guest: Guest, plan: list[str], seconds: float) -> Told:
    cpu_s = int(BOOT_S + CPU_S_PER_S * seconds)
    with tempfile.TemporaryDirectory(prefix="takt-pipes-") as name:
        folder = Path(name)
        console, report = folder / "console", folder / "report"
        (folder / "plan").write_text("\n".join(plan) + "\n")
        with (folder / "errors").open("w") as errors:
            process = subprocess.Popen(
                _command(guest, folder, cpu_s),
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
            )
            wrong = _ended(process, console)
        if wrong or process.returncode or not report.exists():
            said = (_text(folder / "errors") + _text(console))[-2000:]
            raise UserError(wrong or "QEMU failed", shown(qemu.PROGRAM), detail=said)
        return read(_text(console), _text(report))


Made = tuple[str, str, str]


def made(guest: Guest, plan: list[str]) -> Made:
    """What a run is made of, in short: QEMU with its device and machine; the guest; what goes on at
    the device. Equal ones tell the same."""
    texts = (qemu.key(), guest.key, "\n".join(plan))
    qemus, guests, plans = (hashlib.sha256(one.encode()).hexdigest()[:12] for one in texts)
    return qemus, guests, plans


def _place(of: Made) -> Path:
    return RUNS / f"{'-'.join(of)}.json"


def kept(of: Made) -> Told | None:
    """What an equal run told before."""
    path = _place(of)
    return Told.from_dict(json.loads(path.read_text())) if path.exists() else None


def run(guest: Guest, plan: list[str], seconds: float) -> Told:
    """A run, or what an equal one told before."""
    of = made(guest, plan)
    known = kept(of)
    if known:
        return known
    told = _simulate(guest, plan, seconds)
    RUNS.mkdir(parents=True, exist_ok=True)
    path = _place(of)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(told.as_dict()))
    new.replace(path)
    return told
