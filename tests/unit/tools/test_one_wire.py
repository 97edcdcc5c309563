"""DS18B20 on a 1-Wire bus, driven bit by bit."""

from __future__ import annotations

import pytest
from bench_of import MS, bench_of
from one_wire_bus import Script, crc, presence
from takt.errors import UserError
from takt.world.parts.sensors.one_wire import crc8

SKIP, MATCH, READ_ROM, SEARCH, ALARMS = 0xCC, 0x55, 0x33, 0xF0, 0xEC
CONVERT, WRITE, READ, COPY, RECALL, POWER = 0x44, 0x4E, 0xBE, 0x48, 0xB8, 0xB4


def sensor(name="s", temperature='"25 degC"', serial=0x1234):
    return (
        f'[parts.{name}]\ntype = "ds18b20"\npin = 2\nserial = {serial}\n'
        f"temperature = {temperature}\n"
    )


def play(folder, text, script):
    """The bench after a script."""
    bench = bench_of(folder, text, script.edges)
    assert bench.run(script.at + MS) is None
    bench.finish()
    return bench


def rom(serial):
    data = bytes([0x28]) + serial.to_bytes(6, "little")
    return data + bytes([crc(data)])


def command(script, *data):
    script.reset()
    script.write([SKIP, *data])


def read_scratchpad(script):
    command(script, READ)
    return script.read(72)


def test_crc_of_the_application_note():
    data = bytes.fromhex("02 1c b8 01 00 00 00")  # Maxim's application note 27
    assert crc(data) == crc8(data) == 0xA2


def test_presence_and_rom(tmp_path):
    script = Script(MS)
    script.reset()
    script.write([READ_ROM])
    read = script.read(64)
    bench = play(tmp_path, sensor(), script)
    after, length = presence(bench, script.resets[0])
    assert 15 <= after <= 60 and 60 <= length <= 240
    assert script.bytes(bench, read) == rom(0x1234)
    found = bench.summary()["s"]
    assert found["malformed_slots"] == found["unknown_commands"] == 0


@pytest.mark.parametrize(
    ("celsius", "raw"),  # the data sheet's table
    [(125, 0x07D0), (85, 0x0550), (25.0625, 0x0191), (10.125, 0x00A2), (0.5, 8), (0, 0),
     (-0.5, 0xFFF8), (-10.125, 0xFF5E), (-25.0625, 0xFE6F), (-55, 0xFC90)],
)  # fmt: skip
def test_temperatures_of_the_data_sheet(tmp_path, celsius, raw):
    script = Script(MS)
    before = read_scratchpad(script)
    command(script, CONVERT)
    script.wait(750_000)
    after = read_scratchpad(script)
    bench = play(tmp_path, sensor(temperature=f'"{celsius} degC"'), script)
    at_power_on, data = script.bytes(bench, before), script.bytes(bench, after)
    assert at_power_on[:2] == bytes.fromhex("5005")
    assert data[:2] == raw.to_bytes(2, "little")
    assert data[2:8] == bytes([75, 70, 0x7F, 0xFF, 0x0C, 0x10]) and data[8] == crc(data[:8])


@pytest.mark.parametrize(("bits", "ms", "raw"), [(9, 93.75, 0x0190), (10, 187.5, 0x190),
                                                 (11, 375, 0x192), (12, 750, 0x193)])  # fmt: skip
def test_resolution_and_time_of_a_conversion(tmp_path, bits, ms, raw):
    script = Script(MS)
    command(script, WRITE, 75, 70, (bits - 9) << 5 | 0x1F)
    command(script, CONVERT)
    script.wait(ms * 1000 - 500)
    busy = script.read(1)
    script.wait(1000)
    ready = script.read(1)
    read = read_scratchpad(script)
    bench = play(tmp_path, sensor(temperature='"25.1875 degC"'), script)
    assert script.bits(bench, busy) == [0] and script.bits(bench, ready) == [1]
    assert int.from_bytes(script.bytes(bench, read)[:2], "little") == raw


