"""Stops of a PC with two CPUs, one of which comes late: QEMU's part is played here."""

from __future__ import annotations

from takt.machine.pc import HPET_NS, PcMachine

TAKEN, RETURN, ELSEWHERE = 0x1000, 0x2000, 0x3000


class Gdb:
    """Where each CPU is."""

    def __init__(self, *pcs: int) -> None:
        self.pcs, self.cpu, self.asked = list(pcs), 0, list[str]()

    def order(self, text: str) -> None:
        self.asked.append(text)

    ask = order

    def register_of(self, thread: int, number: int) -> int:
        self.cpu = (thread - 1) // 2
        return self.register(number)

    def register(self, _: int) -> int:
        return self.pcs[self.cpu]

    def set_register(self, _: int, value: int, __: int) -> None:
        self.pcs[self.cpu] = value


class Pc(PcMachine):
    _gdb = Gdb()  # each has its own

    def __init__(self, gdb: Gdb) -> None:
        self.cpus, self._gdb, self._start = 2, gdb, 0
        self._symbols = {"port_nmi": (TAKEN, 16)}
        self._return_at, self._late, self._stack = RETURN, set[int](), 0

    def stop(self, ns: int, asked_ns: int) -> bool:
        self._ns, self._stop_at = ns, asked_ns // HPET_NS
        return self._taken(TAKEN)

    def close(self) -> None:
        """There is nothing."""


def test_all_go_on_from_the_breakpoint():
    gdb = Gdb(TAKEN, TAKEN)
    assert Pc(gdb).stop(1020, 1000) and gdb.pcs == [RETURN, RETURN]


def test_one_that_is_not_there_yet_goes_on_when_it_comes():
    gdb = Gdb(TAKEN, ELSEWHERE)
    pc = Pc(gdb)
    assert pc.stop(1020, 1000) and gdb.pcs == [RETURN, ELSEWHERE]
    gdb.pcs = [ELSEWHERE, TAKEN]
    assert pc.stop(1040, 2000) and gdb.pcs == [ELSEWHERE, RETURN]
    assert "s" not in gdb.asked
    gdb.pcs = [TAKEN, ELSEWHERE]
    assert pc.stop(1060, 2000) and gdb.pcs == [TAKEN, ELSEWHERE]
    assert "s" in gdb.asked  # an interrupt of the firmware's own is let through


def test_one_that_comes_with_the_next_stop_only_is_not_waited_for():
    gdb = Gdb(TAKEN, ELSEWHERE)
    pc = Pc(gdb)
    pc.stop(1020, 1000)
    gdb.pcs = [TAKEN, TAKEN]
    assert pc.stop(2020, 2000) and gdb.pcs == [RETURN, RETURN]
    gdb.pcs = [ELSEWHERE, TAKEN]
    assert pc.stop(2040, 3000) and "s" in gdb.asked
