"""takt check: is the program admitted, and with what bounds?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from takt.admission import duration
from takt.build import Build

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Check:
    build: Build

    @property
    def admitted(self) -> bool:
        admission = self.build.admission
        return admission is None or admission.admitted

    def as_dict(self) -> dict[str, Any]:
        admission = self.build.admission
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
            "admission": admission.as_dict() if admission else None,
            "refusals": [r.text for r in admission.refusals] if admission else [],
            "assumed": self.build.assumed,
            "threads": threads,
            "flash_bytes": self.build.flash_bytes,
            "ram_bytes": self.build.ram_bytes,
            "warnings": self.build.warnings,
        }

    def show(self, console: Console) -> None:
        """The verdict and what it rests on, as tables."""
        from rich.table import Table

        admission = self.build.admission
        if admission is None:
            console.print("no loop has a budget: nothing is promised, nothing to admit")
            return
        loops = Table(title=f"{self.build.name} on {self.build.board.name}", title_justify="left")
        loops.add_column("loop")
        for heading in ("C", "T", "C/T", "response", "deadline", "slack"):
            loops.add_column(heading, justify="right")
        for loop in admission.loops:
            bound = admission.bound_us(loop.name)
            late = bound is None or bound > loop.period_us
            loops.add_row(
                loop.name,
                duration(loop.budget_us),
                duration(loop.period_us),
                f"{loop.budget_us / loop.period_us:.3f}",
                duration(bound) if bound is not None else "never",
                duration(loop.period_us),
                "-" if late else duration(loop.period_us - (bound or 0)),
                style="red" if late else "",
            )
        console.print(loops)
        tests = Table(box=None, pad_edge=False)
        for heading in ("test", "left side", "bound", "verdict"):
            tests.add_column(heading, justify="left" if heading in ("test", "verdict") else "right")
        for name, test in (("Eq. 1", admission.eq1), ("hyperbolic", admission.hyperbolic)):
            verdict = "holds" if test.holds else "fails (sufficient only)"
            tests.add_row(name, f"{test.lhs:.4f}", f"{test.rhs:.4f}", verdict)
        tests.add_row("exact", "", "", "holds" if admission.admitted else "fails")
        console.print(tests)
        style = "bold green" if admission.admitted else "bold red"
        console.print(admission.explain(), style=style, markup=False, soft_wrap=True)
        for line in self.build.assumed:
            console.print(line, markup=False, soft_wrap=True)
