"""All that is known of a run, and the JSON object it makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from takt.errors import UserError
from takt.result.pictures import part_pictures
from takt.result.pictures.scene import Scene
from takt.result.stats import Stats
from takt.result.trace import Kind, Trace

if TYPE_CHECKING:
    from takt.build.build import Build
    from takt.world.parts.base import Held
    from takt.world.pictures import Picture


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


@dataclass
class Result:
    """All that is known of a run."""

    build: Build
    seconds: float
    stats: Stats
    trace: Trace
    scene: Scene
    world: dict[str, Any]
    serial: str
    stack_used: dict[int, int]
    isr_stack_used: int | None
    kernel_overhead_pct: float
    interrupted: bool = False  # by the user, so it was shorter than asked for
    warnings: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    raw_trace: bytes = field(default=b"", repr=False)
    taken: list[tuple[int, float]] = field(default_factory=list, repr=False)  # trace.taken_by()
    cpu_of: dict[int, int] = field(default_factory=dict)  # by place, if there are several
    pictures: dict[str, Picture] = field(default_factory=dict)  # of parts
    texts: dict[str, Held] = field(default_factory=dict)  # files of parts
    flash_waits: list[dict[str, Any]] = field(default_factory=list)  # of whom, words, us
    sections: list[str] = field(default_factory=list)  # that lasted longer than is stated
    out_of_memory: bool = False  # a malloc() failed
    failed: UserError | None = None  # a part of the sketch's own, so the run was shorter

    @property
    def broken(self) -> str:
        """Promises that were not kept; empty: all were."""
        lost = sum(found.lost for found in self.stats.pipes)
        short = [thread for thread in self.stats.threads if thread.short]
        told = [
            f"{thread.name} was delivered less than its C in {thread.short} of {thread.periods} "
            "periods"
            for thread in short
        ]
        later = self._later - sum(thread.misses for thread in short)
        told += [f"{_times(later)} something came later than promised"] * (later > 0)
        were = "packet of a pipe was" if lost == 1 else "packets of pipes were"
        told += [f"{lost} {were} lost"] * (lost > 0)
        return "; ".join([*told, *self.sections])

    @property
    def failures(self) -> list[str]:
        """What the program did not do, whoever is to blame: what fails more often than not."""
        told = [f"{self.failed.where}: {self.failed.what}"] if self.failed else []
        told += ["setup() has not ended: no loop has run"] * self._in_setup
        for job in self.stats.jobs:
            if 2 * (job.late + job.overruns) > job.releases:
                count = f"{job.late + job.overruns} of {job.releases} jobs of {job.name}"
                told.append(f"{count} were not finished at the next release")
        for thread in self.stats.threads:
            if thread.over:
                count = f"{thread.over} of {thread.periods} periods"
                told.append(f"{thread.name} was delivered more than its C, on budget, in {count}")
        for task in self.stats.tasks:
            if 2 * task.missed > task.releases:
                told.append(f"task {task.name} missed {task.missed} of {task.releases} releases")
        return told

    @property
    def _in_setup(self) -> bool:
        """Has setup() of a sketch not ended?"""
        sketch = any(thread.sketch_s for thread in self.build.threads)
        started = len(self.trace.of(Kind.START)) > 0
        return sketch and started and not len(self.trace.of(Kind.SETUP))

    @property
    def verdict(self) -> str:
        """What admission said, as a sentence, and whether it came true."""
        admission = self.build.admission
        said = admission.explain() if admission else "no loop has a budget: nothing to admit"
        counts = {
            "a job was late": sum(found.late for found in self.stats.jobs),
            "a job had overrun": sum(found.overruns for found in self.stats.jobs),
        }
        told = [f"{_times(count)} {what}" for what, count in counts.items() if count]
        return "; ".join([said, *([self.broken] if self.broken else []), *told])

    @property
    def _later(self) -> int:
        """How often something came later than promised."""
        late = sum(found.late for found in (*self.stats.deliveries, *self.stats.pipes))
        return late + sum(thread.misses for thread in self.stats.threads)

    @property
    def missed(self) -> int:
        """How often a promise was not kept: that of time, or that no pipe loses anything, or what
        the program states of its sections."""
        lost = sum(found.lost for found in self.stats.pipes)
        return self._later + lost + len(self.sections)

    @property
    def _measured(self) -> bool:
        """Is there anything to tell of loops?"""
        return self.build.trace and not self._in_setup

    def threads(self) -> list[dict[str, Any]]:
        """The rows of the JSON contract; what only the trace tells is None without it."""
        loops = {thread.place: thread for thread in self.build.threads}
        known = ("name", "budget_us", "period_us", "bound_us", "least_us")
        measured = (
            "cpu_us",
            "kernel_cpu_us",
            "periods",
            "cpu_us_min",
            "cpu_us_max",
            "exhausted",
            "background_us",
            "response_max_us",
            "misses",
            "short",
            "starved",
        )
        return [
            {key: getattr(thread, key) for key in known}
            | {key: getattr(thread, key) if self._measured else None for key in measured}
            | {"stack_used": self.stack_used.get(thread.place)}
            | {key: getattr(loops[thread.place], key) for key in ("stack_size", "stack_guard")}
            | {"io_c_us": thread.share_us[0], "io_t_us": thread.share_us[1]}
            | ({"cpu": self.cpu_of[thread.place]} if self.cpu_of else {})
            for thread in self.stats.threads
        ]

    def events(self) -> list[dict[str, Any]]:
        """Events per handler."""
        return [found.as_dict() for found in self.stats.deliveries]

    def pipes(self) -> list[dict[str, Any]]:
        """What went through each pipe."""
        return [found.as_dict() for found in self.stats.pipes]

    def jobs(self) -> list[dict[str, Any]]:
        """Periodic jobs per thread."""
        return [found.as_dict() for found in self.stats.jobs]

    def tasks(self) -> list[dict[str, Any]]:
        """Tasks, the most urgent first."""
        return [found.as_dict() for found in self.stats.tasks]

    def interrupts(self) -> list[dict[str, Any]]:
        """Handlers per source."""
        return [
            {
                "name": self.scene.source_name(s.source),
                "count": s.count,
                "total_us": s.total_us,
                "max_us": s.max_us,
            }
            for s in self.stats.interrupts
        ]

    def interrupt_stack(self) -> dict[str, int] | None:
        """Of the stack of main and the interrupts, if the board has one."""
        if self.isr_stack_used is None:
            return None
        return {"used": self.isr_stack_used, "size": self.build.isr_stack_size}

    def as_dict(self) -> dict[str, Any]:
        """The object that `takt run --json` prints."""
        admission = self.build.admission
        return {
            "sketch": self.build.name,
            "board": self.build.board.name,
            "virtual_s": self.seconds,
            "interrupted": self.interrupted,
            "timing": self.build.board.timing,
            "cpu_seen_by": "machine" if self.stats.others_us is not None else "kernel",
            "admission": admission.as_dict() if admission else None,
            "assumed": self.build.assumed,
            "threads": self.threads(),
            "interrupts": self.interrupts(),
            "interrupt_stack": self.interrupt_stack(),
            "events": self.events(),
            "pipes": self.pipes() if self.build.trace else [],
            "jobs": self.jobs() if self.build.trace else [],
            "tasks": self.tasks() if self.build.trace else [],
            "failures": [*([self.broken] if self.broken else []), *self.failures],
            "kernel_overhead_pct": self.kernel_overhead_pct if self.build.trace else None,
            "flash_bytes": self.build.flash_bytes,
            "ram_bytes": self.build.ram_bytes,
            "flash_waits": self.flash_waits,
            "world": self.world,
            "pictures": part_pictures.for_programs(self.pictures),
            "serial": self.serial,
            "warnings": self.warnings,
            "files": self.files,
        }

    def saved(self) -> dict[str, Any]:
        """What report.json holds: enough to show the report again."""
        board = self.build.board
        return {
            "result": self.as_dict(),
            "verdict": self.verdict,
            "costs_of": self.build.costs_of,
            "broken": self.broken,
            "failures": self.failures,
            "flash_size": board.flash.size,
            "ram_size": board.ram.size,
            "sources": {str(number): name for number, name in self.scene.sources.items()},
            "trace_end_us": self.trace.end,
            "taken": self.taken,
        }
