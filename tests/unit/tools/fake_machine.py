"""A machine without firmware: tests write down beforehand when the "board" changes pins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Stop:
    reason: str
    cycle: int
    detail: object = None


class FakeMachine:
    """The interface of takt.machine.machine.Machine, as far as the bench uses it."""

    hz = 125_000_000

    def __init__(self, edges: list[tuple[int, int, int]] = ()) -> None:  # type: ignore[assignment]
        self.now = 0
        self.coming = sorted(edges)  # cycle, pin, level
        self.ready: list[tuple[int, int, int]] = []
        self.writes: list[tuple[int, int, bool]] = []
        self.watched: set[int] = set()
        self.driven: list[tuple[int, int, int | None]] = []  # at, pin, level
        self.pulled_up: set[int] = set()
        self.switches: list[tuple[int, int, int, bool]] = []  # at, a, b, closed
        self.analog: list[tuple[int, int, float]] = []
        self.sent: list[tuple[int, int, bytes]] = []
        self.output: list[tuple[int, int]] = []  # cycle, byte on port 0
        self.listened: set[int] = set()  # ports that it stops for
        self.i2c: dict[tuple[int, int], object] = {}  # bus, address -> device
        self.spi: dict[tuple[int, int], object] = {}  # bus, select pin -> device
        self.spi_hz, self.spi_mode = 400_000, 0
        self.held: list[tuple[int, int, object, object, object]] = []  # at, bus, sda, scl, clocks
        self.waves: dict[int, object] = {}
        self.pwms: dict[int, tuple[float, float]] = {}
        self.firmware: list[tuple[int, object]] = []  # cycle, what it does then
        self.paused = False

    def log_pin(self, pin, on=True):
        pass

    def log_pin_writes(self, pin):
        pass

    def watch_pin(self, pin, on=True):
        self.watched.add(pin)

    def pin_level(self, pin):
        return 1  # by a pull-up

    def pin_drive(self, pin, level, at=None):
        self.driven.append((self.now if at is None else at, pin, level))

    def pin_pull_up(self, pin, on=True):
        self.pulled_up.add(pin)

    def pin_switch(self, a, b, closed):
        self.switches.append((self.now, a, b, closed))

    def adc_set(self, channel, volts):
        self.analog.append((self.now, channel, volts))

    def uart_send(self, port, data, at=None, baud=None):
        self.sent.append((self.now, port, data))

    def uart_take(self, port):
        taken = [b for b in self.output if port == 0 and b[0] <= self.now]
        self.output = [b for b in self.output if b not in taken]
        return taken

    def watch_uart(self, port):
        self.listened.add(port)

    def pin_edges(self):
        taken, self.ready = self.ready, []
        return taken

    def pin_writes(self):
        taken, self.writes = self.writes, []
        return taken

    def pin_pwm(self, pin):
        return self.pwms.get(pin)

    def i2c_device(self, bus, address, device):
        self.i2c[bus, address] = device

    def spi_device(self, bus, select, device):
        self.spi[bus, select] = device

    def spi_settings(self, bus):
        return self.spi_hz, self.spi_mode, 8

    def i2c_hold(self, bus, sda, scl, clocks=None):
        self.held.append((self.now, bus, sda, scl, clocks))

    def pin_wave(self, pin, half, start, stop=None, seed=None):
        self.waves[pin] = (half, start, stop, seed)

    def pin_wave_edges(self, pin):
        half, start, _, _ = self.waves[pin]
        return int((self.now - start) // (half if isinstance(half, float) else sum(half) / 2)) + 1

    def pause(self):
        self.paused = True

    # What firmware would do.

    def i2c_write(self, address, *data, bus=0):
        """A whole transaction; what was acknowledged."""
        device = self.i2c[bus, address]
        acks = [device.start(False)] + [device.write(byte) for byte in data]
        device.stop()
        return acks

    def i2c_read(self, address, count, register=None, bus=0):
        """A read, after a repeated start if a register is given."""
        device = self.i2c[bus, address]
        if register is not None:
            device.start(False)
            device.write(register)
        device.start(True)
        data = [device.read(n == count - 1) for n in range(count)]
        device.stop()
        return data

    def spi_transfer(self, select, *data, bits=8, bus=0):
        """One frame."""
        device = self.spi[bus, select]
        device.select()
        answer = [device.transfer(word, bits) for word in data]
        device.deselect()
        return answer

    def run(self, until):
        self.paused = False
        while self.firmware and self.firmware[0][0] <= until:
            self.now, action = self.firmware.pop(0)
            action()
            if self.paused:
                return Stop("time", self.now)
        while self.coming and self.coming[0][0] <= until:
            edge = self.coming.pop(0)
            self.now = edge[0]
            self.ready.append(edge)
            self.writes.append((*edge[:2], True))
            if edge[1] in self.watched:
                return Stop("pin", edge[0])
        coming = [cycle for cycle, _ in self.output if self.now < cycle <= until]
        self.now = min(coming) if coming and 0 in self.listened else until
        return Stop("time", self.now)
