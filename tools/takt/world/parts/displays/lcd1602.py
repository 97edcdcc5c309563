"""A display of characters behind an HD44780, wired in parallel or through an I2C backpack.

The backpack is a PCF8574, wired as these modules are:

    P0 RS   P1 R/W   P2 enable   P3 backlight   P4 .. P7 D4 .. D7
"""

from __future__ import annotations

from typing import Any, ClassVar

from takt.world.parts.base import Part, Wire
from takt.world.parts.buses import i2c_claim
from takt.world.parts.displays import hd44780_characters as characters
from takt.world.parts.displays.hd44780 import Hd44780
from takt.world.parts.displays.lcd_picture import lcd_dots
from takt.world.parts.settings import Choice, Pin, PinList, Setting, SettingError, Whole
from takt.world.pictures import Picture

ROWS = {"16x2": (0x00, 0x40), "20x4": (0x00, 0x40, 0x14, 0x54)}  # first addresses
ADDRESS, ADDRESSES = 0x27, (*range(0x20, 0x28), *range(0x38, 0x40))  # PCF8574 and PCF8574A
RS, RW, ENABLE, LIGHT = 1, 2, 4, 8  # bits of the backpack's port
# At 5 V: what an enable pulse lasts at least, how long before its end data stand, before its
# beginning RS and R/W, and how long data take to be there when they are read.
PULSE_NS, DATA_NS, SELECT_NS, ANSWER_NS = 230, 80, 40, 160


