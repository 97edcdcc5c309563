"""Tables that fit into a terminal: one that is too wide comes as several, one below the other, each
with the first column, which says whose lines they are. No column is cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Column, Table

GAP = 2  # between columns


def _width(column: Column) -> int:
    cells = (column.header, *column.cells)
    return max(cell_len(line) for cell in cells for line in [*str(cell).splitlines(), ""])


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def parts(first: int, others: Sequence[int], room: int) -> list[range]:
    """Which of the columns behind the first stand in each table: as few tables as fit, and of these
    the widest as narrow as can be. From their widths."""
    for count in range(1, len(others) + 1):
        found = [
            [range(a, b) for a, b in zip((0, *cuts), (*cuts, len(others)), strict=True)]
            for cuts in combinations(range(1, len(others)), count - 1)
        ]
        widest = [max(_total((first, *(others[k] for k in part))) for part in one) for one in found]
        best = min(range(len(found)), key=lambda k: widest[k])
        if widest[best] <= room:
            return found[best]
    return [range(k, k + 1) for k in range(len(others))]


class Fitted:
    """A table as it fits."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = self.table.columns
        widths = [_width(column) for column in columns]
        chosen = parts(widths[0], widths[1:], options.max_width)
        for number, part in enumerate(chosen):
            if number:
                yield ""
            yield self._with([columns[0], *(columns[1 + k] for k in part)])

    def _with(self, columns: list[Column]) -> Table:
        table = Table(
            box=None, pad_edge=False, header_style="dim", padding=(0, GAP, 0, 0), expand=False
        )
        heads = [str(column.header) for column in columns]
        empty = all(head.startswith("\n") for head in heads)
        for column, head in zip(columns, heads, strict=True):
            table.add_column(head[empty:], justify=column.justify, no_wrap=True)
        for row in zip(*(column.cells for column in columns), strict=True):
            if any(str(cell) for cell in row[1:]):
                table.add_row(*row)
        return table
