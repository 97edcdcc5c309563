"""takt size: where flash and RAM go, by section and by loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from takt.build import Build
from takt.elf import Program

if TYPE_CHECKING:
    from rich.console import Console

# Which layer a file of the link belongs to is not in the ELF; sections and loops are.
MEANING = {
    ".boot2": "second stage of the boot ROM",
    ".vectors": "interrupt vectors",
    ".text": "code and constants",
    ".takt.threads": "order of the threads",
    ".data": "variables with an initial value (flash holds the value)",
    ".bss": "variables that start at zero",
    ".takt.tcbs": "what the kernel remembers of threads",
    ".trace": "trace ring",
    ".takt.guard": "catches stacks that overflow",
    ".takt.stack": "stacks of the threads",
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
    largest: list[tuple[str, str, int]]  # memory, symbol, bytes

    def as_dict(self) -> dict[str, Any]:
        board = self.build.board
        return {
            "sketch": self.build.name,
            "board": board.name,
            "flash_bytes": self.build.flash_bytes,
            "flash_size": board.flash.size,
            "ram_bytes": self.build.ram_bytes,
            "ram_size": board.ram.size,
            "sections": [{"name": r.name, "flash": r.flash, "ram": r.ram} for r in self.sections],
            "threads": [
                {"name": t.name, "stack_size": t.stack_size, "stack_need": t.stack_need}
                for t in self.build.threads
            ],
            "interrupt_stack": {
                "size": self.build.isr_stack_size,
                "need": self.build.isr_stack_need,
            },
            "largest": [
                {"memory": memory, "symbol": name, "bytes": size}
                for memory, name, size in self.largest
            ],
        }

    def show(self, console: Console) -> None:
        from rich.table import Table

        board = self.build.board
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
        stacks = Table(title="stacks in bytes", title_justify="left")
        stacks.add_column("thread")
        stacks.add_column("size", justify="right")
        stacks.add_column("need", justify="right")
        stacks.add_column("deepest chain of calls")
        for t in self.build.threads:
            need = f"{t.stack_need}{'?' if t.doubts else ''}"
            chain = " > ".join(_plain(name) for name in t.chain)
            stacks.add_row(t.name, str(t.stack_size), need, chain)
        size, need = self.build.isr_stack_size, self.build.isr_stack_need
        stacks.add_row("interrupts", str(size), str(need), "the deepest of each priority, nested")
        console.print(stacks)
        console.print(bar("flash", self.build.flash_bytes, board.flash.size))
        console.print(bar("RAM", self.build.ram_bytes, board.ram.size))


def bar(name: str, used: int, size: int, width: int = 40) -> str:
    """name ####...... used of size"""
    share = used / size
    filled = min(width, max(1, round(share * width))) if used else 0
    blocks = "█" * filled + "░" * (width - filled)
    return f"{name:5} {blocks} {used} of {size} bytes ({share:.1%})"


def measure(build: Build) -> Size:
    program = Program(build.elf)
    ram = range(build.board.ram.origin, build.board.ram.origin + build.board.ram.size)
    rows = []
    for section in program.sections:
        in_flash = section.size if section.in_image else 0
        in_ram = section.size if section.address in ram else 0
        if in_flash or in_ram:
            rows.append(Row(section.name, in_flash, in_ram, MEANING.get(section.name, "")))
    return Size(build, rows, _largest(program, ram))


def _largest(program: Program, ram: range) -> list[tuple[str, str, int]]:
    found = {
        symbol.address: ("RAM" if symbol.address in ram else "flash", symbol.name, symbol.size)
        for symbol in program.symbols
        if symbol.size and symbol.kind in ("FUNC", "OBJECT")
    }
    return sorted(found.values(), key=lambda row: -row[2])[:16]


def _plain(name: str) -> str:
    from takt.stacks import plain

    return plain(name)
