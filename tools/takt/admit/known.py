"""What the build knows of a program and admission at run time asks for
(kernel/change/load.c): bytes that are filled into the image, by address."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from takt.admit.admission import Admission, Interrupt
from takt.admit.events import Interrupts
from takt.admit.layout import Thread
from takt.admit.pipes import Pipes
from takt.code.elf import Program

HELD, OWN, OVERHEAD = "takt_held_us", "takt_own_irqs", "takt_io_overhead_us"
IRQ = struct.Struct("<3I")  # struct takt_admit_irq


def in_image(
    program: Program,
    verdict: Admission | None,
    threads: Sequence[Thread],
    pins: Interrupts,
    pipes: Pipes,
) -> dict[int, int]:
    """Nothing where the program does not ask."""
    if verdict is None:
        return {}
    pins_us = -(-sum(top.cost_ns for top in pins.tops()) // 1000)  # they come once at a time
    held = {place: us + pins_us for place, us in verdict.blocking_us(threads).items()}
    words = {(HELD, 4 * place): struct.pack("<I", us) for place, us in held.items()}
    rows = program.by_name[OWN].size // IRQ.size if OWN in program.by_name else 0
    for n, irq in enumerate(_merged(pipes.interrupts(), rows)):
        words[OWN, n * IRQ.size] = IRQ.pack(irq.cost_ns, irq.separation_us, irq.jitter_us)
    for io in pins.ios()[:1]:  # the same for all
        words[OVERHEAD, 0] = struct.pack("<I", io.overhead_us)
    return {
        program.by_name[name].address + offset + n: byte
        for (name, offset), word in words.items()
        if name in program.by_name
        for n, byte in enumerate(word)
    }


def _merged(irqs: list[Interrupt], rows: int) -> list[Interrupt]:
    """No more than there are rows: the last stands for all that follow, as often as the most
    frequent one."""
    if len(irqs) <= rows or not rows:
        return irqs[:rows]
    rest = irqs[rows - 1 :]
    cost_ns, apart_us = sum(i.cost_ns for i in rest), min(i.separation_us for i in rest)
    late_us = max(i.jitter_us for i in rest)
    return [*irqs[: rows - 1], Interrupt("others", cost_ns, apart_us, late_us)]
