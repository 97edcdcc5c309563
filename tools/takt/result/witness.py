"""What the machine sees of a run, for its report: what threads and tasks alone were delivered, and
how long edges waited. QEMU and the simulated board see nothing of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from takt.admit.events import costs_of
from takt.code import task_table
from takt.code.facts import Facts
from takt.durations import duration_text
from takt.result import task_runs
from takt.result.delivered import CALL, Delivered, Tolerance
from takt.result.deliveries import NONE_WAITED, Waits
from takt.result.stats import Stats, ThreadStats

if TYPE_CHECKING:
    from takt.build.build import Build
    from takt.code.elf import Program

TASKS = "tasks"  # the thread that they share
MUCH = 0.8  # of a budget: what is less leaves as much for its wake-ups
HANDLERS = 64  # TAKT_WAITS_HANDLERS of the platform
WAITED_US = 2  # an interrupt: what is shorter is its entry, and another one before it


class Witness:
    """One machine that runs one program."""

    def __init__(self, machine: Any, build: Build, program: Program) -> None:
        self.machine, self.build, self.program = machine, build, program
        self.sees = getattr(machine, "sees_delivery", False)
        self.tasks_alone = task_table.alone(program)
        self._pieces: list[np.ndarray] = []
        self._waits: list[np.ndarray] = []
        if self.sees:
            self._ask()

    def _ask(self) -> None:
        if self.build.events:
            self.machine.log_waits(self.build.board.clock_hz * WAITED_US // 1_000_000)
        for thread in self.build.threads:
            self.machine.deliver(thread.stack, thread.stack + thread.stack_size)
        for unlock in Facts(self.program).functions("unlocks"):
            function = self.program.function_at(unlock)
            assert function is not None
            self.machine.deliver_yields(unlock, self.program.end_of(function))
        if self.tasks_alone:
            for task in task_table.read(self.program):
                self.machine.deliver_calls(task.run)

    def look(self) -> None:
        """Takes what has been recorded since it looked last."""
        if self.sees:
            self._pieces.append(self.machine.delivered())
            self._waits.append(self.machine.waits())

    def clock_us(self, now_us: float) -> float:
        """The kernel's clock. Tasks alone have its timer for themselves: there it is time since
        reset."""
        return now_us if self.tasks_alone else self.machine.clock_us()

    def delivered(self, us_per_cycle: float, offset_us: float) -> Delivered | None:
        """On the kernel's clock; None: it sees nothing."""
        if not self._pieces:
            return None
        return Delivered(np.concatenate(self._pieces), us_per_cycle, offset_us)

    def waits(self, us_per_cycle: float, offset_us: float) -> Waits:
        """When handlers of interrupts began that had waited, and for how long."""
        if not self._waits:
            return NONE_WAITED
        rows = np.concatenate(self._waits)
        top_us = costs_of(self.build.board).top_ns / 1000
        begun = rows["cycle"] * us_per_cycle - offset_us
        return Waits(begun, rows["cycles"] * us_per_cycle, top_us)

    def flash_waits(self) -> list[dict[str, Any]]:
        """What threads and handlers have waited for words that flash's cache did not hold."""
        if not self.sees:
            return []
        whose = {n: thread.name for n, thread in enumerate(self.build.threads)}
        whose[HANDLERS] = "handlers"
        found = {name: self.machine.flash_waits(n) for n, name in whose.items()}
        us = 1e6 / self.build.board.clock_hz
        return [
            {"name": name, "words": words, "us": cycles * us}
            for name, (words, cycles) in found.items()
            if words
        ]

    def tell_tasks(self, stats: Stats, seen: Delivered | None, end_us: float) -> None:
        """Fills in what of tasks alone nothing else tells."""
        if not self.tasks_alone or seen is None:
            return
        stats.tasks = task_runs.seen(self.program, seen, end_us)
        stats.others_us = seen.others_us(0, end_us, [CALL + n for n in range(len(stats.tasks))])


def too_short(threads: Sequence[ThreadStats]) -> list[str]:
    """Of which nothing was judged."""
    found = [t for t in threads if t.budget_us and t.period_us and not t.periods]
    if not found:
        return []
    names, longest = ", ".join(t.name for t in found), max(t.period_us or 0 for t in found)
    return [
        f"no period of {names} ended within the run, so nothing of it was judged: run for longer, "
        f"--seconds {-(-2 * longest // 1_000_000)}; C and T are milliseconds unless they say _us"
    ]


def spent_on_waking(stats: Stats) -> list[str]:
    """Loops that wait for budget, of which their own wake-ups took much."""
    found = []
    for thread in stats.threads if stats.others_us is not None else ():
        c_us, most = thread.budget_us, thread.cpu_us_max
        often = thread.blocked > thread.periods and thread.exhausted > 0
        if c_us and most is not None and often and most < MUCH * c_us:
            found.append(
                f"{thread.name} waited for budget {thread.exhausted} times in {thread.periods} "
                f"periods, though it ran for {duration_text(most)} of its {duration_text(c_us)} at "
                f"most in one: waking is paid from the budget too, here "
                f"{round(thread.blocked / max(1, thread.periods))} times a period, and small "
                "pieces of it come back together"
            )
    return found


def disagreements(stats: Stats, tolerance: Tolerance) -> list[str]:
    """Where the kernel counts more for a loop than the loop was delivered."""
    found = []
    for thread in stats.threads if stats.others_us is not None else ():
        if thread.name == TASKS and len(stats.tasks) > 1:
            continue  # what runs on top of another is not seen as theirs
        counted, seen = thread.kernel_cpu_us, thread.cpu_us
        starts = max(thread.periods, thread.blocked)
        if thread.budget_us and tolerance.differs(counted, seen, starts, thread.interrupted):
            found.append(
                f"{thread.name} was delivered {duration_text(seen)} of CPU on its budget, the "
                f"kernel counts {duration_text(counted)}: alarms of its own took the rest, as "
                "delays of a few microseconds do, or its account is wrong"
            )
    return found
