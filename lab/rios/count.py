"""Cycles of a program with tasks: in their bodies, asleep, and the rest.

The rest is what a scheduler costs: everything the CPU executes outside of the tasks' functions,
interrupt entries and the way through main's loop included. Not counted are the cycles it sleeps and
the four in which it is halted when an interrupt wakes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from takt.code.elf import Program
from takt.machine.avr import SREG, AvrMachine

SLEEP = bytes.fromhex("8895")
RET = 2  # bytes: the last instruction of a body
ENTRY = 4  # cycles of an interrupt
VECTORS = range(4, 31 * 4)
INTERRUPTS = 0x80  # in SREG


@dataclass
class Count:
    """Cycles of a stretch of time."""

    rest: int = 0
    in_bodies: int = 0
    tick_path: int = 0  # of the rest: from an interrupt to the first body, or to sleeping again
    masked_max: int = 0
    runs: dict[str, int] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=dict)  # of the rest, by function


class Counter:
    """Runs a machine, instruction by instruction where it is in no body."""

    def __init__(
        self,
        machine: AvrMachine,
        program: Program,
        bodies: dict[str, range],
        vectors: Iterable[int],
    ) -> None:
        self.program = program
        self.machine, self.bodies = machine, bodies
        self.begin()
        for address in (*vectors, *(body[-1] + 1 - RET for body in bodies.values())):
            machine.break_at(address)

    def begin(self) -> None:
        """Counts from here on."""
        self.count = Count(runs=dict.fromkeys(self.bodies, 0))
        self.masked, self.in_tick = 0, False

    def to_first_sleep(self) -> None:
        """Up to the end of the start."""
        while self.machine.read(self.machine.pc, 2) != SLEEP:
            self.machine.step()

    def run(self, cycles: int) -> Count:
        until = self.machine.now + cycles
        while self.machine.now < until:
            pc = self.machine.pc
            body = next((name for name, where in self.bodies.items() if pc in where), None)
            if body:
                self._body(body, pc, until)
            else:
                self._outside(until)
        return self.count

    def _body(self, name: str, pc: int, until: int) -> None:
        """To its return, past that, or to an interrupt."""
        body, before = self.bodies[name], self.machine.now
        self.count.runs[name] += pc == body[0]
        self.in_tick, self.masked = False, 0
        if pc == body[-1] + 1 - RET:
            self.machine.step()
        else:
            self.machine.run(until)
        took = self.machine.now - before
        if self.machine.pc in VECTORS:
            self._enter()
            took -= ENTRY
        self.count.in_bodies += took

    def _outside(self, until: int) -> None:
        """An instruction, or sleep and the interrupt that ends it."""
        machine, before, masked = self.machine, self.machine.now, self._is_masked()
        name = self._where(machine.pc)
        machine.step()
        took = machine.now - before
        if not took:  # it is asleep
            machine.run(until)
            self.in_tick = False
            if machine.pc in VECTORS:
                self._enter()
            return
        entered = machine.pc in VECTORS and took > ENTRY
        self.count.rest += took - ENTRY * entered
        self.count.parts[name] = self.count.parts.get(name, 0) + took - ENTRY * entered
        self.count.tick_path += (took - ENTRY * entered) * self.in_tick
        self.masked = self.masked + took if masked else 0
        self.count.masked_max = max(self.count.masked_max, self.masked)
        if entered:
            self._enter()

    def _where(self, pc: int) -> str:
        if pc in VECTORS:
            return "jump of the vector"
        function = self.program.function_at(pc)
        return function.name if function else "start"

    def _enter(self) -> None:
        self.count.rest += ENTRY
        self.count.parts["entry of an interrupt"] = (
            self.count.parts.get("entry of an interrupt", 0) + ENTRY
        )
        self.count.tick_path += ENTRY
        self.in_tick, self.masked = True, ENTRY

    def _is_masked(self) -> bool:
        return not self.machine.register(SREG) & INTERRUPTS
