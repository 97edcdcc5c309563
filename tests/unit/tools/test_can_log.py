"""Logs of CAN frames: written and read here, and by the tools they are meant for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import can
import pytest
from command import takt
from takt.can import candump
from takt.can.candump import CanFrame
from takt.can.log import kinds_of
from takt.can.usb_device import UsbDevice
from takt.errors import UserError
from takt.paths import ROOT

MS = 1_000_000
DBC = """VERSION ""
BU_: engine
BO_ 291 speed: 8 engine
 SG_ rpm : 0|16@1+ (0.25,0) [0|16000] "rpm" engine
 SG_ gear : 16|3@1+ (1,0) [0|7] "" engine
BO_ 2566852848 battery: 2 engine
 SG_ volts : 0|8@1+ (0.1,0) [0|25] "V" engine
VAL_ 291 gear 0 "neutral" 1 "first" 2 "second" ;
"""
FRAMES = [
    CanFrame(1_002_516_000, "can0", 0x123, bytes([0x80, 0x0C, 1, 0, 0, 0, 0, 0])),
    CanFrame(1_005_000_000, "can1", 0x18FF10F0, bytes([123, 0]), extended=True),
    CanFrame(1_012_516_000, "can0", 0x123, bytes([0x40, 0x1F, 2, 0, 0, 0, 0, 0])),
    CanFrame(1_013_000_000, "can0", 0x7FF, remote=True),
    CanFrame(1_024_516_000, "can0", 0x123, b"\x01"),
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    candump.write(tmp_path / "can.log", FRAMES)
    return tmp_path / "can.log"


@pytest.fixture
def dbc(tmp_path: Path) -> Path:
    (tmp_path / "car.dbc").write_text(DBC)
    return tmp_path / "car.dbc"


def test_what_is_written_is_read(log):
    assert list(candump.read(log)) == FRAMES
    assert log.read_text().splitlines()[0] == "(1.002516) can0 123#800C010000000000"


def test_python_can_reads_it(log):
    with can.LogReader(str(log)) as reader:
        found = list(reader)
    assert [m.arbitration_id for m in found] == [f.id for f in FRAMES]
    assert [m.is_extended_id for m in found] == [f.extended for f in FRAMES]
    assert [m.is_remote_frame for m in found] == [f.remote for f in FRAMES]
    assert [bytes(m.data) for m in found] == [f.data for f in FRAMES]
    assert [m.channel for m in found] == [f.bus for f in FRAMES]
    assert found[0].timestamp == pytest.approx(1.002516)


def test_what_python_can_writes_is_read(tmp_path):
    path = tmp_path / "other.log"
    with can.CanutilsLogWriter(str(path)) as writer:
        for f in FRAMES[:4]:
            writer(
                can.Message(
                    timestamp=f.ns / 1e9,
                    arbitration_id=f.id,
                    is_extended_id=f.extended,
                    is_remote_frame=f.remote,
                    data=f.data,
                    channel=f.bus,
                )
            )
    assert list(candump.read(path)) == FRAMES[:4]


def test_cantools_decodes_it(log, dbc):
    command = [sys.executable, "-m", "cantools", "decode", "--single-line", str(dbc)]
    said = subprocess.run(command, input=log.read_text(), capture_output=True, text=True).stdout
    assert "speed(rpm: 800.0 rpm, gear: first)" in said
    assert "battery(volts: 12.3 V)" in said


def test_kinds_and_signals(log, dbc):
    speed, rtr, battery = (k.as_dict() for k in kinds_of(log, dbc))
    assert (speed["bus"], speed["id"], speed["name"], speed["frames"]) == (
        "can0",
        "123",
        "speed",
        3,
    )
    assert (speed["period_min_us"], speed["period_max_us"]) == (10_000, 12_000)
    assert speed["period_mean_us"] == 11_000
    assert speed["undecoded"] == 1
    assert speed["signals"]["rpm"] == {"min": 800, "max": 2000, "last": 2000, "unit": "rpm"}
    assert speed["signals"]["gear"]["name"] == "second"
    assert battery["signals"]["volts"]["last"] == pytest.approx(12.3)
    assert rtr["signals"] == {} and rtr["period_mean_us"] is None


FLOAT_DBC = """VERSION ""
BU_: engine
BO_ 291 speed: 8 engine
 SG_ rpm : 0|32@1- (1,0) [0|16000] "rpm" engine
 SG_ huge : 32|32@1- (1e300,0) [0|0] "" engine
