"""W5500 on SPI: frames of two bytes of address, one of control, and data while it is selected.

address 16 | block 5, write 1, mode 2 | data ...     mode 0: until select rises, else 1, 2, 4 bytes
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from takt.world.parts.base import Wire
from takt.world.parts.buses import SpiPart, spi_settings
from takt.world.parts.net import pcap, wire
from takt.world.parts.net.chip import Chip
from takt.world.parts.net.host_tables import Hosts
from takt.world.parts.net.hosts import Host
from takt.world.parts.settings import Context, Duration, Pin, Setting, SettingError

UNDERSTOOD = (0, 3)  # modes of SPI
LENGTHS = (None, 1, 2, 4)
ABSENT = 0  # what a part that is not meant gives


class Frames(Setting):
    """A file of frames."""

    def read(self, value: Any, context: Context) -> list[pcap.Timed]:
        if not isinstance(value, str) or not value:
            raise SettingError(f"{value!r} is not the name of a file", 'write "in.pcap"')
        path: Path = context.folder / value
        try:
            return pcap.read(path)
        except OSError as error:
            what = f"{value!r} cannot be read: {error.strerror}"
            raise SettingError(what, "name a file beside world.toml") from None
        except pcap.NotPcap as error:
            raise SettingError(f"{value!r}: {error}", "record it as pcap") from None


class W5500(SpiPart):
    """An Ethernet chip with TCP and UDP of its own; beyond its cable are `hosts`, and what `play`
    holds. All that went over the cable is beside the report, under the part's name, as pcap."""

    kind = "w5500"
    settings: ClassVar[dict[str, Setting]] = {
        **spi_settings(),
        "interrupt": Pin("the pin its INT output drives, active low"),
        "hosts": Hosts("what is on the network: tables, see above", default=()),
        "play": Frames("a pcap file: frames that come over the cable at their times", default=()),
        "delay": Duration("how long a frame is under way besides its own length", default=200_000),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.int_pin = values["interrupt"]
        self.active = False
        self.wrong_mode = 0
        self.header = bytearray()

    def pins(self) -> list[Wire]:
        drives = [] if self.int_pin is None else [Wire("interrupt", self.int_pin, drives=True)]
        return super().pins() + drives

    def start(self, bench) -> None:
        self.cable = wire.Wire(bench, self.values["delay"])
        if self.int_pin is not None:
            bench.drive(self.int_pin, 1, 0)
        self.chip = self.cable.chip = Chip(self.cable, self._interrupt)
        told = enumerate(self.values["hosts"], 1)
        self.hosts = [Host(self.cable, number, one, lambda: self.chip.ip) for number, one in told]
        self.cable.hosts = list(self.hosts)
        for host in self.hosts:
            host.begin()
        for ns, frame in self.values["play"]:
            self.at(bench.cycles(ns), lambda frame=frame: self.cable.arrive(frame))

    def _interrupt(self, active: bool) -> None:
        if self.int_pin is not None and active != self.active:
            self.active = active
            self.bench.drive(self.int_pin, int(not active), self.bench.now)

    # SPI.

    def select(self) -> None:
        super().select()
        self.header.clear()
        self.heard = self.bench.machine.spi_settings(self.bus)[1] in UNDERSTOOD
        self.wrong_mode += not self.heard

    def transfer(self, byte: int, bits: int) -> int:
        answer = 0
        for shift in range(bits - 8, -1, -8):
            given = self._byte(byte >> shift & 0xFF) if self.heard else ABSENT
            answer = answer << 8 | given
        return answer

    def _byte(self, byte: int) -> int:
        if len(self.header) < 3:
            self.header.append(byte)
            if len(self.header) == 3:
                self.place, self.left = int.from_bytes(self.header[:2], "big"), LENGTHS[byte & 3]
            return len(self.header)  # as the chip does: 1, 2, 3
        if self.left is not None:
            if not self.left:
                return ABSENT
            self.left -= 1
        block, place = self.header[2] >> 3, self.place
        self.place = place + 1 & 0xFFFF
        if self.header[2] & 4:
            self.chip.write(block, place, byte)
            return ABSENT
        return self.chip.read(block, place)

    # What it was.

    def files(self) -> dict[str, Any]:
        return {f"{self.name}.pcap": pcap.packed(self.cable.kept)} if self.cable.kept else {}

    def summary(self) -> dict[str, Any]:
        mine = sum(frame[6:12] == self.chip.mac for _, frame in self.cable.kept)
        found: dict[str, Any] = {
            "frames sent": mine,
            "frames received": len(self.cable.kept) - mine,
            "datagrams dropped": self.chip.dropped,
        }
        for host in self.hosts:
            if said := host.summary():
                found[".".join(map(str, host.ip))] = said
        if self.chip.strange:
            found["not modelled"] = dict(sorted(self.chip.strange.items()))
        if self.wrong_mode:
            found["selected in a wrong SPI mode"] = self.wrong_mode
        return found
