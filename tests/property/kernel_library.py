"""The kernel on its simulation port as a shared library, one for each length of the servers' lists.
What boards' costs are constants of are variables in it (costs.h)."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cffi
from oracle_program import Delivery, Segment
from takt.build import features

if TYPE_CHECKING:
    from programs import Program

REPO = Path(__file__).resolve().parents[2]
BUILD = REPO / "build/property"
HARNESS = REPO / "tests/property/harness.c"
COSTS = REPO / "tests/property/costs.h"
# Undefined behaviour stops the process; invariants are checked after every mutation.
FLAGS = ["-std=gnu11", "-O1", "-g", "-fPIC", "-DTAKT_CHECKS=1", "-DTAKT_DYNAMIC=1"]
FLAGS += ["-DTAKT_PERIODIC_TICK_US=1", "-include", str(COSTS)]
FLAGS += ["-DTAKT_TRACE_EVENTS=1", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]

DECLARATIONS = """
extern uint32_t harness_margin_us, harness_io_start_us, harness_piece_us;
struct op { uint32_t kind, a, b; };
struct event { uint64_t time; uint32_t kind, place, value; };
struct takt_replenishment { uint32_t at; uint32_t amount; };
struct takt_vcpu {
    uint32_t budget; uint32_t period; uint8_t flags, count, starved, jitter;
    struct takt_replenishment list[%d];
    uint32_t open;
    uint32_t next_start, given, left;
};
void harness_reset(uint32_t clock);
void harness_thread(uint32_t budget, uint32_t period, uint32_t jitter, uint32_t flags,
                    const struct op *ops, uint32_t count);
void harness_periodic(uint32_t budget, uint32_t period, uint32_t policy, const struct op *ops,
                      uint32_t count);
void harness_mutex(uint32_t i, uint32_t ceiling);
void harness_io(uint32_t numerator, uint32_t denominator, const struct op *ops, uint32_t count);
bool harness_line(uint32_t io, uint32_t place, uint32_t cost, uint64_t at, const uint32_t *gaps,
                  uint32_t count);
bool harness_interrupt(uint64_t at, uint32_t cost, uint32_t sem, uint32_t io, uint32_t places);
int harness_run(uint64_t until);
const char *harness_fatal(void);
uint32_t harness_events(const struct event **list);
const struct takt_vcpu *harness_vcpu(uint32_t place);
uint32_t harness_timeouts(uint32_t place);
uint32_t harness_current(void);
uint32_t harness_refused(void);
uint32_t harness_merged(uint32_t line);

