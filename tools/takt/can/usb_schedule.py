"""The USB schedule of drivers/usb/schedule.c, compiled for the host and called by cffi."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from takt.admit.native import Native, declarations
from takt.declared import declared
from takt.paths import BUILD, ROOT

FOLDER = ROOT / "drivers/usb"
HEADER = FOLDER / "schedule.h"
SLOTS = 1024
BATCH = 255
NATIVE = Native(
    "the USB schedule",
    BUILD / "host/libtakt_usb_schedule.so",
    [FOLDER / name for name in ("schedule.c", "schedule_bulk.c", "wire_time.c")],
    [HEADER, FOLDER / "schedule_own.h", FOLDER / "host.h", ROOT / "include/takt/types.h"],
)
TIMINGS = ("full", "high", "super")


@functools.cache
def _library() -> tuple[Any, Any]:
    text = declarations(HEADER.read_text()).replace("extern const", "extern")  # as cffi wants it
    ffi = declared(f"#define USB_SLOTS {SLOTS}\n{text}")
    return ffi, ffi.dlopen(str(NATIVE.current()))


@dataclass(frozen=True)
class Timing:
    """ns; fields as struct usb_timing."""

    slot: int
    periodic: int
    control: int
    probe: int


def timing(name: str) -> Timing:
    native = getattr(_library()[1], f"usb_{name}_timing")
    return Timing(native.slot_ns, native.periodic_ns, native.control_ns, native.probe_ns)


def wire_ns(speed: int, isochronous: bool, inwards: bool, packet: int, size: int) -> int:
    """Time on the wire; speed as enum usb_speed."""
    ffi, lib = _library()
    return lib.usb_wire_ns(
        ffi.new("struct usb_wire *", (speed, isochronous, inwards, packet)), size
    )


def interval(wanted: int) -> int:
    return _library()[1].usb_interval(wanted)


class UsbSchedule:
    """A struct usb_schedule. Streams and reservations are named by numbers."""

    def __init__(self, bus: str = "high", grain: int = 1) -> None:
        self._ffi, self._lib = _library()
        self._schedule = self._ffi.new("struct usb_schedule *")
        self.code = self._lib.usb_schedule_init(
            self._schedule, self._ffi.addressof(self._lib, f"usb_{bus}_timing"), grain
        )
        self._streams: dict[int, Any] = {}
        self._bulk: dict[int, Any] = {}
        self._keep: list[Any] = []
        self._next = 0

    def _number(self) -> int:
        self._next += 1
        return self._next

    def add_all(self, wanted: Sequence[tuple[int, int]]) -> tuple[int, list[int]]:
        """(code, numbers) of streams (time in ns, interval in slots)."""
        array = self._ffi.new("struct usb_stream[]", [(time, of) for time, of in wanted])
        code = self._lib.usb_schedule_add_all(self._schedule, array, len(wanted))
        if code:
            assert not any(one.placed for one in array), "refused, but placed"
            return code, []
        self._keep.append(array)
        numbers = []
        for i, (time, of) in enumerate(wanted):
            assert (array[i].time_ns, array[i].interval) == (time, of), "the order has changed"
            number = self._number()
            self._streams[number] = array + i
            numbers.append(number)
        return code, numbers

    def add(self, time: int, of: int) -> tuple[int, int]:
        """(code, number)."""
        code, numbers = self.add_all([(time, of)])
        return code, numbers[0] if numbers else 0

    def remove(self, number: int) -> int:
        return self._lib.usb_schedule_remove(self._schedule, self._streams.pop(number))

    def offsets(self) -> dict[int, int]:
        """Of every stream placed."""
        return {number: one.offset for number, one in self._streams.items()}

    def reserve(self, packets: int, packet_ns: int, of: int, within: int) -> tuple[int, int]:
        """(code, number)."""
        bulk = self._ffi.new("struct usb_bulk *", (packets, packet_ns, of, within))
        code = self._lib.usb_schedule_reserve(self._schedule, bulk)
        number = self._number()
        if not code:
            self._bulk[number] = bulk
        return code, number

    def release(self, number: int) -> int:
        return self._lib.usb_schedule_release(self._schedule, self._bulk.pop(number))

    def bulk_slots(self) -> int:
        return self._lib.usb_schedule_bulk_slots(self._schedule)

    def room(self, of: int) -> int:
        return self._lib.usb_schedule_room(self._schedule, of)

    def sound(self) -> bool:
        return self._lib.usb_schedule_sound(self._schedule)

    def used(self) -> list[int]:
        """ns of streams in each slot."""
        return list(self._schedule.used)
