"""A USB-CAN adapter on this machine: platform/usbcan, by time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from takt.build.platform_library import USB_CAN_ADAPTERS, library
from takt.can import candump
from takt.can.candump import CanFrame
from takt.errors import UserError

KINDS = {"hydra": 0, "gs": 1}
IN = {"hydra": 0x82, "gs": 0x81}  # endpoints
NAK, STALL, ERROR, BABBLE, GONE, BAD = -1, -2, -3, -4, -5, -6
EXTENDED, REMOTE, SENT = 1, 2, 4
STATES = ("stopped", "active", "warning", "passive", "bus-off")
FAULTS = (
    "stall",
    "short",
    "garbage",
    "late",
    "mute",
    "babble",
    "error",
    "bus-off",
    "bus-error",
    "unplug",
)
NEVER = 2**64 - 1  # ns
LONGEST = 1 << 20  # bytes of one transfer


@dataclass(frozen=True)
class Endpoint:
    """One of a device's descriptors."""

    address: int
    packet: int


@dataclass(frozen=True)
class Identity:
    """What a host is told before it asks."""

    vendor: int
    product: int
    version: int
    device_class: tuple[int, int, int]
    interface_class: tuple[int, int, int]
    endpoints: tuple[Endpoint, ...]
    high_speed: bool


