"""A USB-CAN adapter in a world file: its buses, its logs, and the mistakes one can make."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest
from takt.can import candump
from takt.can.candump import CanFrame
from takt.errors import UserError
from takt.world.parts.usb_can import UsbCan
from takt.world.world import load

MS = 1_000_000
BOARD = SimpleNamespace(pins={f"GP{n}": n for n in range(30)} | {"A0": 26})
PLAYED = [CanFrame(5 * MS, "can0", 0x321, b"\x01"), CanFrame(2 * MS, "can1", 0x10000, b"", True)]


def adapter(folder, text) -> UsbCan:
    (folder / "world.toml").write_text(f'[parts.can]\ntype = "usb-can"\n{text}\n')
    part = load(folder, BOARD).parts["can"]
    assert isinstance(part, UsbCan)
    return part


def test_others_send_by_period_and_by_log(tmp_path):
    candump.write(tmp_path / "car.log", PLAYED)
    part = adapter(tmp_path, 'periods = ["1 ms", "0 s"]\nplay = "car.log"\nlog = "bus.log"')
    part.device.advance(10 * MS)
    seen = [f for f in part.frames if f.bus == "can0" and f.id == 0x100]
    assert len(seen) == 10 and {b.ns - a.ns for a, b in itertools.pairwise(seen)} == {MS}
    assert [f for f in part.frames if f not in seen] == sorted(PLAYED, key=lambda f: f.ns)
    (tmp_path / "again.log").write_text(part.files()["bus.log"])
    assert len(list(candump.read(tmp_path / "again.log"))) == 12


def test_without_a_log_nothing_is_kept(tmp_path):
    part = adapter(tmp_path, 'periods = ["1 ms"]')
    part.device.advance(10 * MS)
    assert part.files() == {} and part.frames == []


def test_frames_that_pass_while_nobody_listens_are_told_where_it_is_pulled_out(tmp_path):
    for unplug, said in (("", ""), ('unplug = ["5 ms"]', ", 10 while away")):
        part = adapter(tmp_path, f'periods = ["1 ms"]\n{unplug}')
        part.device.advance(10 * MS)
        assert part.summary()["bus 0"] == f"0 of 0 delivered, 0 lost{said}"


def test_faults_have_arguments_that_do_something(tmp_path):
    words = ("stall", "short", "garbage", "late", "mute", "babble", "error", "bus-off", "bus-error")
    faults = ", ".join(f'["1 ms", "{word}"]' for word in words)
    assert adapter(tmp_path, f'periods = ["1 ms"]\nfaults = [{faults}]').device.next > 0
    back = 'faults = [["1 ms", "unplug"]]\nreplug = ["2 ms"]'
    assert adapter(tmp_path, f'periods = ["1 ms"]\n{back}').device.next > 0


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('periods = ["1 ms"]\nplay = "none.log"', "cannot read"),
        ('periods = ["1 ms"]\nplay = "car.log"', "can1"),
        ('periods = ["1 ms"]\nlog = "../bus.log"', "no name of a log"),
        ('periods = ["10 us"]', "faster"),
        ('periods = ["1 ms"]\njitter = "2 ms"', "faster"),
        ("periods = []", "0 periods"),
        ('periods = ["1 ms", "1 ms"]\nadapter = "gs_usb"', "2 periods"),
        ('periods = ["1 ms"]\nfaults = [["1 s", "melts"]]', "melts"),
        ('periods = ["1 ms"]\nunplug = ["1 s"]\nreplug = ["500 ms"]', "it is in already"),
        ('periods = ["1 ms"]\nunplug = ["1 s"]\nreplug = ["2 s", "3 s"]', "it is in already"),
    ],
)
def test_mistakes_are_named(tmp_path, text, what):
    candump.write(tmp_path / "car.log", PLAYED)
    with pytest.raises(UserError, match=what) as caught:
        adapter(tmp_path, text)
    assert "world.toml:" in caught.value.where and caught.value.fix
