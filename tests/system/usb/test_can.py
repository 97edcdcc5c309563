"""CAN by USB adapters on a PC in QEMU, whose USB devices move with its virtual time."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command import takt
from takt import boards
from takt.build.build import build
from takt.can.usb_device import UsbDevice
from takt.machine.pc import PcMachine
from takt.machine.pc_usb import CONTROLLERS

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CONCENTRATOR = ROOT / "examples" / "can-concentrator"
SECONDS = 2.5


@pytest.fixture(scope="module")
def concentrator(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("concentrator")
    arguments = ("--board", "pc", "--seconds", SECONDS, "--json", "--out", out)
    done = takt("run", CONCENTRATOR, *map(str, arguments))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_five_pipes_lose_nothing_and_keep_their_bounds(concentrator: dict[str, Any]) -> None:
    assert concentrator["admission"]["verdict"] == "admitted"
    pipes = {pipe["name"]: pipe for pipe in concentrator["pipes"]}
    assert set(pipes) == {f"pipe can{number}" for number in range(1, 6)}
    for pipe in pipes.values():
        assert pipe["lost"] == pipe["late"] == 0, pipe
        assert 0 < pipe["latency_max_us"] <= pipe["latency_bound_us"], pipe
        assert pipe["handled"] > 300
    world = concentrator["world"]["car"]
    assert world["overruns"] == 0
    for number in range(5):
        delivered, rest = world[f"bus {number}"].split(" of ")
        assert rest.endswith(" 0 lost")
        arrived = pipes[f"pipe can{number + 1}"]["arrived"]
        assert arrived <= int(delivered) <= arrived + 64  # a read may be on its way
    assert concentrator["warnings"] == []
    assert {one["name"] for one in concentrator["interrupts"]} == {"USB", "alarm", "scheduler"}


def test_the_loops_beside_them_have_their_budgets(concentrator: dict[str, Any]) -> None:
    loops = [one for one in concentrator["threads"] if one["name"].startswith("loop control")]
    assert len(loops) == 3
    for one in loops:
        assert one["misses"] == 0
        assert one["budget_us"] <= one["cpu_us_min"], one
        # The trace's time has the dispatcher's ways in it, which nobody is charged; without
        # them it is C to a thousandth: tests/system/cpus/test_exact.py.
        assert one["cpu_us_max"] <= one["budget_us"] + 15, one


@pytest.mark.parametrize("cpus", [2, 4])
def test_it_is_admitted_on_several_cpus(cpus: int) -> None:
    done = takt("check", CONCENTRATOR, "--board", "pc", "--cpus", str(cpus))
    assert done.returncode == 0, done.stdout + done.stderr


def served(folder: Path, period: str) -> Path:
    """The concentrator without its loops and with larger buffers, its adapter served so often; the
    bottom half has the share that makes up for the longer period (docs/boards/pc.md)."""
    folder.mkdir()
    text = (CONCENTRATOR / "can-concentrator.ino").read_text()
    for old, new in (("1_ms, 4500_us", f"1_ms, {period}"), (", 128,", ", 400,")):
        assert old in text
        text = text.replace(old, new)
    lines = [line for line in text.splitlines() if "loop(control" not in line]
    lines.append("usbShare(4_ms, 100_ms);")
    (folder / f"{folder.name}.ino").write_text("\n".join(lines))
    (folder / "world.toml").write_text((CONCENTRATOR / "world.toml").read_text())
    return folder


def checked(folder: Path) -> tuple[int, dict[str, Any]]:
    done = takt("check", folder, "--board", "pc", "--json")
    return done.returncode, json.loads(done.stdout)


def test_a_service_period_of_14_ms_is_refused_and_8_ms_is_not(tmp_path: Path) -> None:
    """At 5995 frames a second of 64 bytes, 4096 bytes last for less than 11 ms."""
    code, said = checked(served(tmp_path / "slow", "14_ms"))
    assert code == 1
    (refusal,) = {pipe["refusal"].partition(": ")[2] for pipe in said["pipes"]}
    assert "served every 14 ms" in refusal and "64 bytes" in refusal and "4096 bytes" in refusal
    assert "at 6023 per s" in refusal and "with a period of 7.98 ms" in refusal
    code, said = checked(served(tmp_path / "fast", "8_ms"))
    assert code == 0 and said["admission"]["verdict"] == "admitted"
    assert all(pipe["latency_bound_us"] for pipe in said["pipes"])


def test_the_period_that_a_refusal_names_is_admitted(tmp_path: Path) -> None:
    """Beside the three loops, too: pipes' periods follow from the new one."""
    text = (CONCENTRATOR / "can-concentrator.ino").read_text()
    folder = tmp_path / "late"
    folder.mkdir()
    (folder / "late.ino").write_text(text.replace("1_ms, 4500_us", "1_ms, 14_ms"))
    code, said = checked(folder)
    assert code == 1 and said["admission"]["verdict"] == "refused"
    (named,) = {pipe["refusal"].rpartition("with a period of ")[2] for pipe in said["pipes"]}
    shown = takt("check", folder, "--board", "pc").stdout
    assert shown.count("would lose packets") == 1 and "(and pipe can4, pipe can3, " in shown
    us = round(float(named.partition(" ms")[0]) * 1000)
    assert us > 5000
    (folder / "late.ino").write_text(text.replace("1_ms, 4500_us", f"1_ms, {us}_us"))
    code, said = checked(folder)
    assert code == 0 and said["admission"]["verdict"] == "admitted"