class UsbDevice:
    """One adapter. Times are nanoseconds since it was made; see usbcan.h for what calls do."""

    def __init__(self, kind: str = "hydra", **settings: int) -> None:
        """settings: fields of struct usbcan_settings that are not to be the defaults."""
        self._ffi, self._lib = library(USB_CAN_ADAPTERS)
        if kind not in KINDS:
            raise UserError(
                f"no USB-CAN adapter is called {kind}", fix="one of " + ", ".join(KINDS)
            )
        chosen = self._ffi.new("struct usbcan_settings *")
        self._lib.usbcan_defaults(chosen, KINDS[kind])
        for name, value in settings.items():
            if not hasattr(chosen, name):
                raise UserError(f"a USB-CAN adapter has no setting {name}")
            setattr(chosen, name, value)
        self._memory = self._ffi.new("uint64_t[]", self._lib.usbcan_size() // 8 + 1)
        self._device = self._ffi.cast("struct usbcan *", self._memory)
        self.kind, self.channels = kind, chosen.channels
        self._done(self._lib.usbcan_init(self._device, chosen), f"settings {settings}")
        self._room = self._ffi.new("uint8_t[]", LONGEST)
        self._seen: Any = None
        self._coming: deque[CanFrame] = deque()

    def _done(self, result: int, what: str) -> None:
        if result == BAD:
            raise UserError(
                f"USB-CAN adapter: {what}: not possible", fix="see platform/usbcan/usbcan.h"
            )

    # The buses

    def traffic(self, channel: int, period_ns: int | tuple[int, int], **more: int) -> None:
        """Frames of others on a bus; more: further fields of struct usbcan_traffic."""
        shortest, longest = period_ns if isinstance(period_ns, tuple) else (period_ns, period_ns)
        fields = {"shortest_ns": shortest, "longest_ns": longest, "length": 8, **more}
        traffic = self._ffi.new("struct usbcan_traffic *", fields)
        result = self._lib.usbcan_traffic(self._device, channel, traffic)
        self._done(result, f"traffic {fields} on channel {channel}")

    def drain(self, channel: int, shortest_ns: int, longest_ns: int, seed: int = 0) -> None:
        """How often the others take a frame."""
        result = self._lib.usbcan_drain(self._device, channel, shortest_ns, longest_ns, seed)
        self._done(result, f"drain of channel {channel}")

    def play(self, frames: Iterable[CanFrame]) -> None:
        """Frames of others, in order of time; of bus can0 on channel 0, and so on."""
        self._coming = deque(frames)
        for frame in self._coming:
            if frame.id > (candump.EXTENDED if frame.extended else candump.STANDARD):
                raise UserError(f"{frame.id:#x} is no identifier")
            if self._channel_of(frame) >= self.channels:
                raise UserError(
                    f"the USB-CAN adapter has no bus {frame.bus}",
                    fix=f"use can0 to can{self.channels - 1}, or more channels",
                )
        self._feed()

    def _channel_of(self, frame: CanFrame) -> int:
        digits = frame.bus.removeprefix("can")
        return int(digits) if digits.isdecimal() else self.channels

    def _feed(self) -> None:
        """As many as the device has room for."""
        while self._coming:
            frame = self._coming[0]
            flags = EXTENDED * frame.extended | REMOTE * frame.remote
            channel = self._channel_of(frame)
            if self._inject(frame.ns, channel, frame.id, frame.data, flags) == BAD:
                return
            self._coming.popleft()

    def record(self) -> list[CanFrame]:
        """Every frame on a bus from now on, in this list."""
        frames: list[CanFrame] = []

        def seen(f: Any) -> None:
            data = bytes(f.data[0 : f.length])
            extended, remote = bool(f.flags & EXTENDED), bool(f.flags & REMOTE)
            data = b"" if remote else data
            frames.append(CanFrame(f.ns, f"can{f.channel}", f.id, data, extended, remote))

        self.watch(seen)
        return frames

    def inject(self, ns: int, channel: int, can_id: int, data: bytes = b"", flags: int = 0) -> None:
        """One frame of others."""
        result = self._inject(ns, channel, can_id, data, flags)
        self._done(result, f"frame {can_id:#x} of {len(data)} bytes on channel {channel}")

    def _inject(self, ns: int, channel: int, can_id: int, data: bytes, flags: int) -> int:
        fields = {"ns": ns, "channel": channel, "id": can_id, "flags": flags, "length": len(data)}
        frame = self._ffi.new("struct usbcan_frame *", fields)
        self._ffi.buffer(frame.data)[: len(data[:8])] = data[:8]
        return self._lib.usbcan_inject(self._device, frame)

    def watch(self, seen: Any) -> None:
        """Calls seen(frame) with a struct usbcan_frame at each frame on a bus."""
        self._seen = self._ffi.callback(
            "void(void *, const struct usbcan_frame *)", lambda _, frame: seen(frame)
        )
        self._lib.usbcan_watch(self._device, self._seen, self._ffi.NULL)

    # Faults

    def fault(self, kind: str, ns: int = 0, argument: int | None = None, count: int = 1) -> None:
        """From a time on; count 0: until it is plugged in anew. Arguments: usbcan.h; by default the
        endpoint IN, 20 bytes, seed 1, 50 ms, channel 0."""
        if kind not in FAULTS:
            raise UserError(f"no fault of a USB device is called {kind}", fix=", ".join(FAULTS))
        if argument is None:
            usual = {"stall": IN[self.kind], "short": 20, "garbage": 1, "late": 50_000_000}
            argument = usual.get(kind, 0)
        fault = self._ffi.new(
            "struct usbcan_fault *",
            {"ns": ns, "kind": FAULTS.index(kind), "argument": argument, "count": count},
        )
        self._done(self._lib.usbcan_fault(self._device, fault), f"fault {kind} {argument}")

    def plug(self, now: int, plugged: bool) -> None:
        self._lib.usbcan_plug(self._device, now, plugged)

    def reset(self, now: int) -> None:
        self._lib.usbcan_reset(self._device, now)

    # Transfers: bytes, or a negative result

    def control(self, now: int, setup: bytes, data: bytes = b"") -> bytes | int:
        size = int.from_bytes(setup[6:8], "little")
        given = data.ljust(size, b"\0")
        self._ffi.buffer(self._room)[: len(given)] = given
        done = self._lib.usbcan_control(self._device, now, setup, self._room, len(given))
        return done if done < 0 else bytes(self._ffi.buffer(self._room, done))

    def read(self, now: int, endpoint: int, size: int) -> bytes | int:
        size = min(size, LONGEST)
        done = self._lib.usbcan_in(self._device, now, endpoint, self._room, size)
        return done if done < 0 else bytes(self._ffi.buffer(self._room, done))

    def write(self, now: int, endpoint: int, data: bytes) -> int:
        return self._lib.usbcan_out(self._device, now, endpoint, data, len(data))

    def advance(self, now: int) -> None:
        while self._coming and self._coming[0].ns <= now:
            self._lib.usbcan_advance(self._device, self._coming[0].ns)
            self._feed()
        self._lib.usbcan_advance(self._device, now)
        self._feed()

    @property
    def next(self) -> int:
        """When something happens by itself, or NEVER."""
        return self._lib.usbcan_next(self._device)

    # What it knows

    def counters(self) -> dict[str, int]:
        return self._fields("struct usbcan_counters *", self._lib.usbcan_counters)

    def channel(self, channel: int) -> dict[str, int]:
        return self._fields(
            "struct usbcan_channel_counters *",
            lambda device, out: self._lib.usbcan_channel(device, channel, out),
        )

    def _fields(self, kind: str, fill: Any) -> dict[str, int]:
        out = self._ffi.new(kind)
        fill(self._device, out)
        names = [name for name, _ in self._ffi.typeof(out).item.fields if name != "reserved"]
        return {name: getattr(out, name) for name in names}

    def identity(self) -> Identity:
        """From its descriptors, as a host would read them."""
        device = self.control(0, bytes([0x80, 6, 0, 1, 0, 0, 18, 0]))
        rest = self.control(0, bytes([0x80, 6, 0, 2, 0, 0, 64, 0]))
        assert isinstance(device, bytes) and isinstance(rest, bytes)
        word = [int.from_bytes(device[at : at + 2], "little") for at in (8, 10, 12)]
        endpoints, interface = [], (0, 0, 0)
        while rest:
            if rest[1] == 4:
                interface = (rest[5], rest[6], rest[7])
            elif rest[1] == 5:
                endpoints.append(Endpoint(rest[2], rest[4] | rest[5] << 8))
            rest = rest[rest[0] :]
        high = any(endpoint.packet > 64 for endpoint in endpoints)
        return Identity(*word, tuple(device[4:7]), interface, tuple(endpoints), high)