void takt_server_start(struct takt_vcpu *v, uint32_t now);
void takt_server_wake(struct takt_vcpu *v, uint32_t now);
void takt_server_begin(struct takt_vcpu *v, uint32_t us, uint32_t now);
void takt_server_gather(struct takt_vcpu *v, uint32_t now);
bool takt_server_dispatch(struct takt_vcpu *v, uint32_t now);
int32_t takt_server_consume(struct takt_vcpu *v, uint32_t used, uint32_t now);
void takt_server_age(struct takt_vcpu *v, uint32_t now);
void takt_server_set_budget(struct takt_vcpu *v, uint32_t c_us, uint32_t from);
bool takt_server_sound(const struct takt_vcpu *v);
"""

EV_RUN, EV_READY, EV_CHUNK, EV_STARVED, EV_ISR, EV_DELIVER = 2, 3, 7, 8, 9, 15
EV_CLIENTS = 100  # the harness's
STOPS = {0: "time", 1: "halt", 2: "asleep", 3: "asked"}
NOBODY = 0xFF


SERVER = REPO / "kernel/budget/server.c"
replaced: tuple[Path, str] | None = None  # a file, and its text instead, to be noticed


def _sources(harness: Path) -> list[Path]:
    kernel = sorted([*(REPO / "kernel").glob("*/*.c"), *(REPO / "admission").glob("*.c")])
    kernel = [s for s in kernel if s.name != "trace.c" and not s.name.startswith("task")]
    return [*kernel, REPO / "port/sim/port.c", harness]


def _headers() -> list[Path]:
    found = sorted((REPO / "kernel").glob("*/*.h")) + sorted((REPO / "include/takt").glob("*.h"))
    return [*found, REPO / "port/sim/sim.h", COSTS, HARNESS.with_name("harness_run.h")]


def library(
    capacity: int = 8, margin: int = 0, start: int = 0, piece: int = 0
) -> tuple[cffi.FFI, Any]:
    """The kernel with these costs until this is called again; start: of a bottom half."""
    ffi, lib = _library(capacity, replaced)
    lib.harness_margin_us, lib.harness_io_start_us, lib.harness_piece_us = margin, start, piece
    return ffi, lib


def _compile(flags: list[str], sources: list[Path], target: Path) -> None:
    """Of several who compile the same, each moves its own there."""
    scratch = target.with_suffix(f".{os.getpid()}.tmp")
    uses = BUILD / "uses"  # all but tasks, of which a program would have to have one
    uses.mkdir(parents=True, exist_ok=True)
    header = uses / f"{os.getpid()}.tmp"
    header.write_text(features.header(features.known().keys() - {"TASKS"}))
    header.replace(uses / "takt_uses.h")
    command = ["cc", *flags, "-DTAKT_USES", f"-I{uses}"]
    command += [f"-I{folder}" for folder in (REPO / "include", REPO / "kernel")]
    subprocess.run([*command, *map(str, sources), "-o", str(scratch)], check=True)
    scratch.replace(target)


def _all_but(file: Path, harness: Path, flags: list[str]) -> list[Path]:
    """In one object, for all mutants of the file."""
    key = hashlib.sha256(f"{file} {' '.join(flags)}".encode())
    sources = [source for source in _sources(harness) if source != file]
    for path in [*sources, *_headers()]:
        key.update(path.read_bytes())
    target = BUILD / f"rest_{key.hexdigest()[:16]}.o"
    if not target.exists():
        _compile([*flags, "-r", "-nostdlib"], sources, target)
    return [target]


def built(harness: Path, flags: list[str], instead: tuple[Path, str] | None) -> Path:
    """The kernel with a harness, compiled when anything has changed."""
    digest = hashlib.sha256(f"{' '.join(flags)} {instead}".encode())
    for path in [*_sources(harness), *_headers()]:
        digest.update(path.read_bytes())
    target = BUILD / f"{harness.stem}_{digest.hexdigest()[:16]}.so"
    if not target.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        sources = _sources(harness)
        if instead:
            file, text = instead
            sources = [*_all_but(file, harness, flags), target.with_suffix(".c")]
            sources[-1].write_text(text)
            flags = [*flags, f"-I{file.parent}"]
        _compile([*flags, "-shared"], sources, target)
    return target


@functools.cache
def _library(capacity: int, instead: tuple[Path, str] | None) -> tuple[cffi.FFI, Any]:
    ffi = cffi.FFI()
    ffi.cdef(DECLARATIONS % capacity)
    flags = [*FLAGS, f"-DTAKT_REPLENISHMENTS={capacity}"]
    return ffi, ffi.dlopen(str(built(HARNESS, flags, instead)))


@dataclass(frozen=True)
class Run:
    """What the kernel did."""

    stop: str
    fatal: str
    segments: list[Segment]
    events: list[tuple[int, int, int, int]]  # time, kind, place, value
    servers: list[list[list[int]]]  # by place, dates in virtual time
    starved: list[int]
    timeouts: list[int]
    current: int
    deliveries: list[Delivery]
    merged: list[int]
    refused: int


def run_kernel(program: Program) -> Run:
    """Runs the same program as oracle_server.Simulation would; budgets exclude the margin."""
    ffi, lib = library(program.capacity, program.margin, program.start_cost, program.piece)
    lib.harness_reset(program.clock)
    _load(ffi, lib, program)
    stop = lib.harness_run(program.until)
    assert stop >= 0, "events were lost"
    pointer = ffi.new("const struct event **")
    count = lib.harness_events(pointer)
    raw = ffi.unpack(pointer[0], count) if count else []
    events = [(e.time, e.kind, e.place, e.value) for e in raw]
    places = range(len(program.threads))
    return Run(
        stop=STOPS[stop],
        fatal=ffi.string(lib.harness_fatal()).decode(errors="replace").strip(),
        segments=[
            Segment(time, None if place == NOBODY else place, place != NOBODY and not value & 1)
            for time, kind, place, value in events
            if kind == EV_RUN
        ],
        events=events,
        servers=[_server(ffi, lib.harness_vcpu(place), program) for place in places],
        starved=[lib.harness_vcpu(place).starved for place in places],
        timeouts=[lib.harness_timeouts(place) for place in places],
        current=lib.harness_current(),
        deliveries=[
            Delivery(time, place, value & 0xFFFFFF)
            for time, kind, place, value in events
            if kind == EV_DELIVER
        ],
        merged=[lib.harness_merged(i) for i in range(len(program.lines))],
        refused=lib.harness_refused(),
    )


def _load(ffi: cffi.FFI, lib: Any, program: Program) -> None:
    bottoms = [place for place, t in enumerate(program.threads) if t.share]
    for i, ceiling in enumerate(program.ceilings):
        lib.harness_mutex(i, ceiling)
    for t in program.threads:
        ops = ffi.new("struct op[]", list(t.script))
        if t.share:
            lib.harness_io(*t.share, ops, len(ops))
        else:
            budget = t.budget - program.margin if t.budget else 0
            lib.harness_thread(budget, t.period, t.shift, t.flags, ops, len(ops))
    for line in program.lines:
        io, gaps = bottoms.index(line.io), line.gaps
        assert lib.harness_line(io, line.place, line.cost, line.first, gaps, len(gaps))
    for i in program.interrupts:
        io = bottoms.index(i.io) if i.places else 0
        places = sum(1 << place for place in set(i.places))
        assert lib.harness_interrupt(i.at, i.cost, i.sem, io, places)


def _server(ffi: cffi.FFI, v: Any, program: Program) -> list[list[int]]:
    entries = ffi.unpack(v.list, v.count) if v.count else []
    return [[_unwrap(e.at, program.clock, program.until), e.amount] for e in entries]


def _unwrap(at: int, clock: int, now: int) -> int:
    """A date of the kernel's wrapping clock in virtual time, taken as the nearest to `now`."""
    difference = (at - clock - now) & 0xFFFFFFFF
    return now + (difference - (1 << 32) if difference >= 1 << 31 else difference)
