"""Random graphs of calls: no stack is used beyond what was computed for it. The whole of each is
painted before the start, from outside, and looked at in the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import call_programs
import pytest
from takt import boards
from takt.build import build
from takt.code.deepest import Search
from takt.code.elf import Program
from takt.code.stacks import Stacks
from takt.code.stacks_host import stacks_of
from takt.errors import UserError
from takt.machine.machines import machine_of

BATCHES, EACH = 10, {"pico": 6, "stm32f051": 4, "uno": 4}
PAINT = 0xA7
BOOT_BYTES = 256  # the pico's boot code at the end of the interrupts' stack
SECONDS = 0.4
SKETCHS = re.compile(r"_Z(N\d+S\d|\d+f\d)")  # names of its functions and members
TIGHT = 0.6  # of what is computed is used, at least, on average; 0.85 of what calls alone need


@dataclass
class Stack:
    """What a stack is for, and bytes."""

    name: str
    need: int  # computed
    size: int
    used: int  # as far as anything was written
    whole: bool  # what lies at its end is as it was
    sure: bool = True


def ran(built: build.Build, bottom: int) -> list[Stack]:
    """After a while, with the use of each stack; bottom: bytes at a stack's end, not to be used."""
    board = built.board
    machine = machine_of(board)
    machine.load_elf(built.elf)
    places = [(t.name, t.stack, t.stack_size, t.stack_need, not t.doubts) for t in built.threads]
    for _, lowest, size, _, _ in places:
        machine.write(lowest, bytes([PAINT]) * size)
    lowest = machine.symbol("__takt_isr_stack_start")
    boot = machine.pc - lowest  # begins at its end
    painted = boot if 0 <= boot < built.isr_stack_size else built.isr_stack_size
    machine.write(lowest, bytes([PAINT]) * painted)
    stop = machine.run(round(SECONDS * board.clock_hz)).reason
    assert stop == "time", (stop, bytes(b for _, b in machine.uart_take(0)).decode("latin-1"))
    hits = int.from_bytes(machine.read(machine.symbol("hits"), 2), "little")
    assert hits > 2, "the handler has not run"
    need = max(built.isr_stack_need, BOOT_BYTES if board.name == "pico" else 0)
    places.append(("interrupts", lowest, built.isr_stack_size, need, True))
    found = []
    for name, lowest, size, need, sure in places:
        data = machine.read(lowest, size)
        end, rest = data[:4], data[bottom:]
        whole = end[:2] == b"KT" if board.name != "uno" else True
        used = len(rest.lstrip(bytes([PAINT])))
        found.append(Stack(name, need - bottom, size - bottom, used, whole, sure))
    return found


def made(write: Callable, seed: int, board: str) -> tuple[build.Build, call_programs.Written]:
    sketch = call_programs.written(seed, board)
    return build.build(write("calls", sketch.text), boards.load(board), admit=False), sketch


def too_deep(stacks: list[Stack]) -> list[Stack]:
    return [s for s in stacks if s.used > s.need or s.used >= s.size]


@pytest.mark.parametrize("seeds", range(BATCHES))
@pytest.mark.parametrize("board", EACH)
def test_no_stack_is_used_beyond_its_bound(
    write: Callable, board: str, seeds: int, record_property: Callable
) -> None:
    tight = []
    for seed in range(seeds * EACH[board], (seeds + 1) * EACH[board]):
        try:
            built, sketch = made(write, seed, board)
        except UserError as error:  # of the interrupts' stack, whose size no program states
            sketch = call_programs.written(seed, board)
            assert (sketch.mixed or sketch.variable) and "has no bound" in error.what
            continue
        bottom = bottom_of(built)
        stacks = ran(built, bottom)
        doubts = {doubt for thread in built.threads for doubt in thread.doubts}
        assert any("at run time" in doubt for doubt in doubts) <= sketch.variable
        assert any(f"{call_programs.LEVELS} counted" in d for d in doubts) <= sketch.recursive
        if sketch.variable:
            assert all(s.used < s.size for s in stacks), (seed, stacks)
            continue
        assert not too_deep(stacks), (seed, stacks)
        for stack, need in zip(stacks, by_type(built), strict=False):
            assert stack.used <= need - bottom, (seed, stack, need)
        tight += [s.used / s.need for s in stacks[:-1] if s.sure]
    record_property("used of what was computed", [round(share, 2) for share in tight])
    assert not tight or sum(tight) / len(tight) > TIGHT, tight


def by_type(built: build.Build) -> list[int]:
    """What threads need if calls through pointers are separated by type, whether or not that was
    necessary."""
    stacks = stacks_of(Program(built.elf), built.board)
    assert isinstance(stacks, Stacks)
    stacks.separate_by_type()
    return [stacks.thread(thread).bytes for thread in stacks.program.threads()]


def bottom_of(built: build.Build) -> int:
    stacks = stacks_of(Program(built.elf), built.board)
    assert isinstance(stacks, Stacks)
    return stacks.bottom


@pytest.mark.parametrize("board", EACH)
def test_a_callee_left_out_is_noticed(
    write: Callable, board: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one program after another, the largest function of the deepest chain, until a figure is
    below what was used."""
    for seed in range(BATCHES * EACH[board]):
        if call_programs.written(seed, board).sizes:
            continue
        built, _ = made(write, seed, board)
        stacks = ran(built, bottom_of(built))
        gone = largest(built)
        callees = Search.callees

        def without(search: Search, *at: int, pointers=True, gone=gone, own=callees) -> list[int]:
            functions = search.graph.functions
            return [to for to in own(search, *at, pointers) if functions[to].name != gone]

        with monkeypatch.context() as patch:
            patch.setattr(Search, "callees", without)
            less = stacks_of(Program(built.elf), built.board)
            descriptors = {d.place: d for d in less.program.threads()}
            needs = [less.thread(descriptors[t.place]).bytes for t in built.threads]
        for stack, need in zip(stacks, needs, strict=False):
            stack.need = need - bottom_of(built)
        if too_deep(stacks):
            return
    pytest.fail("in no program")


def largest(built: build.Build) -> str:
    """The one of the sketch's functions that takes most, of the deepest chain."""
    frames = {
        f.name: f.frame for f in stacks_of(Program(built.elf), built.board).graph.functions.values()
    }
    chain = max(built.threads, key=lambda t: t.stack_need).chain
    return max((name for name in chain if SKETCHS.match(name)), key=lambda name: frames[name])