def test_a_service_period_of_8_ms_loses_nothing(tmp_path: Path) -> None:
    """Between two services up to 49 of the 64 messages wait that the adapter holds."""
    folder = served(tmp_path / "fast", "8_ms")
    done = takt("run", folder, "--board", "pc", "--seconds", str(SECONDS), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout)
    world = said["world"]["car"]
    assert world["overruns"] == 0
    assert 40 * 64 <= world["peak bytes"] <= 64 * 64  # it is served as seldom as is said
    assert all(world[f"bus {number}"].endswith(" 0 lost") for number in range(5))
    assert sum(pipe["handled"] for pipe in said["pipes"]) > 5500 * (SECONDS - 1)
    for pipe in said["pipes"]:
        assert pipe["lost"] == pipe["late"] == 0, pipe
        assert pipe["latency_max_us"] <= pipe["latency_bound_us"], pipe
    assert "overruns 0" in said["serial"]


FAULTS = ("bus-off", "stall", "babble", "garbage", "short", "error", "late")


def test_what_goes_wrong_with_the_adapter_is_told_and_disturbs_nobody(tmp_path: Path) -> None:
    """One fault each tenth of a second."""
    folder = tmp_path / "faulty"
    folder.mkdir()
    (folder / "faulty.ino").write_text((CONCENTRATOR / "can-concentrator.ino").read_text())
    times = [[f"{900 + 100 * at} ms", fault] for at, fault in enumerate(FAULTS)]
    world = (CONCENTRATOR / "world.toml").read_text()
    (folder / "world.toml").write_text(
        world.replace("\n[parts.terminal]", f"faults = {json.dumps(times)}\n\n[parts.terminal]")
    )
    done = takt("run", folder, "--board", "pc", "--seconds", str(SECONDS), "--json")
    assert done.returncode == 1, done.stdout + done.stderr  # frames were lost
    said = json.loads(done.stdout)
    assert all(pipe["lost"] for pipe in said["pipes"])  # nobody knows whose
    lines = [line.split() for line in said["serial"].splitlines() if "overruns" in line]
    first, last = ([int(word) for word in line[:5]] for line in (lines[-2], lines[-1]))
    assert all(b - a > 250 for a, b in zip(first, last, strict=True)), lines  # it goes on
    for one in said["threads"]:
        assert not one["misses"], one
        if one["name"].startswith("loop control"):
            assert one["budget_us"] <= one["cpu_us_min"], one


class Adapter:
    """The sketch of a folder on a PC with an adapter."""

    def __init__(self, elf: Path, device: UsbDevice, controller: str, cpus: int) -> None:
        self.machine = PcMachine(boards.load("pc"), cpus)
        self.machine.usb.controller = controller
        self.machine.usb.plug(device, "1")
        self.machine.load_elf(elf)
        self.text = ""

    def run(self, until_ms: int) -> list[int]:
        """The last whole line of numbers."""
        stop = self.machine.run(until_ms * 1_000_000)
        assert stop.reason == "time", (stop, self.machine.fault())
        self.text += bytes(b for _, b in self.machine.uart_take(0)).decode(errors="replace")
        lines = self.text.split("\r\n")[:-1]
        return [int(word) for word in lines[-1].split()]