SIG_VALTYPE_ 291 rpm : 1;
SIG_VALTYPE_ 291 huge : 1;
"""
NO_NUMBERS = ("0000C07F00000000", "0000803F0000807F", "000080FF0000C0FF", "00000040FFFF7F7F")


def test_what_is_no_number_is_counted(tmp_path):
    """NaN and infinity, which any node of a bus can send, and JSON does not have."""
    (tmp_path / "f.dbc").write_text(FLOAT_DBC)
    frames = [CanFrame(MS * n, "c", 0x123, bytes.fromhex(x)) for n, x in enumerate(NO_NUMBERS)]
    candump.write(tmp_path / "f.log", frames)
    ran = takt("can", tmp_path / "f.log", "--dbc", tmp_path / "f.dbc", "--json")
    assert ran.returncode == 0 and ran.stderr == ""
    signals = json.loads(ran.stdout)["messages"][0]["signals"]
    assert signals["rpm"] == {"min": 1, "max": 2, "last": 2, "unit": "rpm", "not_numbers": 2}
    assert signals["huge"] == {"min": 0, "max": 0, "last": None, "unit": "", "not_numbers": 3}
    said = takt("can", tmp_path / "f.log", "--dbc", tmp_path / "f.dbc").stdout
    assert "no number in 2 frames" in said and "1 .. 2" in said


def test_one_bus(log):
    assert [k.number for k in kinds_of(log, bus="can1")] == ["18FF10F0"]
    with pytest.raises(UserError, match="no frames of can7"):
        kinds_of(log, bus="can7")


@pytest.mark.parametrize(
    "line", ["hello", "(1.0) can0 123#00", "(1.000000) can0 12#00", "(1.000000) can0 FFF#00"]
)
def test_what_is_no_frame_is_told_by_its_line(tmp_path, line):
    path = tmp_path / "bad.log"
    path.write_text(FRAMES[0].line() + "\n\n" + line + "\n")
    with pytest.raises(UserError) as caught:
        list(candump.read(path))
    assert caught.value.where.endswith("bad.log:3") and caught.value.fix


def test_what_is_no_database_is_told(log, tmp_path):
    path = tmp_path / "bad.dbc"
    path.write_text("BO_ nonsense")
    with pytest.raises(UserError, match="not a CAN database"):
        kinds_of(log, path)
    with pytest.raises(UserError, match="cannot read"):
        kinds_of(log, tmp_path / "none.dbc")


def test_the_command(log, dbc):
    command = [sys.executable, "-m", "takt", "can", str(log), "--dbc", str(dbc)]
    told = {"env": os.environ | {"PYTHONPATH": str(ROOT / "tools")}, "capture_output": True}
    said = subprocess.run([*command, "--json"], text=True, **told)
    assert [m["name"] for m in json.loads(said.stdout)["messages"]] == ["speed", "", "battery"]
    shown = subprocess.run(command, text=True, **told)
    assert shown.returncode == 0 and "volts" in shown.stdout
    assert subprocess.run([*command[:-1], "none.dbc"], **told).returncode == 1


def test_a_device_plays_a_log_and_records_one():
    device = UsbDevice()
    frames = [CanFrame(n * MS, f"can{n % 2}", n, bytes([n % 256])) for n in range(500)]
    device.play(frames)
    heard = device.record()
    device.advance(250 * MS)
    assert heard == frames[:251]
    device.advance(1000 * MS)
    assert heard == frames
    with pytest.raises(UserError, match="can9"):
        device.play([CanFrame(0, "can9", 1)])
