"""A program of three tasks of wanted lengths, maybe one more that is triggered, and the oracle."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from takt.code.elf import Program, Symbol
from takt.machine.avr import DATA, AvrMachine

from .oracle import Oracle, TaskSeen
from .programs import MHZ, Made

NAMES = ("one", "two", "three")
JOB = 16  # bytes of struct job: length, mask, started, returned
AGAIN = 12  # ticks: a task that was interrupted before it could count does so then
TIMER = DATA + 0x81  # TCCR1B
RANK = DATA + 0x4B  # GPIOR2
SCHEDULERS = ("passes", "takt_task_piece_", "takt_task_look")
OUT_RANK, SEI = 0xBC0B, bytes.fromhex("7894")  # out GPIOR2, any register; sei
STRUCT, MARKED = 13, 400  # the paper's struct task; cycles from a return to the mark's end
HANDLER = "__vector_16"  # TIMER0_COMPA, which triggers
RET = bytes.fromhex("0895")
BEFORE = 3  # bytes of a record of Takt's before what is left and what was missed, in 8 bits


@dataclass
class Found:
    jobs: int = 0
    lost: int = 0
    late: int = 0
    doubled: int = 0
    missed: int = 0

    def add(self, other: Found) -> None:
        sums = (a + b for a, b in zip(astuple(self), astuple(other), strict=True))
        self.__init__(*sums)  # type: ignore[misc]

    @property
    def faults(self) -> int:
        return self.lost + self.late + self.doubled


class Trial:
    """tick: cycles, of which the tasks' periods are one, two and four."""

    def __init__(self, made: Made, tick: int, ours: bool) -> None:
        self.machine: AvrMachine = made.machine()
        self.tick, self.ours = tick, ours
        self.program = Program(made.elf)
        symbols = self.program.by_name
        self.in_turn = any(name.startswith("port_tasks_run_in_turn") for name in symbols)
        self.blind = not ours and "runningTasks" not in symbols  # the paper's, one at a time
        self.jobs = symbols["jobs"].address
        prefix = "takt_task_run_{}" if ours else "TickFct_{}"
        self.names = NAMES if ours else ("1", "2", "3")
        self.handler = symbols[HANDLER].address if "takt_task_run_event" in symbols else None
        if self.handler is not None:
            first = symbols["takt_task_event"].address < symbols["takt_task_one"].address
            self.names = ("event", *NAMES) if first else (*NAMES, "event")
        bodies = [symbols[prefix.format(name)] for name in self.names]
        self.starts = {body.address: number for number, body in enumerate(bodies)}
        self.ends = {at for body in bodies for at in self._returns(body)}
        self.ended: list[tuple[int, int]] = []  # task, cycles since the first tick
        self.composed = "takt_task_records" in symbols
        if ours and not self.in_turn:
            self.starts = dict.fromkeys(self._dispatched(), -1)
        self._to_main()

    def _returns(self, body: Symbol) -> list[int]:
        end = self.program.end_of(body)
        return [at for at in range(body.address, end, 2) if self.program.code(at)[:2] == RET]

    def _to_main(self) -> None:
        """Memory is set up by then."""
        main = self.program.by_name["main"].address
        self.machine.break_at(main)
        self.machine.run(MHZ * 1_000_000)
        self.machine.break_at(main, False)

    def lengths(self, lengths: list[int], masks: list[int], seed: int) -> None:
        for number, (length, mask) in enumerate(zip(lengths, masks, strict=True)):
            data = length.to_bytes(4, "little") + mask.to_bytes(4, "little")
            self.machine.write(self.jobs + number * JOB, data)
        self.machine.write(self.program.by_name["seed"].address, seed.to_bytes(4, "little"))

    def run(self, ticks: int) -> Found:
        """Ends between two ticks, when the last ones have been noticed."""
        while not self.machine.byte(TIMER):
            self.machine.step()
        first = self.machine.now + self.tick
        periods = [self.tick << NAMES.index(n) if n in NAMES else 0 for n in self.names]
        if not self.ours:
            periods = [self.tick << number for number in range(len(NAMES))]
        oracle = Oracle(first, periods, self.in_turn or self.blind)
        if self.composed and self.handler is not None:  # it finds no trigger then
            oracle.tasks[self.names.index("event")].next_release = first
        for address in (*self.starts, *self.ends, self.handler):
            if address is not None:
                self.machine.break_at(address)
        for more in range(AGAIN):
            self._follow(oracle, first, first + (ticks + more - 1) * self.tick + self.tick * 3 // 4)
            found = self._found(oracle)
            if not found.lost or not self.ours:
                break
        return found

    def _follow(self, oracle: Oracle, first: int, until: int) -> None:
        while self.machine.run(until).reason == "break":
            now = self.machine.now
            if self.machine.pc in self.ends:
                self.ended.append((oracle.running[-1], now - first))
                oracle.returned(now)
                continue
            if self.machine.pc == self.handler:
                oracle.trigger(self.names.index("event"), now)
                continue
            number = self._who()
            for other in self._unseen(number, oracle, now - first):
                oracle.start(other, now)
            if number not in oracle.running:  # else it has been interrupted here
                oracle.start(number, now)
        oracle.at(self.machine.now)

    def _who(self) -> int:
        """Who starts. Of Takt's the rank says so: just set, and interrupts are still off."""
        if self.starts[self.machine.pc] >= 0:
            return self.starts[self.machine.pc]
        rank = self.machine.byte(RANK)
        return rank // 2 if self.composed else len(self.names) - rank

    def _unseen(self, number: int, oracle: Oracle, at: int) -> list[int]:
        """Of the paper's: who has been interrupted between being marked and its first instruction.
        Not who has just returned and is marked still."""
        table = self.program.by_name.get("runningTasks") and self.program.by_name["tasks"].address
        if self.ours or not table:
            return []
        returned = {task for task, when in self.ended[-3:] if at - when < MARKED}
        absent = set(range(number + 1, len(NAMES))) - {*oracle.running, *returned}
        return [n for n in sorted(absent, reverse=True) if self.machine.byte(table + n * STRUCT)]

    def _dispatched(self) -> list[int]:
        """Where Takt's schedulers have set the rank: at a sei, soon before a call."""
        found = []
        for function in self.program.functions:
            for at in range(function.address, self.program.end_of(function) - 2, 2):
                before, here = (self.program.code(a)[:2] for a in (at - 2, at))
                out = int.from_bytes(before, "little") & 0xFE0F == OUT_RANK
                if here == SEI and out and function.name.startswith(SCHEDULERS):
                    found.append(at)
        return found

    def _found(self, oracle: Oracle) -> Found:
        found = Found()
        for number, task in enumerate(oracle.tasks):
            late = task.late + task.overdue()
            missed = self._noted(number)[0] if self.ours else 0
            lost = self._lost(number, task)
            found.add(Found(task.started, lost, late, task.doubled, missed))
        return found

    def _lost(self, number: int, task: TaskSeen) -> int:
        """Of the paper's schedulers everything that is missed is lost: they do not say so."""
        if not self.ours:
            return min(missed for _, missed in task.may_be)
        missed, waits = self._noted(number)
        if (waits, missed) in {(w, m % 256) for w, m in task.may_be}:
            return 0
        return max(1, min(w + m for w, m in task.may_be) - missed - waits)

    def _noted(self, number: int) -> tuple[int, int]:
        """What the scheduler says: missed, and whether it waits to be started."""
        at = self.program.by_name[f"takt_task_{self.names[number]}"].address
        left, missed = self.machine.read(at + BEFORE, 2)
        return missed, int(left >= 0x80)
