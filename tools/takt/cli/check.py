"""takt check: is the program admitted, and with what bounds?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from takt.admit.admission import apart, duration
from takt.admit.blocking import ALL
from takt.build.build import Build
from takt.cli.console import print_line
from takt.result import pipe_tables
from takt.result.fitting import Fitted
from takt.result.jobs import Releases, releases

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from takt.admit.admission import Admission

# What the three bounds of an event take for granted.
EXPLAINED = (
    "safe bound: holds for any other loops and handlers that are admitted, from the start of the "
    "interrupt; no run's delivery may take longer.",
    "Equation 3: the paper's; takes for granted that budgets are used in one piece and run the "
    "moment they come back, and knows no overheads. Corrected: without its slip where the bottom "
    "half takes whole budgets.",
)
NO_BOUNDS = "no bounds: they take for granted that the program is admitted, and it is refused"


@dataclass(frozen=True)
class Check:
    build: Build

    @property
    def releases(self) -> Releases | None:
        """Of periodic threads."""
        return releases(self.build.threads)

    @property
    def admitted(self) -> bool:
        admission = self.build.admission
        refused = any(pipe.refusal for pipe in self.build.pipes)
        return admission is None or (admission.admitted and not refused)

    @property
    def refusals(self) -> list[str]:
        """Of loops, then of pipes."""
        admission = self.build.admission
        loops = [r.text for r in admission.refusals] if admission else []
        return loops + [pipe.refusal for pipe in self.build.pipes if pipe.refusal]

    def as_dict(self) -> dict[str, Any]:
        admission = self.build.admission
        verdict = {"verdict": "admitted" if self.admitted else "refused"}
        threads = [
            {
                "name": thread.name,
                "budget_us": thread.budget_us,
                "period_us": thread.period_us,
                "bound_us": admission.bound_us(thread.name) if admission else None,
                "stack_size": thread.stack_size,
                "stack_need": thread.stack_need,
            }
            for thread in self.build.threads
        ]
        return {
            "sketch": self.build.name,
            "board": self.build.board.name,
            "admission": admission.as_dict() | verdict if admission else None,
            "refusals": self.refusals,
            "assumed": self.build.assumed,
            "threads": threads,
            "sections": [held.as_dict() for held in self.build.sections],
            "events": [event.as_dict() for event in self.build.events],
            "pipes": [pipe.as_dict() for pipe in self.build.pipes],
            "releases": found.as_dict() if (found := self.releases) else None,
            "flash_bytes": self.build.flash_bytes,
            "ram_bytes": self.build.ram_bytes,
            "warnings": self.build.warnings,
        }

    def show(self, console: Console) -> None:
        """The verdict and what it rests on, as tables."""
        admission = self.build.admission
        if admission is None:
            console.print("no loop has a budget: nothing is promised, nothing to admit")
            for line in self.build.assumed:
                print_line(console, line)
            return
        console.print(self._loops(admission))
        console.print(_tests(admission))
        if self.build.sections:
            console.print(self._sections())
        if self.build.events:
            console.print(self._events())
            for line in self._explained(admission):
                print_line(console, line)
        if found := self.releases:
            print_line(console, found.explain())
        if self.build.pipes:
            console.print(pipe_tables.TITLE, style="italic")
            console.print(Fitted(pipe_tables.proved(self.build.pipes)))
            print_line(console, pipe_tables.EXPLAINED)
            for text in pipe_tables.refusals(self.build.pipes):
                print_line(console, text, "bold red")
        style = "bold green" if self.admitted else "bold red"
        text = admission.explain()
        if admission.admitted and not self.admitted:
            text = f"refused: pipes cannot keep their promises; their threads alone would be {text}"
        print_line(console, text, style)
        for line in self.build.assumed:
            print_line(console, line)

    def _explained(self, admission: Admission) -> tuple[str, ...]:
        if not admission.admitted:
            return (NO_BOUNDS,)
        return EXPLAINED if any(e.bound.safe_us for e in self.build.events) else ()

    def _loops(self, admission: Admission) -> Table:
        from rich.table import Table

        loops = Table(title=f"{self.build.name} on {self.build.board.name}", title_justify="left")
        loops.add_column("loop")
        several = ["CPU"] if admission.cpus > 1 else []
        for heading in (*several, "C", "T", "C/T", "response", "deadline", "slack"):
            loops.add_column(heading, justify="right")
        for loop in admission.loops:
            bound = admission.bound_us(loop.name)
            late = bound is None or bound > loop.shortest_us
            loops.add_row(
                loop.name,
                *(_cpu(admission.cpu_of.get(loop.name)) for _ in several),
                duration(loop.budget_us),
                duration(loop.period_us),
                f"{loop.budget_us / loop.period_us:.3f}",
                _bound(bound),
                duration(loop.shortest_us),
                "-" if late else duration(loop.shortest_us - (bound or 0)),
                style="red" if late else "",
            )
        return loops

    def _sections(self) -> Table:
        """Where threads hold others up, and which at most."""
        from rich.table import Table

        table = Table(title="sections: what they hold up", title_justify="left")
        for heading in ("of", "section", "where", "from", "at most", ""):
            table.add_column(heading, justify="right" if heading == "at most" else "left")
        for held in self.build.sections:
            first = "all" if held.ceiling == ALL else self.build.threads[held.ceiling].name
            length = "unknown" if held.us is None else duration(held.us)
            how = "" if held.us is None else "stated" if held.stated else "computed"
            row = (held.thread, held.lock, held.where, first, length, how)
            table.add_row(*row, style="red" if held.us is None else "")
        return table

    def _events(self) -> Table:
        """From the interrupt to its handler."""
        from rich.table import Table

        table = Table(title="events: from the interrupt to its handler", title_justify="left")
        table.add_column("handler")
        for heading in ("C / T", "share of\ninterrupts", "safe\nbound", "Equation 3", "corrected"):
            table.add_column(heading, justify="right", vertical="bottom")
        for event in self.build.events:
            bound = event.bound
            if not self.build.board.raw.get("delivery"):
                bounds = ["unknown"] * 3
            elif not self.admitted:
                bounds = ["-"] * 3
            else:
                bounds = [_bound(b) for b in (bound.safe_us, bound.paper_us, bound.corrected_us)]
            table.add_row(
                event.handler,
                f"{duration(event.budget_us)} / {duration(event.period_us)}",
                f"{duration(event.share.c_us)} / {duration(event.share.t_us)}",
                *bounds,
                style="" if bound.safe_us else "red",
            )
        return table


def _cpu(number: int | None) -> str:
    return "none" if number is None else str(number)


def _bound(us: int | None) -> str:
    return "never" if us is None else duration(us)


def _tests(admission: Admission) -> Table:
    from rich.table import Table

    tests = Table(box=None, pad_edge=False)
    for heading in ("test", "left side", "bound", "verdict"):
        tests.add_column(heading, justify="left" if heading in ("test", "verdict") else "right")
    for name, test in (("Eq. 1", admission.eq1), ("hyperbolic", admission.hyperbolic)):
        verdict = "holds" if test.holds else "fails (sufficient only)"
        tests.add_row(name, *apart(test.lhs, test.rhs, 4), verdict)
    tests.add_row("exact", "", "", "holds" if admission.admitted else "fails")
    return tests
