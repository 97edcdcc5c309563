"""Pipes as a program's memory has them: those defined in a linked program, and those that
tpipe() has made by the end of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from takt.admit.layout import Thread
from takt.admit.pipe_clients import find_clients
from takt.admit.pipe_library import ATTRS, Attrs, Bounds, Derived, Qos, Refused, derive
from takt.admit.pipes import Asked, End, Pipe, Pipes
from takt.code import structs
from takt.code.elf import Program
from takt.code.structs import POINTER

RECORD = "takt_record_"  # symbols of struct takt_pipe_record
FIELDS = (
    *((name, POINTER) for name in ("pipe", "thread", "end", "attrs")),
    *((name, "u64") for name in ("latency", "tput", "iobufsz", "texec_time")),
    ("channel", "u8"),
)
LINES = ("takt_uart_in_ops", "takt_uart_out_ops")  # whose endpoints are of one pipe each
END_FIELDS = (
    *((name, POINTER) for name in ("attrs", "ops", "bottom", "thread", "name", "driver")),
    ("packet", "u16"),
    ("direction", "u8"),
)
TOLD = "takt_tpipe_told"  # struct told of kernel/pipe/tpipe.c
TOLD_FIELDS = (
    *((name, "u64") for name in ("latency", "tput", "iobufsz", "texec_time")),
    ("end", POINTER),
    *((name, "u32") for name in ("budget", "period", "delay", "paper", "peak")),
    ("thread", POINTER),
    ("channel", "u8"),
)
TOLD_BYTES = 80
FIRST_NUMBER = 0x80  # of a pipe that tpipe() has made, in the trace


def find(program: Program, threads: Sequence[Thread], start_us: int) -> Pipes:
    """Those of a program. start_us: of budget that a start costs."""
    by_address = dict(zip(program.descriptors(), threads, strict=True))
    ends: dict[tuple[int, int], End] = {}
    asked = []
    records = sorted(
        s.address for s in program.symbols if s.name.startswith(RECORD) and s.kind == "OBJECT"
    )
    for address in records:
        record = structs.read(program, address, FIELDS)
        key = record["end"], record["attrs"]
        if key not in ends:
            ends[key] = _end(program, *key, by_address)
        qos = Qos(*(record[name] for name in ("latency", "tput", "iobufsz", "texec_time")))
        thread = by_address[record["thread"]]
        asked.append(Asked(thread.name, thread, ends[key], qos, record["channel"]))
    asked.sort(key=lambda one: one.thread.place)
    return Pipes(tuple(asked), start_us, tuple(ends.values()), find_clients(program, by_address))


def _end(program: Program, address: int, attrs: int, threads: dict[int, Thread]) -> End:
    found = structs.read(program, address, END_FIELDS)
    name = program.text(found["name"]) if found["name"] else "endpoint"
    lines = [program.by_name[ops].address for ops in LINES if ops in program.by_name]
    line = name if found["ops"] in lines else ""
    return End(
        name,
        address,
        Attrs(**structs.read(program, attrs, ATTRS)),
        found["direction"] == 1,
        threads.get(found["thread"]),
        threads.get(found["bottom"]),
        found["driver"],
        line,
        line in program.by_name,  # Arduino's object of that name is linked where it is used
    )


def made(machine: Any, program: Program) -> dict[int, Pipe]:
    """What tpipe() has made, if the program has it, by the threads' descriptors, with the bounds
    that it was admitted with."""
    if not machine.has_symbol(TOLD):
        return {}
    memory, at = structs.Running(machine, program.architecture), machine.symbol(TOLD)
    count = program.by_name[TOLD].size // TOLD_BYTES
    found = [structs.read(memory, at + TOLD_BYTES * i, TOLD_FIELDS) for i in range(count)]
    return {one["thread"]: _made(memory, i, one) for i, one in enumerate(found) if one["end"]}


def _made(memory: structs.Running, index: int, told: dict[str, int]) -> Pipe:
    end = structs.read(memory, told["end"], END_FIELDS)
    name = memory.text(end["name"]) if end["name"] else "endpoint"
    attrs = Attrs(**structs.read(memory, end["attrs"], ATTRS))
    place = FIRST_NUMBER + index
    own = f"tpipe {index}: {name}" + (f" {told['channel']}" if attrs.max_channels > 1 else "")
    thread = Thread(own, place, told["budget"], told["period"], 0, 0, 0)
    device = End(name, told["end"], attrs, end["direction"] == 1, None, None, end["driver"])
    qos = Qos(*(told[field] for field in ("latency", "tput", "iobufsz", "texec_time")))
    paper = derive(attrs, qos, 0)
    derived = Derived(
        told["budget"], told["period"], 0 if isinstance(paper, Refused) else paper.paper_us
    )
    asked = Asked(own, thread, device, qos, told["channel"])
    return Pipe(asked, derived, Bounds(told["delay"], told["paper"], told["peak"]))
