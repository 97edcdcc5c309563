"""takt size: where flash and RAM go, by owner, by section and by loop, and a picture of RAM."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.build.build import Build
from takt.code.elf import Program
from takt.code.owners import OWNERS, Owned, owned
from takt.paths import shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

ISR_STACK = ".takt.isr_stack"
ON_TOP = (
    "need: of the deepest calls, and on top what an interrupt or being preempted there pushes, and "
    "the sentinel or guard at the end. What a run has used is less unless that has happened."
)
MEANING = {
    ".boot2": "second stage of the boot ROM",
    ".reset": "the start, which copies the program to RAM",
    ".flash": "what --flash leaves there",
    ".vectors": "interrupt vectors",
    ".takt.init": "start state of the chip",
    ".text": "code and constants",
    ".takt.threads": "order of the threads",
    ".data": "variables with an initial value (flash holds the value)",
    ".bss": "variables that start at zero",
    ".takt.tcbs": "what the kernel remembers of threads",
    ".trace": "trace ring",
    ".takt.guard": "catches stacks that overflow",
    ".takt.stack": "stacks of the threads",
    ISR_STACK: "stack of main and the interrupts",
    ".takt.core": "who is ready, who runs",
}


@dataclass(frozen=True)
class Row:
    name: str
    flash: int
    ram: int
    meaning: str = ""


@dataclass(frozen=True)
class Size:
    build: Build
    sections: list[Row]
    owned: Owned
    largest: list[tuple[str, str, int]]  # memory, symbol, bytes
    guard: int  # of the interrupts' stack: its end that is not for use

    def as_dict(self) -> dict[str, Any]:
        board = self.build.board
        return {
            "sketch": self.build.name,
            "board": board.name,
            "flash_bytes": self.build.flash_bytes,
            "flash_size": board.flash.size,
            "ram_bytes": self.build.ram_bytes,
            "ram_size": board.ram.size,
            "owners": {
                o: {"flash": self.owned.flash.get(o, 0), "ram": self.owned.ram.get(o, 0)}
                for o in OWNERS
                if o in self.owned.flash or o in self.owned.ram
            },
            "files": {"memory_png": str(self.picture)},
            "sections": [{"name": r.name, "flash": r.flash, "ram": r.ram} for r in self.sections],
            "threads": [
                {
                    "name": t.name,
                    "stack_size": t.stack_size,
                    "stack_need": t.stack_need,
                    "stack_calls": t.stack_calls,
                }
                for t in self.build.threads
            ],
            "interrupt_stack": {
                "size": self.build.isr_stack_size - self.guard,
                "guard": self.guard,
                "need": self.build.isr_stack_need,
            },
            "largest": [
                {"memory": memory, "symbol": name, "bytes": size}
                for memory, name, size in self.largest
            ],
        }

    @property
    def picture(self) -> Path:
        return self.build.out / "memory.png"

    def draw(self) -> None:
        """Writes the picture."""
        from takt.result.pictures.memory_map import draw

        board = self.build.board
        used = f"{self.build.ram_bytes} of {board.ram.size} bytes of RAM"
        title = f"{self.build.name} on {board.name}: {used}"
        draw(self.owned, title, board.ram.size, self.picture)

    def show(self, console: Console) -> None:
        from rich.table import Table

        board = self.build.board
        table = Table(title=f"{self.build.name} on {board.name}, by owner", title_justify="left")
        table.add_column("")
        table.add_column("flash", justify="right")
        table.add_column("RAM", justify="right")
        for row in self.as_dict()["owners"].items():
            table.add_row(row[0], str(row[1]["flash"] or ""), str(row[1]["ram"] or ""))
        console.print(table)
        table = Table(title=f"{self.build.name} on {board.name}", title_justify="left")
        table.add_column("section")
        table.add_column("flash", justify="right")
        table.add_column("RAM", justify="right")
        table.add_column("")
        for row in self.sections:
            table.add_row(row.name, str(row.flash or ""), str(row.ram or ""), row.meaning)
        table.add_section()
        table.add_row("all", str(self.build.flash_bytes), str(self.build.ram_bytes), "bytes")
        console.print(table)
        console.print(self._stacks())
        console.print(ON_TOP, markup=False, style="dim")
        console.print(bar("flash", self.build.flash_bytes, board.flash.size))
        console.print(bar("RAM", self.build.ram_bytes, board.ram.size))
        console.print(f"picture  {shown(self.picture)}", markup=False, soft_wrap=True)

    def _stacks(self) -> Table:
        from rich.table import Table

        table = Table(title="stacks in bytes", title_justify="left")
        table.add_column("thread")
        for figure in ("size", "need", "calls", "on top"):
            table.add_column(figure, justify="right")
        table.add_column("deepest chain of calls")
        for t in self.build.threads:
            need = f"{t.stack_need}{'?' if t.doubts else ''}"
            chain = " > ".join(_plain(name) for name in t.chain)
            parts = (t.stack_size, need, t.stack_calls, t.stack_need - t.stack_calls)
            table.add_row(t.name, *map(str, parts), chain)
        size, need = self.build.isr_stack_size - self.guard, self.build.isr_stack_need
        guard = f", and {self.guard} of guard" if self.guard else ""
        what = f"the deepest of each priority, nested{guard}"
        table.add_row("interrupts", str(size), str(need), "", "", what)
        return table


def bar(name: str, used: int, size: int, width: int = 40) -> str:
    """name ####...... used of size"""
    share = used / size
    filled = min(width, max(1, round(share * width))) if used else 0
    blocks = "█" * filled + "░" * (width - filled)
    return f"{name:5} {blocks} {used} of {size} bytes ({share:.1%})"


def measure(build: Build) -> Size:
    program = Program(build.elf)
    ram = range(build.board.ram.origin, build.board.ram.origin + build.board.ram.size)
    rows, guard = [], _guard(program)
    for section in program.sections:
        in_flash = section.size if section.in_image else 0
        in_ram = section.size if section.address in ram else 0
        if in_flash or in_ram:
            meaning = MEANING.get(section.name, "")
            meaning += f", {guard} of guard" if guard and section.name == ISR_STACK else ""
            rows.append(Row(section.name, in_flash, in_ram, meaning))
    found = owned(program, build.out / "obj" / "linked.map", build.board.flash, build.board.ram)
    size = Size(build, rows, found, _largest(program, ram), guard)
    size.draw()
    return size


def _guard(program: Program) -> int:
    """Bytes of the interrupts' stack below what the build gives it."""
    start, used = (program.by_name.get(n) for n in ("__takt_isr_stack_start", "takt_stack_isr"))
    return used.address - start.address if start and used else 0


def _largest(program: Program, ram: range) -> list[tuple[str, str, int]]:
    found = {
        symbol.address: ("RAM" if symbol.address in ram else "flash", symbol.name, symbol.size)
        for symbol in program.symbols
        if symbol.size and symbol.kind in ("FUNC", "OBJECT")
    }
    return sorted(found.values(), key=lambda row: -row[2])[:16]


def _plain(name: str) -> str:
    from takt.code.names import plain

    return plain(name)
