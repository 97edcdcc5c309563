"""Interrupts at every cycle of a switch, of a preemption and its way back, and of idling."""

from __future__ import annotations

import pytest
from everywhere import AVR
from programs import Run

INJECT = ("../inject/windows.c", "../inject/kept.S", "../kernel/preempt/registers.S")
TOP, MID = 1, 2  # vectors INT0, INT1: whom they wake
SCENES = {"SWITCH": 1, "QUIET": 2, "ASLEEP": 3}
SREG, SP, I_FLAG = 32, 33, 0x80
PAINT = 0xA5
IDLE, WAKES = 2500, 9000  # cycles of a window: when the CPU sleeps at the latest, and until when
LIMIT = 60_000  # no window takes as long


class Windows:
    """A life of inject/windows.c: each window opens with a store to `opened` and closes with one to
    `closed`."""

    def __init__(self, run: Run, calm: list[tuple[int, int]], exact: bool) -> None:
        """calm: what an ordinary window needs to end. exact: live stacks are the same to a byte."""
        self.run, self.m = run, run.machine
        self.calm, self.exact = calm, exact
        for name in ("opened", "closed"):
            self.m.stop_on_write(self.m.symbol(name) + 3)
        while run.value("opened") != 1:  # memory is cleared first
            self._until("opened", [])
        for _ in range(3):  # until every thread waits where it will from then on
            self._until("opened", [(TOP, 900), (MID, 1800)])
        table = self.m.symbol("__takt_threads_start")  # like the descriptors, in flash
        threads = [self._at(table + 2 * n) for n in range(4)]
        bounds = [(self._at(t + 4), self._at(t + 6)) for t in threads]
        self.stacks = [range(0x800000 + low, 0x800000 + end) for low, end in bounds]
        for place, stack in enumerate(self.stacks):
            free = self._sp(place) - 40 - stack.start
            self.m.write(stack.start + 2, bytes([PAINT]) * (free - 2))
        self.usual = None
        self.length = self.window([])

    def _at(self, address: int) -> int:
        return int.from_bytes(self.m.read(address, 2), "little")

    def _word(self, name: str, offset: int) -> int:
        return self._at(self.m.symbol(name) + offset)

    def _sp(self, place: int) -> int:
        running = self.m.read(self.m.symbol("takt_core") + 1, 1)[0]
        sp = self.m.register(SP) if place == running else self._word("__takt_tcbs", 2 * place)
        return 0x800000 + sp

    def _until(self, name: str, shots: list[tuple[int, int]]) -> None:
        begin = self.m.now
        for irq, cycle in shots:
            self.m.pend_irq(irq, begin + cycle)
        while True:
            stop = self.m.run(begin + LIMIT)
            assert stop.reason == "write", (shots, stop, self.m.fault(), self.run.text)
            if stop.detail == self.m.symbol(name) + 3:
                return

    def window(self, shots: list[tuple[int, int]], served_by: int = 0) -> int:
        """One window with interrupts, and what everything is like afterwards; its cycles.
        served_by: the cycle by which who is woken by the first has been served."""
        begin = self.m.now
        if served_by:
            self.m.pend_irq(shots[0][0], begin + shots[0][1])
            self.m.run(begin + served_by)
            assert self.run.value("told") == self.run.value("served"), shots
            shots = []
        self._until("closed", shots + self.calm)
        took = self.m.now - begin
        assert self.run.value("wrong") == 0, shots
        for place in range(4):
            assert self.run.value("told", place) == self.run.value("served", place), (shots, place)
        state = {
            "core": self.m.read(self.m.symbol("takt_core"), 5),
            "sems": self.m.read(self.m.symbol("sems"), 20),
            "sps": [self._sp(place) for place in range(4)],
            "off": self.m.register(SREG) & I_FLAG,
            "handler": self.m.read(0x80003E, 1)[0],
            "sentinels": [self.m.read(stack.start, 2) for stack in self.stacks],
            "stacks": [self.m.read(self._sp(n) + 1, s.stop - self._sp(n) - 1)
                       for n, s in enumerate(self.stacks) if self.exact],
        }  # fmt: skip
        self.usual = self.usual or state
        differing = [what for what in state if state[what] != self.usual[what]]
        assert differing == [], (shots, differing, state, self.usual)
        self._until("opened", [])
        return took

    def room(self) -> list[int]:
        """Bytes never used of each stack."""
        memory = [self.m.read(s.start + 2, len(s) - 2) for s in self.stacks]
        return [len(one) - len(one.lstrip(bytes([PAINT]))) for one in memory]


def swept(run: Run, scene: str, exact: bool) -> Windows:
    """One at each cycle; then two, the second at each cycle of what the first brings about."""
    life = Windows(run, [(MID, WAKES)] if scene == "ASLEEP" else [], exact)
    if scene == "ASLEEP":
        for cycle in range(1, IDLE):
            life.window([(TOP, cycle)], WAKES)
    for cycle in range(1 if life.calm == [] else WAKES - 100, life.length + 1):
        life.window([(TOP, cycle)])
    if scene != "ASLEEP":
        first = life.length // 3
        step = 1 if exact else 3  # with budgets it takes long
        for cycle in range(first, life.window([(MID, first), (TOP, first + 1)]), step):
            life.window([(MID, first), (TOP, cycle)])
    return life


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("board", AVR[:1])
@pytest.mark.parametrize("budgets", [False, True])
def test_at_every_cycle(start, board: str, scene: str, budgets: bool) -> None:
    flags = ["-DBUDGETS"] if budgets else []
    run = start(board, *INJECT, f"-DSCENE={SCENES[scene]}", *flags)
    life = swept(run, scene, exact=not budgets)
    print(scene, budgets, life.length, life.room())
    assert min(life.room()) > 10
