"""The kernel on its simulation port as a shared library, one per configuration."""

from __future__ import annotations

import functools
import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cffi
from oracle_server import Interrupt, Segment, Thread

REPO = Path(__file__).resolve().parents[2]
BUILD = REPO / "build/property"
HARNESS = REPO / "tests/property/harness.c"
# Undefined behaviour stops the process; invariants are checked after every mutation.
FLAGS = ["-std=gnu11", "-O1", "-g", "-shared", "-fPIC", "-DTAKT_CHECKS=1", "-DTAKT_DYNAMIC=1"]
FLAGS += ["-DTAKT_TRACE_EVENTS=1", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]

DECLARATIONS = """
struct op { uint32_t kind, a, b; };
struct event { uint64_t time; uint32_t kind, place, value; };
struct takt_replenishment { uint32_t at; uint32_t amount; };
struct takt_vcpu {
    uint32_t budget; uint32_t period; uint8_t flags; uint8_t count; uint16_t starved;
    struct takt_replenishment list[%d];
    uint32_t open;
    uint32_t free_at;
};
void harness_reset(uint32_t clock);
void harness_thread(uint32_t budget, uint32_t period, uint32_t flags, const struct op *ops,
                    uint32_t count);
void harness_mutex(uint32_t i, uint32_t ceiling);
bool harness_interrupt(uint64_t at, uint32_t cost, uint32_t sem);
int harness_run(uint64_t until);
const char *harness_fatal(void);
uint32_t harness_events(const struct event **list);
const struct takt_vcpu *harness_vcpu(uint32_t place);
uint32_t harness_timeouts(uint32_t place);
uint32_t harness_current(void);

void takt_server_start(struct takt_vcpu *v, uint32_t now);
void takt_server_wake(struct takt_vcpu *v, uint32_t now);
bool takt_server_dispatch(struct takt_vcpu *v, uint32_t now);
int32_t takt_server_consume(struct takt_vcpu *v, uint32_t used, uint32_t now);
void takt_server_age(struct takt_vcpu *v, uint32_t now);
void takt_server_set_budget(struct takt_vcpu *v, uint32_t c_us, uint32_t from);
bool takt_server_sound(const struct takt_vcpu *v);
"""

EV_RUN, EV_CHUNK, EV_STARVED, EV_ISR = 2, 7, 8, 9
STOPS = {0: "time", 1: "halt", 2: "asleep", 3: "asked"}
NOBODY = 0xFF


def _sources() -> list[Path]:
    kernel = sorted((REPO / "kernel").glob("*.c"))
    return [*(s for s in kernel if s.name != "trace.c"), REPO / "port/sim/port.c", HARNESS]


@functools.cache
def library(capacity: int = 8, margin: int = 0) -> tuple[cffi.FFI, Any]:
    """Compiles (when anything has changed) and loads."""
    flags = [*FLAGS, f"-DTAKT_REPLENISHMENTS={capacity}", f"-DTAKT_BUDGET_MARGIN_US={margin}"]
    inputs = _sources() + sorted((REPO / "kernel").glob("*.h"))
    inputs += [*sorted((REPO / "include/takt").glob("*.h")), REPO / "port/sim/sim.h"]
    digest = hashlib.sha256(" ".join(flags).encode())
    for path in inputs:
        digest.update(path.read_bytes())
    target = BUILD / f"kernel_{digest.hexdigest()[:16]}.so"
    if not target.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        scratch = target.with_suffix(f".{id(target)}.tmp")
        command = ["cc", *flags, f"-I{REPO / 'include'}", f"-I{REPO / 'kernel'}"]
        subprocess.run([*command, *map(str, _sources()), "-o", str(scratch)], check=True)
        scratch.replace(target)
    ffi = cffi.FFI()
    ffi.cdef(DECLARATIONS % capacity)
    return ffi, ffi.dlopen(str(target))


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


def run_kernel(
    threads: list[Thread],
    until: int,
    interrupts: list[Interrupt] = (),
    ceilings: list[int] = (),
    *,
    clock: int = 0,
    capacity: int = 8,
    margin: int = 0,
) -> Run:
    """Runs the same program as oracle_server.Simulation would; budgets exclude the margin."""
    ffi, lib = library(capacity, margin)
    lib.harness_reset(clock)
    for i, ceiling in enumerate(ceilings):
        lib.harness_mutex(i, ceiling)
    for t in threads:
        ops = ffi.new("struct op[]", list(t.script))
        lib.harness_thread(t.budget - margin if t.budget else 0, t.period, t.flags, ops, len(ops))
    for i in interrupts:
        assert lib.harness_interrupt(i.at, i.cost, i.sem)
    stop = lib.harness_run(until)
    assert stop >= 0, "events were lost"
    pointer = ffi.new("const struct event **")
    count = lib.harness_events(pointer)
    raw = ffi.unpack(pointer[0], count) if count else []
    events = [(e.time, e.kind, e.place, e.value) for e in raw]
    servers, starved = [], []
    for place, t in enumerate(threads):
        v = lib.harness_vcpu(place)
        entries = ffi.unpack(v.list, v.count) if t.budget else []
        servers.append([[_unwrap(e.at, clock, until), e.amount] for e in entries])
        starved.append(v.starved)
    return Run(
        stop=STOPS[stop],
        fatal=ffi.string(lib.harness_fatal()).decode(errors="replace").strip(),
        segments=[
            Segment(time, None if place == NOBODY else place, place != NOBODY and value == 0)
            for time, kind, place, value in events
            if kind == EV_RUN
        ],
        events=events,
        servers=servers,
        starved=starved,
        timeouts=[lib.harness_timeouts(place) for place in range(len(threads))],
        current=lib.harness_current(),
    )


def _unwrap(at: int, clock: int, now: int) -> int:
    """A date of the kernel's wrapping clock in virtual time, taken as the nearest to `now`."""
    difference = (at - clock - now) & 0xFFFFFFFF
    return now + (difference - (1 << 32) if difference >= 1 << 31 else difference)
