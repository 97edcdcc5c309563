"""The bench: runs a machine with a world around it.

The machine runs from one moment that matters to the next: an action a part asked for, a change of a
pin that a part answers, the end. Nothing reads a real clock, so two runs are the same.

A pin of the world is a pin of the chip, or a terminal of a carrier (a part behind a bus that has
pins of its own), or both. Parts do not notice the difference: they drive and watch pins here.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from takt.machine.wave import Wave
from takt.world import own_parts
from takt.world.onboard import place_of
from takt.world.own_bench import OwnBench
from takt.world.part_results import PartError
from takt.world.parts.settings import Reference, Track
from takt.world.wires import Wires

if TYPE_CHECKING:
    from takt.world.parts import Part
    from takt.world.parts.base import Held
    from takt.world.pictures import Picture
    from takt.world.world import World

Edge = tuple[int, int, int]  # cycle, pin, level
PORTS = (0, 1)
STOPS = ("halt", "fault", "break")
EDGES_KEPT = 200_000  # per pin
WAVE_EDGES_KEPT = 20_000  # of a wave, whose edges the bench otherwise never sees


class Bench(Wires):
    """A world on a machine. Parts use `drive`, `level`, `wave`, `pwm`, `send`, `analog`, `at`,
    `value`, and what Wires has; carriers also `changed` and `wrote`."""

    def __init__(self, machine: Any, world: World, hz: int) -> None:
        super().__init__(hz)
        self.machine, self.world = machine, world
        self.edges: list[Edge] = []  # every change of every pin, from either side
        self.serial: dict[int, list[tuple[int, int]]] = {port: [] for port in PORTS}
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = 0
        self._lookers: dict[int, list[Part]] = {}
        self._writers: dict[int, list[Any]] = {}
        self._counts: dict[int, int] = {}
        self._waves: dict[int, Wave] = {}
        self._goal: int | None = None  # where the machine is running to
        self.failed: PartError | None = None  # the first of the sketch's own parts to do so
        self._pin_of = {chip: pin for pin, chip in self.world.chip.items()}
        self._connect()

    def _connect(self) -> None:
        for chip in sorted(self._pin_of):
            self.machine.log_pin(chip, True)
        for part in self.world.parts.values():
            self.starting = part.name
            for wire in part.pins():
                if not wire.drives or wire.prompt:
                    self._lookers.setdefault(wire.pin, []).append(part)
                if wire.prompt and wire.pin in self.world.chip:
                    self.able("watch_pin")(self.world.chip[wire.pin], True)
            for port in part.ports():
                self.machine.watch_uart(port)
        for name, part in self.world.everything().items():
            self.starting = name
            with own_parts.told():
                part.connect(OwnBench(self, part) if own_parts.is_own(type(part)) else self)
                part.start(part.bench)
        for stimulus in self.world.stimuli:
            stimulus.start(self)

    @property
    def now(self) -> int:
        """The cycle that the machine has reached."""
        return self.machine.now

    def at(self, cycle: int, action: Callable[[], None]) -> None:
        """Calls action when the machine has reached a cycle; at once if it already has."""
        self._order += 1
        heapq.heappush(self._queue, (cycle, self._order, action))
        if self._goal is not None and cycle < self._goal:
            self.machine.pause()  # asked for by a part the firmware is talking to

    def drive(self, pin: int, level: int | None, cycle: int) -> None:
        """Drives a pin from outside from a cycle on; None lets it go."""
        cycle = max(cycle, self.machine.now)
        chip, carrier = self.world.chip.get(pin), self.world.carrier(pin)
        if chip is not None:
            self.machine.pin_drive(chip, level, at=cycle)
        if carrier is not None:
            self.at(cycle, lambda: carrier.outside(pin, level, cycle))
        if level is not None:
            self._keep(cycle, pin, level)
        else:  # whoever pulls at it decides
            self.at(cycle + 1, lambda: self._keep(cycle, pin, self.level(pin)))

    def level(self, pin: int) -> int:
        """The level of a pin now."""
        chip, carrier = self.world.chip.get(pin), self.world.carrier(pin)
        if chip is not None:
            return self.machine.pin_level(chip)
        return carrier.level(pin) if carrier else 0

    def wave(self, pin: int, wave: Wave) -> None:
        """Drives a pin with a wave, low until its first edge: cheap however fast it is. Nothing
        else may drive the pin."""
        chip, carrier = self.world.chip.get(pin), self.world.carrier(pin)
        if chip is not None:
            wave.drive(self.machine, chip)
        if carrier is not None:
            carrier.wave(pin, wave)
        self._waves[pin] = wave

    def wave_edges(self, pin: int) -> int:
        """How many edges the wave on a pin has had."""
        chip = self.world.chip.get(pin)
        if chip is not None:
            return self.machine.pin_wave_edges(chip)
        return self._waves[pin].edges_until(self.machine.now)

    def pwm(self, pin: int) -> tuple[float, float] | None:
        """Frequency in Hz and duty 0..1 when a PWM of the board drives the pin."""
        carrier = self.world.carrier(pin)
        found = carrier.pwm(pin) if carrier else None
        chip = self.world.chip.get(pin)
        return found if found or chip is None else self.machine.pin_pwm(chip)

    def changed(self, pin: int, level: int, cycle: int) -> None:
        """A carrier changed a pin, as the firmware told it."""
        self._keep(cycle, pin, level)
        for part in self._lookers.get(pin, ()):
            self._call(part.on_pin, pin, level, cycle)

    def wrote(self, pin: int, cycle: int, sure: bool = True) -> None:
        """The firmware wrote a pin, whether or not that changed it; not sure: it or another one."""
        for part in self._writers.get(pin, ()):
            part.on_write(pin, cycle, sure)

    def _keep(self, cycle: int, pin: int, level: int) -> None:
        """Remembers a change; a pin that changes too often is followed no further than needed."""
        count = self._counts[pin] = self._counts.get(pin, 0) + 1
        if count <= EDGES_KEPT:
            self.edges.append((cycle, pin, level))
        elif count == EDGES_KEPT + 1 and pin in self.world.chip and pin not in self._lookers:
            self.machine.log_pin(self.world.chip[pin], False)

    def warnings(self) -> list[str]:
        """What the pictures do not show."""
        often = [pin for pin, count in sorted(self._counts.items()) if count > EDGES_KEPT]
        labels = self.world.labels() if often else {}
        found = []
        for pin in often:
            place = self.world.terminal(pin) or place_of(pin)
            name = f"{labels[pin]} ({place})" if pin in labels else place
            found.append(
                f"{name} changed very often: files show its first {EDGES_KEPT} changes only"
            )
        return found

    def analog(self, pin: int, volts: float) -> None:
        """Puts a voltage on an analog pin, from now on."""
        converter = self.world.converter(pin)
        if converter is not None:
            converter.volts(pin, volts)
        else:
            self.machine.adc_set(self.world.adc_channel(pin), volts)

    def send(self, port: int, data: bytes, baud: int | None = None) -> None:
        """Sends bytes to a serial port of the board, from now on. baud: of who sends; None: as
        fast as the port is."""
        self.machine.uart_send(port, data, baud=baud)

    def value(self, source: Track | Reference, cycle: int) -> float:
        """What a setting says at a cycle."""
        if isinstance(source, Reference):
            return self.world.parts[source.part].quantity(source.quantity, cycle)
        return source.at(self.ns(cycle))

    def want_writes(self, part: Any) -> None:
        """The part's on_write() is called for every write of a pin it looks at."""
        for wire in part.pins():
            self._writers.setdefault(wire.pin, []).append(part)
            if wire.pin in self.world.chip:
                self.machine.log_pin_writes(self.world.chip[wire.pin])

    # Running.

    def run(self, until: int) -> Any | None:
        """Runs to a cycle. The stop, when the firmware ended before; None, too, when a part of the
        sketch's own failed."""
        with own_parts.prints_beside():
            while not self.failed:
                self._due()
                if self.machine.now >= until:
                    return None
                self._goal = min(until, self._queue[0][0]) if self._queue else until
                stop = self._call(self.machine.run, self._goal)
                self._goal = None
                self._dispatch()
                if stop and stop.reason in STOPS:
                    return stop
        return None

    def _call(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a method of a part, or what calls some. When one of the sketch's own fails, all
        that happened until then still comes to the others; then the run ends."""
        try:
            return method(*arguments)
        except own_parts.RAISED as error:
            when = f" after {self.machine.now / self.hz:.6f} s"
            self.failed = self.failed or own_parts.failure(error, when)
            if self._goal is not None:
                self.machine.pause()
            return None

    def _due(self) -> None:
        while self._queue and self._queue[0][0] <= self.machine.now and not self.failed:
            self._call(heapq.heappop(self._queue)[2])

    def _dispatch(self) -> None:
        for cycle, chip, level in self.machine.pin_edges():
            self.changed(self._pin_of[chip], level, cycle)
        if self._writers:
            for cycle, chip, sure in self.machine.pin_writes():
                self.wrote(self._pin_of[chip], cycle, sure)
        for port in PORTS:
            for cycle, byte in self.machine.uart_take(port):
                self.serial[port].append((cycle, byte))
                for part in self.world.parts.values():
                    self._call(part.on_byte, port, byte, cycle)

    def finish(self) -> None:
        """Ends the run: parts complete their figures, edges are in order and not beyond it."""
        now = self.machine.now
        with own_parts.prints_beside():
            for part in self.world.everything().values():
                self._call(part.finish, now)
        for pin, wave in self._waves.items():
            count = min(wave.edges_until(now), WAVE_EDGES_KEPT)
            self.edges += [(wave.edge(n), pin, 1 - n % 2) for n in range(count)]
        self.edges = sorted(edge for edge in self.edges if edge[0] <= now)

    def _each(self, what: Callable[[Part], Any]) -> dict[str, Any]:
        """Something of every part that has it, by the parts' names."""
        with own_parts.prints_beside():
            found = {n: self._call(what, part) for n, part in self.world.everything().items()}
        return {name: one for name, one in found.items() if one is not None}

    def summary(self) -> dict[str, Any]:
        """Every part's report."""
        return self._each(lambda part: part.summary())

    def files(self) -> dict[str, Held]:
        """What parts leave beside the report."""
        every = self._each(lambda part: part.files()).values()
        return {name: held for files in every for name, held in files.items()}

    def pictures(self) -> dict[str, Picture]:
        """What parts look like: by the name of the part, and that of the picture, if it has one."""
        every = self._each(lambda part: part.pictures()).items()
        return {f"{name} {one.name}".strip(): one for name, each in every for one in each}

    def text(self, port: int = 0) -> str:
        """What the board wrote on a serial port."""
        return bytes(byte for _, byte in self.serial[port]).decode("utf-8", "replace")
