"""RAM as a picture: what lies where, coloured by owner, and a bar for each owner.

The map runs from the lowest address upwards in rows, as one reads; every piece is drawn to scale.
Of a memory that is mostly free, only what is used is drawn.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from takt.code.owners import FREE, OWNERS, Owned, Piece

COLOURS = dict(
    zip(
        OWNERS,
        (
            *("#b91c1c", "#f59e0b", "#1d4ed8", "#60a5fa", "#94a3b8", "#047857", "#6ee7b7"),
            *("#7c3aed", "#db2777", "#f9a8d4", "#78716c", "#e2e8f0", "#ffffff"),
        ),
        strict=True,
    )
)
INK, DARK = "#1f2933", {"#b91c1c", "#1d4ed8", "#047857", "#7c3aed", "#db2777", "#78716c"}
ROWS = 16  # at most
LABEL_SHARE = 0.055  # of a row: narrower pieces have no name


def draw(owned: Owned, title: str, ram_size: int, path: Path) -> None:
    """Writes the picture."""
    used = sum(owned.ram.values())
    shown = ram_size if used * 4 > ram_size else used
    row = 64
    while shown / row > ROWS:
        row *= 2
    rows = -(-shown // row)
    figure = Figure(figsize=(13, 2.2 + 0.42 * max(rows, len(owned.ram))), dpi=110)
    FigureCanvasAgg(figure)
    figure.suptitle(title, x=0.06, ha="left", fontsize=13, color=INK)
    grid = figure.add_gridspec(
        1, 2, width_ratios=(3, 1.25), left=0.06, right=0.97, top=0.9, bottom=0.1, wspace=0.3
    )
    _map(figure.add_subplot(grid[0]), owned, row, rows)
    _bars(figure.add_subplot(grid[1]), owned.ram, ram_size)
    figure.savefig(path)


def _map(axes, owned: Owned, row: int, rows: int) -> None:
    start = owned.map[0].address if owned.map else 0
    shown, digits = start - owned.origin, 4 if owned.origin else 8
    for piece in owned.map:
        at, left = piece.address - start, piece.size
        named = False
        while left > 0 and at < row * rows:
            size = min(left, row - at % row)
            named |= _block(axes, piece, at % row, at // row, size, row, named)
            at, left = at + size, left - size
    axes.set_xlim(0, row)
    axes.set_ylim(rows, 0)
    axes.set_yticks([n + 0.5 for n in range(rows)])
    axes.set_yticklabels([f"{shown + n * row:0{digits}x}" for n in range(rows)], family="monospace")
    axes.set_xticks([0, row // 4, row // 2, 3 * row // 4, row])
    axes.set_xlabel("bytes from the start of the row", color=INK)
    axes.tick_params(length=0, labelsize=9, colors=INK)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _block(axes, piece: Piece, x: int, y: int, size: int, row: int, named: bool) -> bool:
    """One stretch of a piece within a row; whether it has been given its name."""
    colour = COLOURS[piece.owner]
    edge = "#cbd5e1" if piece.owner == FREE else "white"
    axes.add_patch(Rectangle((x, y + 0.06), size, 0.88, facecolor=colour, edgecolor=edge, lw=0.7))
    text = piece.name if piece.owner != FREE else "free"
    if named or not text or size < LABEL_SHARE * row:
        return False
    most = max(3, int(size / row * 88))
    label = f"{text} {piece.size}"
    label = label if len(label) <= most else text[:most]
    ink = "white" if colour in DARK else INK
    axes.text(x + size / 2, y + 0.5, label, ha="center", va="center", fontsize=7.5, color=ink)
    return True


def _bars(axes, sums: dict[str, int], ram_size: int) -> None:
    order = sorted(sums, key=lambda owner: -sums[owner])
    axes.barh(order, [sums[o] for o in order], color=[COLOURS[o] for o in order], height=0.7)
    for place, owner in enumerate(order):
        text = f" {sums[owner]} B, {sums[owner] / ram_size:.1%}"
        axes.text(sums[owner], place, text, va="center", fontsize=9, color=INK)
    axes.invert_yaxis()
    axes.set_xlim(0, max(sums.values(), default=1) * 1.45)
    axes.set_xticks([])
    axes.tick_params(length=0, labelsize=9, colors=INK)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title("by owner", loc="left", fontsize=10, color=INK)