class Lcd1602(Part):
    """Shows characters: 16 in each of two rows, or 20 in four. It is wired in parallel if `rs` is
    given, else through a backpack. Its text is in the report."""

    kind = "lcd1602"
    quantities = ("backlight",)
    settings: ClassVar[dict[str, Setting]] = {
        "size": Choice("columns and rows", default="16x2", options=tuple(ROWS)),
        "rs": Pin("register select; makes it wired in parallel"),
        "enable": Pin("enable"),
        "rw": Pin("read/write; without it the display is written only"),
        "data": PinList("data lines: D4 to D7, or D0 to D7", count=4, more=(8,)),
        "i2c": Whole("the I2C block of the chip: 0 is Wire", least=0, most=1),
        "address": Whole("address of the backpack", least=ADDRESSES[0], most=ADDRESSES[-1]),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.parallel = values["rs"] is not None
        self.bus, self.address = values["i2c"] or 0, values["address"] or ADDRESS
        self.columns, self.rows = int(values["size"].split("x")[0]), ROWS[values["size"]]
        self.chip = Hd44780()
        self.light = True
        self.levels: dict[int, int] = {}
        self.moved: dict[int, int] = {}  # pin -> cycle of its last change
        self.hasty = 0  # enable pulses out of bounds

    def check(self) -> None:
        values = self.values
        own = [values[key] for key in ("rs", "enable", "rw") if values[key] is not None]
        own += values["data"] or []
        if not self.parallel and own:
            raise SettingError("pins are given, but not `rs`", "add a line rs = ...")
        if self.address not in ADDRESSES:
            raise SettingError(f"no backpack has address {self.address:#04x}", "use 0x27 or 0x3f")
        if not self.parallel:
            return
        if values["i2c"] is not None or values["address"] is not None:
            raise SettingError("both pins and a backpack", "leave out i2c and address, or the pins")
        for key in ("enable", "data"):
            if values[key] is None:
                raise SettingError(f"wired in parallel it needs {key!r}", f"add a line {key} = ...")
        if len(set(own)) < len(own):
            raise SettingError("two lines are on one pin", "use different pins")

    def claims(self) -> dict[str, str]:
        return {} if self.parallel else i2c_claim(self.bus, self.address)

    def on_bus(self) -> tuple[str, int] | None:
        return None if self.parallel else super().on_bus()

    def pins(self) -> list[Wire]:
        if not self.parallel:
            return []
        values, answers = self.values, self.values["rw"] is not None
        first = 8 - len(values["data"])
        data = [(f"d{first + n}", pin) for n, pin in enumerate(values["data"])]
        wires = [Wire("rs", values["rs"]), Wire("enable", values["enable"], prompt=answers)]
        wires += [Wire(role, pin) for role, pin in data]
        if answers:
            wires.append(Wire("rw", values["rw"]))
            wires += [Wire(role, pin, drives=True) for role, pin in data]
        return wires

    def start(self, bench) -> None:
        super().start(bench)
        if not self.parallel:
            bench.machine.i2c_device(self.bus, self.address, _Backpack(self))
        for wire in self.pins():
            self.levels[wire.pin] = bench.level(wire.pin)

    # In parallel.

    def on_pin(self, pin: int, level: int, cycle: int) -> None:
        before, self.levels[pin] = self.levels[pin], level
        if pin == self.values["enable"] and level != before:
            (self._rises if level else self._falls)(cycle)
        self.moved[pin] = cycle

    def _selected(self) -> tuple[bool, bool]:
        """RS, R/W."""
        rw = self.values["rw"]
        return bool(self.levels[self.values["rs"]]), rw is not None and bool(self.levels[rw])

    def _rises(self, cycle: int) -> None:
        data, reads = self._selected()
        if reads:
            byte = self.chip.output(data, self.bench.ns(cycle))
            at = cycle + self.bench.cycles(ANSWER_NS)
            for bit, pin in self._lines():
                self.bench.drive(pin, byte >> bit & 1, at)

    def _falls(self, cycle: int) -> None:
        data, reads = self._selected()
        if reads:
            for _, pin in self._lines():
                self.bench.drive(pin, None, cycle)
        if self._too_fast(cycle, reads):
            self.hasty += 1
        elif reads:
            self.chip.was_read(data, self.bench.ns(cycle))
        else:
            wired = sum(self.levels[pin] << bit for bit, pin in self._lines())
            pulled_up = 0xFF >> len(self.values["data"])
            self.chip.write(data, wired | pulled_up, self.bench.ns(cycle))

    def _lines(self) -> list[tuple[int, int]]:
        """Bits and pins."""
        return list(enumerate(self.values["data"], 8 - len(self.values["data"])))

    def _too_fast(self, cycle: int, reads: bool) -> bool:
        """Whether the pulse of enable that ends does not keep the data sheet's times."""

        def since(pin: int | None, then: int) -> int:
            moved = self.moved.get(pin) if pin is not None else None
            return DATA_NS if moved is None else self.bench.ns(then - moved)

        rose = self.moved.get(self.values["enable"], 0)
        selected = min(since(self.values[key], rose) for key in ("rs", "rw"))
        stood = DATA_NS if reads else min(since(pin, cycle) for _, pin in self._lines())
        short = self.bench.ns(cycle - rose) < PULSE_NS
        return short or selected < SELECT_NS or stood < DATA_NS

    # Report.

    def lines(self) -> list[str]:
        """The text, row by row; a dark row is empty."""
        rows = [self.chip.visible(first, self.columns) for first in self.rows]
        return ["".join(map(characters.text, row)) if row else "" for row in rows]

    def cursor(self) -> tuple[int, int] | None:
        """Row and column, if it is seen."""
        if not self.chip.on or self.chip.in_patterns:
            return None
        places = {
            self.chip.place(first, column): (row, column)
            for row, first in enumerate(self.rows)
            for column in range(self.columns)
        }
        return places.get(self.chip.at)

    def quantity(self, name: str, cycle: int) -> float:
        return float(self.light)

    def pictures(self) -> list[Picture]:
        return [lcd_dots(self)]

    def _unmodelled(self) -> list[str]:
        rows = [self.chip.visible(first, self.columns) or b"" for first in self.rows]
        strange = {code for code in b"".join(rows) if not characters.drawn(code)}
        told = [f"dots of character {code:#04x}" for code in sorted(strange)]
        told += ["5 x 10 dots"] if self.chip.tall else []
        return told + ["addresses between and behind the lines"] * bool(self.chip.beyond)

    def summary(self) -> dict[str, Any]:
        chip = self.chip
        first = chip.first_lost
        return {
            "lines": [line.rstrip() for line in self.lines()],
            "display": "on" if chip.on else "off",
            "backlight": "on" if self.light else "off",
            "cursor": self.cursor() if chip.cursor or chip.blinks else None,
            "characters": chip.written,
            "instructions": chip.instructions,
            "lost_while_busy": chip.lost,
            "first_lost_ms": None if first is None else round(first / 1e6, 3),
            "hasty_pulses": self.hasty,
            "not_modelled": self._unmodelled(),
        }


class _Backpack:
    """The PCF8574: what is written stands at its port; high is a weak pull-up, after power-on at
    all terminals. What was at the port while enable was high counts when it falls. The terminal of
    the backlight reads low, as it hangs on the base of a transistor."""

    def __init__(self, part: Lcd1602) -> None:
        self.part, self.port = part, 0xFF

    def start(self, read: bool) -> bool:
        return True

    def write(self, byte: int) -> bool:
        before, self.port = self.port, byte
        chip, ns = self.part.chip, self.part.bench.ns(self.part.bench.machine.now)
        self.part.light = bool(byte & LIGHT)
        if before & ENABLE and not byte & ENABLE:
            data = bool(before & RS)
            if before & RW:
                chip.was_read(data, ns)
            else:
                chip.write(data, before | 0x0F, ns)
        return True

    def read(self, last: bool) -> int:
        seen = self.port & ~LIGHT
        if self.port & RW and self.port & ENABLE:
            part = self.part
            ns = part.bench.ns(part.bench.machine.now)
            seen &= part.chip.output(bool(self.port & RS), ns) | 0x0F
        return seen

    def stop(self) -> None:
        pass
