"""A 1-Wire device: slots, reset, and the commands with which a controller chooses devices.

Each slot begins when the controller pulls the wire low; all times are from there (data sheet of
the DS18B20, in us):

    write 1   low 1..15            the device looks at about 30
    write 0   low 60..120
    read      low 1..15            for a 0 the device holds it low until about 30
    reset     low >= 480           presence: from 30 to 150 after its end

Slots begin at least 61 apart. Everything else is counted as malformed; low for 120 to 480 is
neither slot nor reset, and the device waits for a reset. Several devices share a pin.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator
from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.settings import Pin, Setting, Whole

ONE_LEAST, ONE_MOST, ZERO_LEAST, ZERO_MOST, SLOT = 1_000, 15_000, 60_000, 120_000, 61_000  # ns
SAMPLE, RESET, PRESENCE, PRESENT = 30_000, 480_000, 30_000, 120_000
READ_ROM, MATCH_ROM, SKIP_ROM, SEARCH_ROM, ALARM_SEARCH = 0x33, 0x55, 0xCC, 0xF0, 0xEC

# What a device does in the coming slot: None listens to a bit, which it is sent; a function tells
# the bit that it gives, when the slot begins.
Give = Callable[[], int]
Talk = Generator["Give | None", int | None, Any]


def crc8(data: bytes) -> int:
    """x^8 + x^5 + x^4 + 1, the lowest bit first."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8C if crc & 1 else 0)
    return crc


def one_wire_settings() -> dict[str, Setting]:
    """The settings that wire a part to a 1-Wire bus."""
    return {
        "pin": Pin("the pin of the bus; several parts may name the same", required=True),
        "serial": Whole(
            "serial number, 48 bits; without one the name decides", least=0, most=2**48 - 1
        ),
    }


class OneWirePart(Part):
    """A device on a 1-Wire bus, with power of its own. Subclasses say what its functions do."""

    family: ClassVar[int]

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.pin = values["pin"]
        given = values["serial"]
        serial = zlib.crc32(name.encode()) if given is None else given
        code = bytes([self.family]) + serial.to_bytes(6, "little")
        self.rom = code + bytes([crc8(code)])
        self.talk: Talk = (give for give in ())  # is sent the bits
        self.coming: Give | None = None
        self.listening = self.giving = False
        self.fell: int | None = None  # cycle
        self.resets = self.malformed = self.unknown = 0

    def pins(self) -> list[Wire]:
        return [Wire("pin", self.pin, drives=True, prompt=True, chip=True, bus="1-Wire")]

    def claims(self) -> dict[str, str]:
        return {f"serial number {self.rom[6:0:-1].hex()} on pin {self.pin}": "serial"}

    def start(self, bench) -> None:
        self.wire = bench.open_drain(self.pin)

    # Slots.

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        if not level:
            self._slot(cycle)
        elif self.fell is not None:
            self._risen(self.bench.ns(cycle - self.fell), cycle)

    def _slot(self, cycle: int) -> None:
        talking = self.listening or self.coming is not None or self.giving
        if talking and self.fell is not None:
            self.malformed += self.bench.ns(cycle - self.fell) < SLOT
        self.fell, self.giving = cycle, self.coming is not None
        if self.coming is not None:
            if not self.coming():
                self.wire.low(cycle, cycle + self.bench.cycles(SAMPLE))
            self._go_on(None)

    def _risen(self, low: int, cycle: int) -> None:
        """The controller has let go of the wire, after so many ns."""
        if low >= RESET:
            self._reset(cycle)
        elif low > ZERO_MOST:
            self.malformed += 1
            self.listening, self.coming = False, None
        elif self.giving:
            self.malformed += not ONE_LEAST <= low <= ONE_MOST
        elif self.listening and low < ONE_LEAST:
            self.malformed += 1
        elif self.listening:
            self.malformed += ONE_MOST < low < ZERO_LEAST
            self._go_on(int(low < SAMPLE))

    def _reset(self, cycle: int) -> None:
        self.resets += 1
        begin = cycle + self.bench.cycles(PRESENCE)
        self.wire.low(begin, begin + self.bench.cycles(PRESENT))
        self.fell, self.giving = None, False
        self.talk = self._conversation()
        self._go_on(None)

    def _go_on(self, bit: int | None) -> None:
        """To the next slot; after the last one the device waits for a reset."""
        try:
            self.coming = self.talk.send(bit)
            self.listening = self.coming is None
        except StopIteration:
            self.listening, self.coming = False, None

    # What is said in them.

    def _conversation(self) -> Talk:
        command = yield from self.take(1)
        if command[0] == READ_ROM:
            yield from self.give(self.rom)
        elif command[0] in (SEARCH_ROM, ALARM_SEARCH):
            if command[0] == ALARM_SEARCH and not self.alarmed():
                return
            yield from self._searched()
            return
        elif command[0] == MATCH_ROM:
            if (yield from self.take(8)) != self.rom:
                return
        elif command[0] != SKIP_ROM:
            self.unknown += 1
            return
        yield from self.function((yield from self.take(1))[0])

    def _searched(self) -> Talk:
        """Each bit, its complement, and the controller's choice, until that is another one."""
        for bit in self.bits(self.rom):
            yield lambda bit=bit: bit
            yield lambda bit=bit: 1 - bit
            chosen = yield None
            if chosen != bit:
                return

    @staticmethod
    def bits(data: bytes) -> list[int]:
        """The lowest first."""
        return [byte >> n & 1 for byte in data for n in range(8)]

    def take(self, count: int) -> Talk:
        """Bytes from the controller."""
        value = 0
        for n in range(8 * count):
            value |= (yield None) << n
        return value.to_bytes(count, "little")

    def give(self, data: bytes) -> Talk:
        """Bytes for the controller."""
        for bit in self.bits(data):
            yield lambda bit=bit: bit

    def alarmed(self) -> bool:
        """Whether it answers an alarm search."""
        return False

    def function(self, command: int) -> Talk:
        """What follows a function command."""
        raise NotImplementedError

    def summary(self) -> dict[str, Any]:
        return {
            "rom": self.rom.hex(),
            "resets": self.resets,
            "malformed_slots": self.malformed,
            "unknown_commands": self.unknown,
        }
