"""A USB-CAN adapter in a USB port of the board, with others on its buses."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar

from takt.can import candump
from takt.can.adapters import ADAPTERS
from takt.can.candump import CanFrame
from takt.can.usb_device import FAULTS, KINDS, UsbDevice
from takt.errors import UserError
from takt.world.parts.base import Part
from takt.world.parts.settings import (
    Choice,
    Context,
    Duration,
    Durations,
    Setting,
    SettingError,
    Text,
    Times,
    Whole,
)

SHORTEST_NS = 50_000  # a frame of 8 bytes at 1 Mbit/s takes longer
FIRST_ID = 0x100
PORT = re.compile(r"[1-4]")
LOG_NAME = re.compile(r"[\w-][\w.-]*\.log")
assert set(ADAPTERS.values()) == set(KINDS)


class CanLog(Setting):
    """The name of a log of frames."""

    def read(self, value: Any, context: Context) -> tuple[CanFrame, ...]:
        if not isinstance(value, str):
            raise SettingError(f"{value!r} is not the name of a file", 'write "traffic.log"')
        try:
            return tuple(sorted(candump.read(context.folder / value), key=lambda f: f.ns))
        except UserError as error:
            raise SettingError(f"{error.where}: {error.what}", error.fix or "look there") from None


class UsbCan(Part):
    """On each bus somebody sends a frame every so often; `jitter` makes the distances of two that
    much shorter or longer, all equally likely. The frames' identifiers are 0x100, 0x101, ...; their
    data a number that counts up and the time in us. What `play` holds others send as well; can0 of
    that log is the first bus."""

    kind = "usb-can"
    settings: ClassVar[dict[str, Setting]] = {
        "adapter": Choice("which", default="kvaser", options=tuple(ADAPTERS)),
        "port": Text('the USB port, "1" to "4"', default="1"),
        "periods": Durations("distances of frames on each bus, 0 for none", default=()),
        "play": CanLog("a log of frames, candump -L, that others send", default=()),
        "log": Text('name for a file beside the report, as "bus.log": all frames, as candump -L'),
        "jitter": Duration("by how much distances differ", default=0),
        "bytes": Whole("data of a frame", default=8, least=0, most=8),
        "message": Whole("bytes of a received frame in the adapter (kvaser)", least=40, most=128),
        "buffer": Whole("bytes that the adapter holds", least=128, most=65536),
        "seed": Whole("another number, other phases; without one the name decides", least=1),
        "unplug": Durations("when it is pulled out", default=()),
        "replug": Durations("when it is put in again", default=()),
        "faults": Times('what goes wrong when: [["1 s", "stall"]]', default=(), options=FAULTS),
    }

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name, values)
        self.port = values["port"]

    def check(self) -> None:
        v = self.values
        if any(0 < period - v["jitter"] < SHORTEST_NS for period in v["periods"]) or any(
            0 < period <= v["jitter"] for period in v["periods"]
        ):
            raise SettingError("frames come faster than a bus can", "make a period longer")
        most = 5 if v["adapter"] == "kvaser" else 1
        if not 1 <= len(v["periods"]) <= most:
            what = f"{len(v['periods'])} periods, and the adapter has {most} bus(es)"
            raise SettingError(what, 'write a period for each bus, "0 s" for none')
        buses = [f"can{number}" for number in range(len(v["periods"]))]
        if strange := {frame.bus for frame in v["play"]} - set(buses):
            what = f"the log has frames of {sorted(strange)[0]}, and the adapter has no such bus"
            raise SettingError(what, f"use {', '.join(buses)}, or write more periods")
        if not PORT.fullmatch(v["port"]):
            raise SettingError(f"{v['port']!r} is no USB port", 'write "1" to "4"')
        moves = [(ns, False) for ns in v["unplug"]] + [(ns, True) for ns in v["replug"]]
        moves += [(ns, False) for ns, kind in v["faults"] if kind == "unplug"]
        plugged = True
        for _, puts_in in sorted(moves):
            if plugged and puts_in:
                raise SettingError(
                    "replug without unplug: it is in already", "say when it is pulled out"
                )
            plugged = puts_in
        if v["log"] is not None and not LOG_NAME.fullmatch(v["log"]):
            raise SettingError(f"{v['log']!r} is no name of a log", 'write "can.log"')

    @cached_property
    def device(self) -> UsbDevice:
        """The adapter, its buses busy."""
        v = self.values
        given = {"message_bytes": v["message"], "buffer_bytes": v["buffer"]}
        given = {key: value for key, value in given.items() if value is not None}
        device = UsbDevice(ADAPTERS[v["adapter"]], channels=len(v["periods"]), **given)
        seed = v["seed"] or zlib.crc32(self.name.encode()) | 1
        chance = random.Random(seed)
        for channel, period in enumerate(v["periods"]):
            if not period:
                continue
            between = (period - v["jitter"], period + v["jitter"])
            more = {"start_ns": chance.randrange(period), "seed": seed + channel}
            device.traffic(channel, between, id=FIRST_ID + channel, length=v["bytes"], **more)
        for ns, kind in v["faults"]:
            device.fault(kind, ns)
        device.play(v["play"])
        self.frames = device.record() if v["log"] else []
        return device

    def start(self, bench: Any) -> None:
        super().start(bench)
        for times, plugged in ((self.values["unplug"], False), (self.values["replug"], True)):
            for ns in times:
                self.at(bench.cycles(ns), lambda ns=ns, on=plugged: self.device.plug(ns, on))

    def finish(self, cycle: int) -> None:
        self.device.advance(self.bench.ns(cycle))

    def files(self) -> dict[str, str]:
        log = self.values["log"]
        return {log: "".join(frame.line() + "\n" for frame in self.frames)} if log else {}

    def summary(self) -> dict[str, Any]:
        all_of = self.device.counters()
        found: dict[str, Any] = {"overruns": all_of["overruns"], "peak bytes": all_of["peak_bytes"]}
        for number in range(len(self.values["periods"])):
            one = self.device.channel(number)
            lost = one["overwritten"] + one["dropped"] + one["flushed"]
            found[f"bus {number}"] = f"{one['delivered']} of {one['heard']} delivered, {lost} lost"
            if self.values["unplug"] or self.values["faults"]:
                found[f"bus {number}"] += f", {one['unheard']} while away"
            if one["asked"]:
                found[f"bus {number}"] += f", {one['sent']} of {one['asked']} sent"
        return found


def plugged(parts: Iterable[Part]) -> list[tuple[str, str]]:
    """Of parts that are adapters: which, and the name."""
    return [(part.values["adapter"], part.name) for part in parts if isinstance(part, UsbCan)]