def test_a_search_finds_all_on_one_pin(tmp_path):
    """The controller takes the way to each of them; where they differ both answer 0."""
    serials = (0x01, 0x02, 0xF00000000000)
    script, ways = Script(MS), []
    for serial in serials:
        script.reset()
        script.write([SEARCH])
        way = []
        for n in range(64):
            way.append(script.read(2))
            script.bit(rom(serial)[n // 8] >> n % 8 & 1)
        ways.append(way)
    text = "".join(sensor(f"s{serial}", serial=serial) for serial in serials)
    bench = play(tmp_path, text, script)
    for serial, way in zip(serials, ways, strict=True):
        left = set(serials)
        for n, where in enumerate(way):
            bits = {rom(one)[n // 8] >> n % 8 & 1 for one in left}
            wanted = [0, 0] if len(bits) == 2 else [min(bits), 1 - min(bits)]
            assert script.bits(bench, where) == wanted, (serial, n)
            chosen = rom(serial)[n // 8] >> n % 8 & 1
            left = {one for one in left if rom(one)[n // 8] >> n % 8 & 1 == chosen}
        assert left == {serial}


def test_only_the_matched_one_answers(tmp_path):
    script = Script(MS)
    command(script, CONVERT)
    script.wait(760_000)
    found = []
    for serial in (1, 2, 3):
        script.reset()
        script.write([MATCH, *rom(serial), READ])
        found.append(script.read(16))
    text = sensor("a", '"1 degC"', 1) + sensor("b", '"2 degC"', 2)
    bench = play(tmp_path, text, script)
    assert [script.bytes(bench, one).hex() for one in found] == ["1000", "2000", "ffff"]


def test_alarms(tmp_path):
    script = Script(MS)
    command(script, WRITE, 30, 0xFB, 0x7F)  # above 30, below -5
    command(script, CONVERT)
    script.wait(760_000)
    script.reset()
    script.write([ALARMS])
    answered = script.read(2)
    quiet, hot = sensor("a", '"29 degC"', 1), sensor("b", '"30 degC"', 2)
    (tmp_path / "two").mkdir()
    alone = play(tmp_path, quiet, script)
    assert script.bits(alone, answered) == [1, 1]
    both = play(tmp_path / "two", quiet + hot, script)
    assert script.bits(both, answered) == [0, 1]  # of the family code's lowest bit, 0


def test_eeprom_and_power(tmp_path):
    script = Script(MS)
    command(script, WRITE, 1, 2, 0x3F)
    command(script, COPY)
    script.wait(9_000)
    busy = script.read(1)
    script.wait(2_000)
    done = script.read(1)
    command(script, WRITE, 3, 4, 0x7F)
    command(script, RECALL)
    command(script, POWER)
    powered = script.read(1)
    read = read_scratchpad(script)
    bench = play(tmp_path, sensor(), script)
    assert [script.bits(bench, one)[0] for one in (busy, done, powered)] == [0, 1, 1]
    assert script.bytes(bench, read)[2:5] == bytes([1, 2, 0x3F])


@pytest.mark.parametrize(
    ("spoil", "count"),
    [
        (lambda s: s.low(6, 40), 1),  # the next slot comes too soon
        (lambda s: s.low(40, 40), 1),  # neither 1 nor 0
        (lambda s: s.low(0.5, 70), 1),
        (lambda s: s.low(300, 70), 1),  # neither slot nor reset
        (lambda s: s.low(6, 64), 0),
    ],
)
def test_malformed_slots_are_counted(tmp_path, spoil, count):
    script = Script(MS)
    script.reset()
    spoil(script)
    script.bit(1)
    bench = play(tmp_path, sensor(), script)
    assert bench.summary()["s"]["malformed_slots"] == count


def test_a_read_that_holds_the_wire_too_long_is_malformed(tmp_path):
    script = Script(MS)
    script.reset()
    script.write([READ_ROM])
    script.read(8, low=20)
    bench = play(tmp_path, sensor(), script)
    assert bench.summary()["s"]["malformed_slots"] == 8


def test_what_is_too_long_for_a_slot_silences_it_until_a_reset(tmp_path):
    script = Script(MS)
    script.reset()
    script.low(300, 70)
    script.write([READ_ROM])
    silent = script.read(8)
    script.reset()
    script.write([READ_ROM])
    heard = script.read(8)
    bench = play(tmp_path, sensor(), script)
    assert script.bytes(bench, silent) == b"\xff" and script.bytes(bench, heard) == b"\x28"


def test_unknown_commands_are_counted(tmp_path):
    script = Script(MS)
    command(script, 0x99)
    script.reset()
    script.write([0x77])
    bench = play(tmp_path, sensor(), script)
    assert bench.summary()["s"]["unknown_commands"] == 2


def test_two_with_one_serial_number_or_another_part_on_the_wire(tmp_path):
    with pytest.raises(UserError, match="serial number 000000001234 on pin 2 belongs to"):
        bench_of(tmp_path, sensor("a") + sensor("b"))
    with pytest.raises(UserError, match="two outputs on one wire"):
        bench_of(tmp_path, sensor("a") + '[parts.b]\ntype = "dht22"\npin = 2\n')
