"""Pins and running threads as a value change dump, for GTKWave and other logic viewers."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from takt.result.pictures.scene import Scene


def _codes() -> list[str]:
    """Short identifiers: ! " # ..."""
    marks = [chr(c) for c in range(33, 127)]
    return marks + [a + b for a in marks for b in marks]


def _word(name: str) -> str:
    """A name of ASCII letters, digits and _, as the format wants; accents are dropped."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"\W+", "_", plain).strip("_") or "signal"


def signals(scene: Scene) -> list[tuple[str, str, list[tuple[int, int]]]]:
    """(scope, name, [(ns, level)]) of everything written."""
    found = []
    for pin in scene.pins:
        changes = [(round(t * 1000), v) for t, v in zip(pin.times, pin.levels, strict=True)]
        found.append(("pins", f"{_word(pin.name)}_{pin.pin}", changes))
    for thread in scene.threads:
        for background, suffix in ((False, ""), (True, "_spare")):
            changes = []
            for start, end in scene.stretches(thread.place, background):
                changes += [(int(start) * 1000, 1), (int(end) * 1000, 0)]
            found.append(("threads", _word(thread.name) + suffix, changes))
    for source in scene.stats.interrupts:
        changes = []
        for start, end, number in scene.handlers():
            if number == source.source:
                changes += [(int(start) * 1000, 1), (int(end) * 1000, 0)]
        found.append(("interrupts", _word(scene.source_name(source.source)), changes))
    return found


def write(scene: Scene, path: Path) -> None:
    """Writes the file; times in ns since the kernel's clock was 0."""
    table = list(zip(_codes(), signals(scene), strict=False))
    lines = [f"$comment {_word(scene.title)} on {_word(scene.board)} $end", "$timescale 1ns $end"]
    for scope in ("pins", "threads", "interrupts"):
        lines.append(f"$scope module {scope} $end")
        lines += [f"$var wire 1 {code} {name} $end" for code, (s, name, _) in table if s == scope]
        lines.append("$upscope $end")
    lines += ["$enddefinitions $end", "#0", "$dumpvars", *(f"0{code}" for code, _ in table), "$end"]
    rows = sorted(
        (at, index, level) for index, (_, signal) in enumerate(table) for at, level in signal[2]
    )
    last = 0
    for at, index, level in rows:
        if at != last:
            lines.append(f"#{at}")
            last = at
        lines.append(f"{level}{table[index][0]}")
    lines.append(f"#{max(last, scene.end * 1000)}")
    path.write_text("\n".join(lines) + "\n", encoding="ascii", errors="replace")
