"""Runs a built sketch on the virtual platform, in its world, and says what happened.

The image that runs is the one that would be flashed. Stacks are painted before the start, so that
afterwards their deepest use can be seen; the trace is drained while the machine runs.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

from takt import (
    boards,
    can_adapters,
    created,
    deliveries,
    jobs,
    pipe_records,
    pipe_traffic,
    task_table,
)
from takt.bench import Bench
from takt.budgets import START_US
from takt.elf import Program
from takt.errors import UserError
from takt.events import costs_of
from takt.ninja import Progress
from takt.onboard import HIDDEN
from takt.parts.usb_can import UsbCan
from takt.paths import shown
from takt.result import Result
from takt.scene import PinTrace, Scene
from takt.stats import analyse
from takt.trace import decode

if TYPE_CHECKING:
    from takt.build import Build
    from takt.world import World

PAINT = 0xA5
ISR_STACK = "__takt_isr_stack_start"
CPU_OF, PLACES = "takt_cpu_of", 64  # by place, at most so many
SENTINEL_BYTES = 4  # the kernel's own word at the end of a stack
SLICE_NS = 10_000_000  # between two looks at trace, pins and progress,
SLICE_EVENTS = 512  # with a ring of so many events; sooner with a smaller one
TRACE_CHANNEL = 1
ALARM_SOURCE = 0xFE  # TAKT_ALARM_SOURCE
DISPATCH_SOURCE = 0xFD  # TAKT_DISPATCH_SOURCE
KICK_SOURCE = 0xFC  # TAKT_KICK_SOURCE

FIXES = {
    1: "give the loop more stack: loop(id, C, T, stack bytes), or use less",
    2: "look for a null or wild pointer; the address is in the line above",
    8: "do less in functions given to attachInterruptIsr()",
    4: "do not call delay(), Serial or wait for anything in an interrupt or holding a mutex",
}


def run(
    build: Build,
    world: World,
    seconds: float,
    out_dir: Path,
    progress: Progress | None = None,
    cpus: int = 1,
) -> Result:
    """Runs for `seconds` of virtual time and writes the files of the report to out_dir.

    Raises UserError when the firmware stops: a fatal error of the kernel, a fault, a breakpoint.
    """
    from takt.outputs import write_files

    session = _Session(build, world, cpus)
    session.go(seconds, progress)
    result = session.result(seconds)
    write_files(result, out_dir)
    return result


class _Session:
    """One machine with one program and one world."""

    def __init__(self, build: Build, world: World, cpus: int = 1) -> None:
        from takt.machines import machine_of

        self.build, self.world, self.cpus = build, world, cpus
        self.machine = machine_of(build.board, cpus)
        self._plug()
        self.machine.load_elf(build.elf)
        for thread in build.threads:
            self.machine.write(thread.stack, bytes([PAINT]) * thread.stack_size)
        if build.isr_stack_size:
            self._paint_isr_stack(build.isr_stack_size)
        self.traced = bytearray()
        self.bench = Bench(self.machine, world, build.board.clock_hz)

    def _plug(self) -> None:
        """What is in the board's USB ports."""
        for part in self.world.parts.values():
            if isinstance(part, UsbCan):
                if "usb" not in self.build.board.capabilities:
                    raise UserError(
                        f"{self.build.board.name} has no USB ports, for {part.name}",
                        shown(self.build.sketch.folder / "world.toml"),
                        f"use --board {' or '.join(boards.with_capability('usb'))}",
                    )
                try:
                    self.machine.usb.plug(part.device, part.port)
                except UserError as error:
                    place = shown(self.build.sketch.folder / "world.toml")
                    what = f"{part.name}: {error.what}"
                    raise UserError(what, place, f'give {part.name} another port = "2"') from error

    def _paint_isr_stack(self, size: int) -> None:
        """As far as no code is there: the pico's boot ROM begins a program at its end."""
        lowest = self.machine.symbol(ISR_STACK)
        code = self.machine.pc - lowest
        self.machine.write(lowest, bytes([PAINT]) * (code if 0 <= code < size else size))

    def go(self, seconds: float, progress: Progress | None) -> None:
        end, done = self.bench.cycles(seconds * 1e9), 0
        step = self.bench.cycles(SLICE_NS * min(1, self._ring() / SLICE_EVENTS))
        while done < end:
            done = min(end, done + step)
            stop = self.bench.run(done)
            self.traced += self.machine.rtt_take(TRACE_CHANNEL)
            if stop is not None:
                raise self._stopped(stop.cycle)
            if progress:
                progress(f"{done / self.bench.hz:.2f} of {seconds:g} s", done, end)
        if self._fatal()[0]:
            raise self._stopped(self.machine.now)
        self.bench.finish()

    def _ring(self) -> int:
        """Events that have room until somebody looks."""
        return SLICE_EVENTS if self.machine.empties_rings else self.build.ring or SLICE_EVENTS

    def _fatal(self) -> tuple[int, int, int]:
        """The kernel's record of a fatal error: code (0: none), place, address of the reason."""
        if not self.machine.has_symbol("takt_fatal_record"):
            return 0, 0, 0  # the program does not tell
        address = self.machine.symbol("takt_fatal_record")
        code, place = struct.unpack("<II", self.machine.read(address, 8))
        return code, place, self.machine.pointer(address + 8)

    def _stopped(self, cycle: int) -> UserError:
        """Why the firmware ended, in words; cycle: when that was seen."""
        at = f"after {cycle / self.bench.hz:.6f} s"
        code, place, why = self._fatal()
        said = self.bench.text().splitlines()[-8:]
        where = shown(self.build.sketch.folder)
        if code:
            names = {thread.place: thread.name for thread in self.build.threads}
            who = f" in {names[place]}" if place in names else ""
            what = f"the program stopped {at}{who}: {self._string(why)}"
            return UserError(what, where, FIXES.get(code, ""), detail="\n".join(said))
        reason = self.machine.fault() or "it waits for ever with interrupts off"
        return UserError(
            f"the program stopped {at}: {reason}",
            where,
            "look at what it did last",
            detail="\n".join(said),
        )

    def _string(self, address: int) -> str:
        if not address:
            return "fatal error"
        text = b""
        while b"\0" not in text and len(text) < 120:  # it may lie at the end of RAM
            text += self.machine.read(address + len(text), 1)
        return text.split(b"\0")[0].decode("utf-8", "replace")

    def _used(self, lowest: int, size: int) -> int:
        """Bytes of a stack that no longer hold the paint."""
        stack = self.machine.read(lowest, size)[SENTINEL_BYTES:]
        return len(stack.lstrip(bytes([PAINT])))

    def _isr_stack_used(self) -> int | None:
        """Of the stack of main and the interrupts, if the board has one."""
        size = self.build.isr_stack_size
        return self._used(self.machine.symbol(ISR_STACK), size) if size else None

    def _cpu_of(self) -> bytes:
        """Who runs where by place, if there are several CPUs."""
        if self.cpus == 1:
            return b""
        return self.machine.read(self.machine.symbol(CPU_OF), PLACES)

    def _pins(self, offset_us: float) -> list[PinTrace]:
        """Pins that a part is wired to or that changed, on the kernel's clock."""
        labels = self.world.labels()
        names = {pin: name for name, pin in reversed(self.world.pins.items())}
        seen: dict[int, tuple[list[float], list[int]]] = {}
        for cycle, pin, level in self.bench.edges:
            times, levels = seen.setdefault(pin, ([], []))
            if level != (levels[-1] if levels else 0):
                times.append(max(self.bench.us(cycle) - offset_us, 0.0))
                levels.append(level)
        seen = {pin: changes for pin, changes in seen.items() if changes[0]}
        parts = self.world.everything().values()
        wires = [wire for part in parts for wire in part.pins()]
        driven = {wire.pin for wire in wires if wire.drives}
        voltages = {wire.pin for wire in wires if wire.analog}
        serial = {
            port[end] for port in self.build.board.serial.get("ports", []) for end in ("tx", "rx")
        }
        shown_pins = sorted(
            (
                pin
                for pin in {*labels, *seen}
                if pin in seen or (pin in labels and pin < HIDDEN and pin not in voltages)
                if pin in labels or self.world.chip.get(pin) not in serial
            ),
            key=lambda pin: (pin in driven, pin not in labels, pin),
        )
        return [
            PinTrace(
                labels.get(pin, names.get(pin, f"pin {pin}")),
                pin,
                pin not in driven,
                *seen.get(pin, ([], [])),
                self.world.terminal(pin),
            )
            for pin in shown_pins
        ]

    def result(self, seconds: float) -> Result:
        machine, program = self.machine, Program(self.build.elf)
        clock = machine.clock_us()
        offset = self.bench.us(machine.now) - clock
        trace = decode(bytes(self.traced), end=round(clock))
        made = pipe_records.made(machine, program)
        settled = created.settle(machine, program, self.build, trace, self._cpu_of(), made)
        trace, build = settled.trace, settled.build
        bounds = {
            t.name: build.admission.bound_us(t.name) if build.admission else None
            for t in build.threads
        }
        start_us = costs_of(build.board).start_us
        stats = analyse(trace, build.threads, bounds, start_us or START_US)
        stats.deliveries = deliveries.analyse(trace, build.events)
        every = [*build.pipes, *made.values()]
        stats.pipes = pipe_traffic.analyse(trace, every)
        stats.jobs = jobs.analyse(trace, build.threads, bounds)
        stats.tasks = task_table.analyse(trace, program)
        sources = {int(n): name for n, name in build.board.raw.get("irq", {}).items()}
        sources |= machine.sources
        sources.setdefault(ALARM_SOURCE, "alarm")
        sources.setdefault(DISPATCH_SOURCE, "scheduler")
        sources.setdefault(KICK_SOURCE, "other CPUs")
        scene = Scene(
            self.world.name or build.name,
            build.board.name,
            trace,
            stats,
            self._pins(offset),
            sources,
        )
        warnings = [*build.warnings, *machine.unimplemented(), *self.bench.warnings()]
        warnings += can_adapters.alone(program, self.world.parts.values())
        if stats.lost:
            warnings.append(f"the trace lost {stats.lost} events: figures of loops are too low")
        pins = len({pin for found in stats.deliveries for pin in found.pins})
        if pins > build.lines:
            warnings.append(
                f"{pins} pins interrupted, but {build.lines} were counted (one for each "
                "attachInterruptVcpu): bounds of delivery do not hold; write one for each pin"
            )
        return Result(
            build=build,
            seconds=seconds,
            stats=stats,
            trace=trace,
            scene=scene,
            world=self.bench.summary(),
            serial=self.bench.text(),
            stack_used={t.place: self._used(t.stack, t.stack_size) for t in self.build.threads},
            isr_stack_used=self._isr_stack_used(),
            kernel_overhead_pct=stats.overhead_pct,
            warnings=warnings,
            raw_trace=bytes(self.traced),
            cpu_of=settled.cpu_of,
            pictures={n: p.picture() for n, p in self.world.parts.items() if p.picture()},
            texts={n: t for p in self.world.parts.values() for n, t in p.files().items()},
        )