# With several CPUs QEMU takes long; test_qemu_devices.py has the other combinations.
@pytest.mark.parametrize(
    ("controller", "cpus"), [*((c, 1) for c in CONTROLLERS), ("qemu-xhci", 2), ("nec-usb-xhci", 4)]
)
def test_gs_usb_both_ways_and_after_a_replug(controller: str, cpus: int, tmp_path: Path) -> None:
    built = build(HERE / "candle", boards.load("pc"), out=tmp_path, cpus=cpus)
    device = UsbDevice("gs")
    device.traffic(0, 1_500_000, id=0x123, start_ns=0)
    adapter = Adapter(built.elf, device, controller, cpus)
    try:
        frames, disorder, sent, late, told = adapter.run(450)
        assert frames > 100 and disorder == 0 and sent - 2 <= told <= sent >= 10
        assert late < 15_000
        device.plug(450_000_000, False)
        gone, *_ = adapter.run(500)
        device.plug(500_000_000, True)
        frames, disorder, sent, _, _ = adapter.run(950)
        assert frames > gone + 50
        assert disorder == 1  # those that nobody heard
    finally:
        adapter.machine.close()
    one = device.channel(0)
    assert one["sent"] >= 20 and one["dropped"] == 0


def test_a_device_without_a_driver_is_told_once(tmp_path: Path) -> None:
    folder = tmp_path / "candle"
    folder.mkdir()
    (folder / "candle.ino").write_text((HERE / "candle" / "candle.ino").read_text())
    part = 'type = "usb-can"\nadapter = "kvaser"\nperiods = ["10 ms"]'
    (folder / "world.toml").write_text(f"[parts.car]\n{part}\n")
    done = takt("run", folder, "--board", "pc", "--seconds", "2", "--json")
    result = json.loads(done.stdout)
    line = "USB: device 0bfd:0105 on port 5 is not served: no driver of the program wants it"
    assert result["serial"].count(f"takt: {line}\r\n") == 1
    assert result["warnings"].count(line) == 1


def test_the_papers_figures_are_refused_with_what_would_do(tmp_path: Path) -> None:
    """Tuned Pipes: a receiving thread every 14 ms; a buffer of 128 bytes at 500 kbit/s."""

    def checked(name: str, text: str) -> tuple[int, str]:
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.ino").write_text(text)
        done = takt("check", folder, "--board", "pc")
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    sketch = (CONCENTRATOR / "can-concentrator.ino").read_text()
    code, said = checked("every14", sketch.replace("1_ms, 4500_us", "1_ms, 14_ms"))
    found = re.search(
        r"would lose packets: served every 14 ms by can_kvaser_rx, .* these are up to (\d+) "
        r"packets of 64 bytes .* and it holds 64 \(4096 bytes\); with a period of ([\d.]+) ms it "
        r"would not",
        said,
    )
    assert code == 1 and found and int(found[1]) > 64, said
    would = f"{round(float(found[2]) * 1000)}_us"
    code, said = checked("every5", sketch.replace("1_ms, 4500_us", f"1_ms, {would}"))
    assert "would lose packets" not in said, said

    small = """#include <Can.h>
#include <Takt.h>
canAdapter(kvaser, hydra, 1_ms, 4500_us);
void pipe(can, canIn(kvaser, 0), qos(1000, 2, 1_ms)) { CanFrame f; while (can.read(f)) {} }
void setup() { kvaser.open(0, 500000); }
void loop(1, 1, 100) {}
"""
    code, said = checked("small", small)
    found = re.search(
        r"pipe can: the buffer is too small for what comes: 2 packets of 64 bytes last 2 ms at "
        r"1000 per s, .* fix: give it (\d+) packets of 64 bytes, from which a period of "
        r"([\d.]+) ms follows",
        said,
    )
    assert code == 1 and found, said
    code, said = checked("large", small.replace("1000, 2,", f"1000, {found[1]},"))
    assert code == 0 and f"/ {found[2]} ms" in said, said
