"""Programs of threads that queue, wait for flags and conditions, and start timers, on the kernel's
simulation port."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import cffi
import kernel_library
from kernel_library import FLAGS, REPO, STOPS

HARNESS = REPO / "tests/property/sync_harness.c"
OPERATIONS = (
    *("RUN", "SLEEP", "PUT", "GET", "FLAGS_WAIT", "FLAGS_SET", "FLAGS_CLEAR", "LOCK", "UNLOCK"),
    *("TAKE", "GIVE"),
    *("COND_WAIT", "COND_SIGNAL", "COND_BROADCAST", "START", "STOP", "SERVE"),
    *("PUT_ISR", "GET_ISR", "FLAGS_SET_ISR", "START_ISR"),
)
OPS = 32  # of a thread, at most
FOREVER = 0xFFFFFFFF
ANY, ALL, KEEP = 0, 1, 2
HANDLER = 0xFF  # as a place
OK, ETIMEOUT, EAGAIN, ECONTEXT, EINVAL, EOWNER = 0, -1, -2, -3, -4, -6
DECLARATIONS = """
struct op { uint32_t kind, a, b, c; };
struct event { uint64_t time; uint32_t place, op; int32_t result; uint32_t value; };
void harness_reset(uint32_t clock, const uint32_t *slots, const uint32_t *ceilings,
                   const uint32_t *lock_ceilings, const uint32_t *timer_costs);
void harness_thread(const struct op *ops, uint32_t count);
bool harness_interrupt(uint64_t at, const struct op *op);
int harness_run(uint64_t until);
const char *harness_fatal(void);
uint32_t harness_events(const struct event **list);
"""


class Op(NamedTuple):
    kind: str
    a: int = 0
    b: int = 0
    c: int = 0


class Event(NamedTuple):
    """An operation of a thread, or handler, has returned; op from OPS on: a timer's function was
    called."""

    time: int
    place: int
    op: int
    result: int
    value: int


@dataclass
class Program:
    threads: list[list[Op]]
    until: int
    interrupts: list[tuple[int, Op]] = field(default_factory=list)
    slots: tuple[int, ...] = (1, 3)
    ceilings: tuple[int, ...] = (0, 0)
    lock_ceilings: tuple[int, ...] = (0, 0, 0)
    timer_costs: tuple[int, ...] = (5, 5, 5, 5)
    clock: int = 0


@functools.cache
def _library(instead: tuple[Path, str] | None) -> tuple[cffi.FFI, Any]:
    ffi = cffi.FFI()
    ffi.cdef(DECLARATIONS)
    return ffi, ffi.dlopen(str(kernel_library.built(HARNESS, FLAGS, instead)))


def run(program: Program) -> list[Event]:
    """What the kernel does."""
    ffi, lib = _library(kernel_library.replaced)
    numbers = {kind: i for i, kind in enumerate(OPERATIONS)}

    def raw(op: Op) -> tuple[int, int, int, int]:
        return (numbers[op.kind], op.a, op.b, op.c)

    ceilings = program.ceilings, program.lock_ceilings
    lib.harness_reset(program.clock, program.slots, *ceilings, program.timer_costs)
    for script in program.threads:
        lib.harness_thread([raw(op) for op in script], len(script))
    for at, op in program.interrupts:
        assert lib.harness_interrupt(at, ffi.new("struct op *", raw(op)))
    stop = lib.harness_run(program.until)
    assert stop >= 0, "events were lost"
    assert STOPS[stop] != "halt", ffi.string(lib.harness_fatal()).decode()
    pointer = ffi.new("const struct event **")
    count = lib.harness_events(pointer)
    return [Event(e.time, e.place, e.op, e.result, e.value) for e in pointer[0][0:count]]
