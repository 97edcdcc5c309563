"""The kernel itself on a board: kernel/kernel.c, executed instruction by instruction from the alarm
that releases all jobs until the CPU sleeps again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from takt import boards
from takt.build.build import Build, build
from takt.code.elf import Program
from takt.errors import UserError
from takt.machine.machine import Machine
from takt.paths import BUILD, shown

from .host import HERE

PERIOD_US = 20_000  # of kernel.c, unless told
WARM_PERIODS = 8
SOURCE = HERE / "kernel" / "kernel.c"
ENTRY = "exception entry and return"
RELEASING, STARTING, WAITING = PHASES = ("release", "first job", "jobs and waits")


@dataclass
class Window:
    """From an alarm until the CPU sleeps: cycles since the handler's first instruction."""

    entry: int  # cycles awake before that
    handler: int = 0  # its handler has returned
    ready: int = 0  # all jobs that are released are ready
    begun: list[int] = field(default_factory=list)  # first instruction of each job
    ended: list[int] = field(default_factory=list)  # first instruction after it
    asleep: int = 0
    where: Counter[tuple[str, str]] = field(default_factory=Counter)  # cycles by phase, function

    def phase(self) -> str:
        """What it is about."""
        return WAITING if self.begun else STARTING if self.ready else RELEASING

    def waits(self) -> list[int]:
        """From the end of each job to the next, and of the last until the CPU sleeps."""
        return [b - a for a, b in zip(self.ended, [*self.begun[1:], self.asleep], strict=True)]


def program(board: boards.Board, jobs: int, period_us: int = PERIOD_US) -> Build:
    """With so many jobs."""
    place = BUILD / "lab" / "ant" / board.name / f"kernel-{jobs}-{period_us}"
    folder = place / "kernel"
    folder.mkdir(parents=True, exist_ok=True)
    text = f'#define JOBS {jobs}\n#define PERIOD_US {period_us}\n#include "{SOURCE}"\n'
    main = folder / "kernel.c"
    if not main.exists() or main.read_text() != text:
        main.write_text(text)
    return build(folder, board, trace=False, out=place / "out", admit=False)


class Steps:
    """A machine with the program, stopped while it sleeps in the middle of a period."""

    def __init__(self, built: Build, wait_states: int) -> None:
        self.machine = Machine(built.board.chip, built.board.core, wait_states)
        self.machine.load_elf(built.elf)
        self.built, self.program = built, Program(built.elf)
        self.at = {
            name: self.machine.symbol(name) & ~1
            for name in ("takt_alarm_isr", "takt_periodic_look", "job")
        }
        self.period = PERIOD_US * built.board.clock_hz // 1_000_000
        self.names: dict[int, str] = {}
        self._run(WARM_PERIODS * self.period + self.period // 2, "time")

    def _run(self, until: int, reason: str) -> None:
        stop = self.machine.run(until)
        if stop.reason != reason:
            why = self.machine.fault() or f"not {reason} but {stop.reason}"
            raise UserError(f"the program stopped: {why}", shown(self.built.elf))

    def _where(self, pc: int) -> str:
        if pc not in self.names:
            found = self.program.function_at(pc)
            self.names[pc] = found.name.partition(".")[0] if found else "vector"
        return self.names[pc]

    def window(self) -> Window:
        """The next alarm, executed step by step."""
        machine, at = self.machine, self.at
        since, slept = machine.now, machine.sleep_cycles
        machine.break_at(at["takt_alarm_isr"])
        self._run(machine.now + 4 * self.period, "break")
        machine.break_at(at["takt_alarm_isr"], False)
        start = machine.now
        found = Window(start - since - (machine.sleep_cycles - slept))
        back: dict[int, str] = {}  # return addresses of what is looked for
        while True:
            before, pc, handler = machine.now, machine.register(15), machine.register(16) & 0x3F
            if what := back.pop(pc, ""):
                self._returned(found, what, before - start)
            if pc == at["job"]:
                found.begun.append(before - start)
            if pc in (at["job"], at["takt_periodic_look"]):
                back[machine.register(14) & ~1] = self._where(pc)
            machine.step()
            if machine.now == before:
                found.asleep = before - start
                return found
            changed = machine.register(16) & 0x3F != handler
            if changed and handler and not found.handler:
                found.handler = machine.now - start
            name = ENTRY if changed else self._where(pc)
            found.where[found.phase(), name] += machine.now - before

    @staticmethod
    def _returned(found: Window, what: str, cycle: int) -> None:
        if what == "job":
            found.ended.append(cycle)
        else:
            found.ready = cycle


@dataclass
class Measured:
    """One period."""

    release: Window  # of the alarm that releases the jobs
    others: list[Window]  # of further alarms

    @property
    def busy(self) -> int:
        """Cycles awake in the period."""
        return sum(w.entry + w.asleep for w in (self.release, *self.others))


def measure(board: boards.Board, jobs: int, wait_states: int = 0) -> Measured:
    """What the kernel does in a period of so many empty jobs."""
    steps = Steps(program(board, jobs), wait_states)
    release = steps.window()
    others: list[Window] = []
    while not (following := steps.window()).begun:
        others.append(following)
    if len(release.begun) != jobs or len(release.ended) != jobs:
        raise UserError(f"{len(release.begun)} of {jobs} jobs began", shown(SOURCE))
    return Measured(release, others)


def account(found: Measured) -> list[tuple[str, list[int]]]:
    """The cycles of the release's window: a function, and how many in each phase; largest first."""
    where = found.release.where
    names = {name for _, name in where}
    lines = [(name, [where[phase, name] for phase in PHASES]) for name in names]
    sums = [sum(cycles for (of, _), cycles in where.items() if of == phase) for phase in PHASES]
    return [("all", sums), *sorted(lines, key=lambda line: (-sum(line[1]), line[0]))]
