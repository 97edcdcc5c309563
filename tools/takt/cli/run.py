"""Runs a built sketch on the virtual platform, in its world, and says what happened.

The image that runs is the one that would be flashed. Stacks are painted before the start, so that
afterwards their deepest use can be seen; the trace is drained while the machine runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from takt import boards
from takt.admit import pipe_records
from takt.admit.blocking import own_sections
from takt.admit.events import costs_of
from takt.build import cmake
from takt.build.ninja import Progress
from takt.can import adapters as can_adapters
from takt.cli import interrupts
from takt.code.elf import Program
from takt.errors import UserError
from takt.machine import fatal_record, pc_usb
from takt.machine.allocations import Allocations
from takt.paths import shown
from takt.result import (
    created,
    delivered,
    deliveries,
    jobs,
    pin_traces,
    pipe_traffic,
    rebudgets,
    stated,
    stop_place,
    task_runs,
)
from takt.result.budgets import START_US
from takt.result.drained import Drained
from takt.result.pictures.scene import Scene, named_sources
from takt.result.result import Result
from takt.result.stats import analyse
from takt.result.trace import decode
from takt.result.witness import TASKS, Witness, disagreements, spent_on_waking, too_short
from takt.world.bench import Bench
from takt.world.parts.usb_can import UsbCan, plugged

if TYPE_CHECKING:
    from takt.build.build import Build
    from takt.world.world import World

PAINT = 0xA5
ISR_STACK = "__takt_isr_stack_start"
CPU_OF, PLACES = "takt_cpu_of", 64  # by place, at most so many
SENTINEL_BYTES = 4  # the kernel's own word at the end of a stack
SLICE_NS = 10_000_000  # between two looks at trace, pins and progress,
SLICE_EVENTS = 512  # with a ring of so many events; sooner with a smaller one
TRACE_CHANNEL = 1
STACKS = (1, 8)  # codes of overflows: what the stack held is gone

FIXES = {
    1: "use less, or give more: loop(id, C, T, bytes), SET_LOOP_TASK_STACK_SIZE(bytes)",
    2: "look for a null or wild pointer in this line",
    8: "do less in functions given to attachInterruptIsr()",
    4: "do not call delay(), Serial or wait for anything in an interrupt or holding a mutex",
}


def run(
    build: Build,
    world: World,
    seconds: float,
    progress: Progress | None = None,
    cpus: int = 1,
) -> Result:
    """Runs for `seconds` of virtual time. Raises UserError when the firmware stops: a fatal error
    of the kernel, a fault, a breakpoint."""
    session = _Session(build, world, cpus)
    with interrupts.noted() as interrupted:
        ran = session.go(seconds, progress, interrupted)
    result = session.result(ran)
    result.interrupted = interrupted()
    return result


class _Session:
    """One machine with one program and one world."""

    def __init__(self, build: Build, world: World, cpus: int = 1) -> None:
        from takt.machine.machines import machine_of

        self.build, self.world, self.cpus = build, world, cpus
        self.machine = machine_of(build.board, cpus)
        self.program = Program(build.elf)
        self._plug()
        self.machine.load_elf(build.elf)
        stop_place.watch_restart(self.machine, self.program)
        for thread in build.threads:
            self.machine.write(thread.stack, bytes([PAINT]) * thread.stack_size)
        if build.isr_stack_size:
            self._paint_isr_stack(build.isr_stack_size)
        self.witness = Witness(self.machine, build, self.program)
        self.stated = stated.Stated(self.machine, self.program, build.sections)
        stacks = [range(one.stack, one.stack + one.stack_size) for one in build.threads]
        looked_at = frozenset(self.stated.sections)
        self.allocations = Allocations(self.machine, self.program, stacks, looked_at)
        self.drained = Drained()
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

    def go(
        self,
        seconds: float,
        progress: Progress | None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> float:
        """Runs; returns for how long, which is less if it is interrupted."""
        end, done = self.bench.cycles(seconds * 1e9), 0
        step = self.bench.cycles(SLICE_NS * min(1, self._ring() / SLICE_EVENTS))
        while done < end and not (done and interrupted()) and not self.bench.failed:
            done = min(end, done + step)
            while self._goes_on(stop := self.bench.run(done)):
                pass
            self.stated.look()
            self.drained.add(self.machine.rtt_take(TRACE_CHANNEL), self._clock_us())
            self.witness.look()
            if stop is not None:
                raise self._stopped(stop.cycle)
            if progress:
                progress(f"{done / self.bench.hz:.2f} of {seconds:g} s", done, end)
        if fatal_record.read(self.machine, self.program).code:
            raise self._stopped(self.machine.now)
        self.bench.finish()
        done = self.machine.now if self.bench.failed else done
        return seconds if done >= end else done / self.bench.hz

    def _goes_on(self, stop: Any) -> bool:
        """It stands where something of the program is looked at."""
        return any([self.allocations.took(stop), self.stated.took(stop)])

    def _clock_us(self) -> float:
        return self.witness.clock_us(self.bench.us(self.machine.now))

    def _ring(self) -> int:
        """Events that have room until somebody looks."""
        return SLICE_EVENTS if self.machine.empties_rings else self.build.ring or SLICE_EVENTS

    def _stopped(self, cycle: int) -> UserError:
        """Why the firmware ended, and where, in words; cycle: when that was seen."""
        at = f"after {cycle / self.bench.hz:.6f} s"
        code, place, why = fatal_record.read(self.machine, self.program)
        said = [*self.build.warnings, *self.bench.text().splitlines()[-8:]]
        fix = "look at what it did last"
        if code:
            reason, fix = why, FIXES.get(code, "")
        else:
            reason = self.machine.fault() or "it waits for ever with interrupts off"
        error = UserError("", shown(self.build.sketch.folder), fix)
        names = {thread.place: thread.name for thread in self.build.threads}
        who = f" in {names[place]}" if code and place in names else ""
        if code not in STACKS:
            found = self._place(f"{self.bench.text()}\n{reason}", place if code else None)
            said += found.lines()
            reason, error.fix = found.reason(self.build.board, reason, fix)
            who = found.who or who or self._of_thread(found.stack_pointer)
            error.where = found.own.where if found.own else error.where
            error.facts = {"calls": [step.as_dict() for step in found.steps]}
        error.what, error.detail = f"the program stopped {at}{who}: {reason}", "\n".join(said)
        return error

    def _of_thread(self, sp: int) -> str:
        """Whose stack it points into, where nothing else tells."""
        own = (t.name for t in self.build.threads if 0 <= sp - t.stack < t.stack_size)
        return next((f" in {name}" for name in own), "")

    def _place(self, said: str, thread: int | None) -> stop_place.StopPlace:
        tool = cmake.target_libraries(self.build.board, "trace").tool("addr2line")
        return stop_place.find(self.machine, self.build, self.program, tool, said, thread)

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

    def result(self, seconds: float) -> Result:
        machine, program = self.machine, self.program
        clock = self._clock_us()
        offset = self.bench.us(machine.now) - clock
        trace = decode(bytes(self.drained.data), round(clock), self.drained.taken)
        made = pipe_records.made(machine, program)
        settled = created.settle(machine, program, self.build, trace, self._cpu_of(), made)
        trace, build = settled.trace, settled.build
        bounds = {
            t.name: build.admission.bound_us(t.name) if build.admission else None
            for t in build.threads
        }
        start_us = costs_of(build.board).start_us
        promised = rebudgets.promised(trace, build.threads, bounds, build.admission)
        bounds = {name: promised.longest(name) for name in bounds}
        tasks = task_runs.analyse(trace, program)
        promised = replace(
            promised,
            sections=own_sections(build.sections),
            unseen=frozenset([TASKS] if len(tasks) > 1 else []),  # one is on top of another
        )
        tolerance = delivered.tolerance_of(build.board, start_us)
        on_clock = 1e6 / self.bench.hz, offset
        seen = self.witness.delivered(*on_clock)
        stats = analyse(trace, build.threads, promised, start_us or START_US, seen, tolerance)
        stats.deliveries = deliveries.analyse(trace, build.events, self.witness.waits(*on_clock))
        stats.pipes = pipe_traffic.analyse(trace, [*build.pipes, *made.values()])
        stats.jobs = jobs.analyse(trace, build.threads, bounds)
        stats.tasks = tasks
        self.witness.tell_tasks(stats, seen, trace.end)
        scene = Scene(
            self.world.name or build.name,
            build.board.name,
            trace,
            stats,
            pin_traces.seen(self.bench, self.world, build.board, offset),
            named_sources(build.board.raw.get("irq", {}), machine.sources),
        )
        warnings = [
            *build.warnings,
            *promised.told,
            *machine.unimplemented(),
            *self.bench.warnings(),
        ]
        warnings += self.allocations.told() + self.stated.told()
        warnings += can_adapters.alone(program, plugged(self.world.parts.values()))
        warnings += pc_usb.refused(machine)
        warnings += disagreements(stats, tolerance)
        warnings += too_short(stats.threads) + spent_on_waking(stats)
        if stats.lost:
            warnings.append(f"the trace lost {stats.lost} events: figures of loops are too low")
        pins = len({pin for found in stats.deliveries for pin in found.pins})
        if pins > build.lines:
            warnings.append(
                f"{pins} pins interrupted, but {build.lines} were counted (one for each "
                "attachInterruptVcpu): bounds of delivery do not hold; write one for each pin"
            )
        result = Result(
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
            raw_trace=bytes(self.drained.data),
            taken=self.drained.taken,
            cpu_of=settled.cpu_of,
            pictures=self.bench.pictures(),
            texts=self.bench.files(),
            flash_waits=self.witness.flash_waits(),
            sections=self.stated.broken(build.board.clock_hz),
            out_of_memory=self.allocations.failed > 0,
        )
        result.failed = self.bench.failed
        if result.missed:
            beyond = [line for line in build.assumed if "not covered" in line]
            warnings.extend(f"a promise was not kept, and: {line}" for line in beyond)
        return result
