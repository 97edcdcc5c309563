"""Sketches for the pico, and what one sends to a strip of WS2812 LEDs.

A bit is high for 0.4 us or 0.8 us of 1.25 us, bytes go highest bit first, and 50 us of silence end
a frame.
"""

from __future__ import annotations

from pathlib import Path

from takt import boards
from takt.build.build import Build, build
from takt.machine.machine import Machine
from takt.machine.machines import machine_of

HZ = 125_000_000
SHORT, LONG, BIT, SILENCE, TOLERANCE = 0.4, 0.8, 1.25, 50, 0.15  # us


def decoded(edges: list[tuple[int, int]]) -> list[bytes]:
    """The frames in a list of (cycle, level). Times that are no bit's are an error."""
    frames, bits = [], ""
    rises = [cycle for cycle, level in edges if level]
    falls = [cycle for cycle, level in edges if not level and cycle > rises[0]]
    for n, (rise, fall) in enumerate(zip(rises, falls, strict=True)):
        high = (fall - rise) * 1e6 / HZ
        bit = min((SHORT, LONG), key=lambda us: abs(us - high))
        assert abs(high - bit) <= TOLERANCE, (n, high)
        bits += "01"[bit == LONG]
        whole = (rises[n + 1] - rise) * 1e6 / HZ if n + 1 < len(rises) else SILENCE + BIT
        if whole < SILENCE:
            assert abs(whole - BIT) <= TOLERANCE, (n, whole)
            continue
        assert len(bits) % 8 == 0
        frames.append(bytes(int(bits[k : k + 8], 2) for k in range(0, len(bits), 8)))
        bits = ""
    return frames


def sketch(folder: Path, text: str) -> Build:
    folder.mkdir()
    (folder / f"{folder.name}.ino").write_text(text)
    return build(folder, boards.load("pico"))


def wire_of(built: Build, pin: int, seconds: float = 0.02) -> tuple[list[tuple[int, int]], Machine]:
    machine = machine_of(boards.load("pico"))
    machine.load_elf(built.elf)
    machine.log_pin(pin)
    machine.run(int(seconds * HZ))
    assert machine.fault() is None
    return [(cycle, level) for cycle, _, level in machine.pin_edges()], machine
