"""A PC in QEMU, with one CPU or several.

run() stops by a timer of the HPET, which nobody else uses. Its message is an interrupt that cannot
be masked; the CPU stands where the firmware takes those (port_nmi), and goes on with an `iretq`. So
the stop is exact, whatever the firmware is doing. The clock of the HPET is started before the first
instruction: with -icount it is QEMU's virtual time, as is the time stamp counter, 1 GHz; takt_clock
(drivers/clock/pc.c) has the counter's value at the kernel's 0.

It stands there by a breakpoint. At those QEMU forgets all that it has translated, at watchpoints it
does not; so with one CPU, from the second stop on, the word is watched that the handler's second
push writes, and where QEMU has stopped behind it PC and RSP are set back to what they were before
the first. (What the first writes is written by the CPU itself at a double fault, where QEMU must
not stop.)

QEMU runs several CPUs in turn, on one clock. A turn ends where a timer expires; then the next CPU
in order gets nothing, for it is the one that looks at the timers, and the one after it goes on. So
every core has a second hardware thread, which no program of ours uses, and all cores have turns. A
timer that interrupts nobody keeps these short, and an instruction takes half the time:
when all compute, each of two is as fast as the only one, each of four half as fast.

A stop must find all CPUs at a standstill, or those behind the one that stops first would run on
until QEMU has noticed, which is a matter of real time. So each gets the interrupt; when all have
come to the breakpoint, and only then, QEMU's clock moves on as above, which can be seen. Going on,
CPU 0 is the first, by a step of its own. Until all CPUs have been started there are no stops.
"""

from __future__ import annotations

from takt.boards import Board
from takt.machine.pc_pins import PcPins
from takt.machine.pc_timers import HPET_NS, PERIODIC, SET_VALUE, Timers
from takt.machine.pc_usb import UsbBus
from takt.machine.qemu import BREAK, SLICE_US, QemuMachine, Stop
from takt.machine.qemu_link import QemuError

BOOT_TICKS = 1_000  # of the HPET: the same before there are stops by time
BEHIND = 2  # ticks of the HPET: how far the clock may move while QEMU stands
CPU_US = 15_000  # in which a CPU is started
IRETQ = b"\x48\xcf"
LOADED, BEGIN = "takt_reset", "main"
TAKEN, RETURNS, HALT = "port_nmi", "port_interrupt", "port_halt"
STOPS, STOPS_BEHIND = "pc_stops", "pc_stop_behind"  # where the firmware stops by itself
STOPS_AT, WATCH = "pc_stop_reason", "Z2"
AT_DOORBELLS = "pc_stop_at_doorbells"
REASON, PIN = 5, 0  # RDI, the argument of STOPS
RSP = 7
PUSHES, PUSHED = b"\x6a\x00\x6a\x02", 16  # the instructions at TAKEN, and their words' bytes
ENTRIES, ENTRY_BYTES = "port_entries", 16  # port/x86_64/layout.h
SAME_STACK = ((8, 2), (18, 4))  # vectors that use it, too, and what bytes their pushes have
NEVER = 1 << 40  # ticks
USB_HOST = "usb_host"
MESSAGES, MESSAGES_END = 112, 240  # port/x86_64/layout.h
CLOCK = "takt_clock"  # begins with the time stamp counter at its 0
START_S = 60.0  # real time until the firmware's main


class PcMachine(PcPins, QemuMachine):
    """A tick is a nanosecond. cpus: how many there are."""

    PC = 16
    REGISTER_BYTES = 8
    ROOM = 1

    def __init__(self, board: Board, cpus: int = 1) -> None:
        self.cpus, self.usb = cpus, UsbBus()
        super().__init__(board)
        self._start = 0  # the counter's value at the kernel's 0

    @property
    def sources(self) -> dict[int, str]:  # type: ignore[override]
        """Vectors of messages belong to who asked for them first: the pins, or a controller."""
        usb = range(MESSAGES, MESSAGES_END) if self.has_symbol(USB_HOST) else ()
        return dict.fromkeys(usb, "USB") | dict.fromkeys(self.pin_vectors(), "pins")

    def _cycles_of_tick(self) -> int:
        return 1

    def _arguments(self) -> list[str]:
        shift = max(0, self.how["shift"] - (self.cpus - 1).bit_length())
        topology = f"sockets=1,cores={self.cpus},threads=2" if self.cpus > 1 else "sockets=1"
        return [
            *("-cpu", self.how["cpu"]),
            *("-m", str(self.how["memory_mb"])),
            *("-smp", f"{self.cpus * 2 if self.cpus > 1 else 1},{topology}"),
            *("-icount", f"shift={shift},align=off,sleep=off"),
            *("-rtc", "base=2000-01-01,clock=vm", "-seed", "1"),
            *("-global", "hpet.msi=on", "-global", f"hpet.timers={Timers.needed(self.cpus)}"),
            "-no-reboot",
            *self.usb.arguments(self.has_symbol(USB_HOST)),
        ]

    def _begin(self) -> None:
        self.usb.accept()
        self._start, self._stop_at, self._ns = 0, 0, 0
        self._late: set[int] = set()
        self._stack = 0  # of the interrupt that stops, once there is the watchpoint
        self._timers = Timers(self._qtest)
        at, size = self._symbols[RETURNS]
        self._return_at = self._find(at - self._text_at, size, IRETQ)[-1]
        self._run_once(self.symbol(LOADED))  # from here on memory is as the program wants it
        self._ready = False
        self._timers.expire(BOOT_TICKS, PERIODIC | SET_VALUE)
        self._timers.tell()
        self._stop_by_itself()
        for address in map(self.symbol, self._stops()):
            self._gdb.order(f"{BREAK},{address:x},{self.ROOM}")

    def _stops(self) -> list[str]:
        """Functions at whose first instruction it stops."""
        return [TAKEN, HALT]

    def _stop_by_itself(self) -> None:
        """The firmware sets the timer behind such a stop, which is by a watchpoint, as QEMU forgets
        all that it has translated at breakpoints. At doorbells it stops if it has one CPU; of
        several the others would go on."""
        if self.has_symbol(STOPS):
            self._gdb.order(f"{WATCH},{self.symbol(STOPS_AT):x},4")
            self._qtest.set_word(self.symbol(STOPS_BEHIND), self._timers.EXPIRES)
        self.usb.told = self.cpus == 1 and bool(self.usb.servers) and self.has_symbol(AT_DOORBELLS)
        if self.usb.told:
            self.write(self.symbol(AT_DOORBELLS), b"\1")

    def _run_once(self, address: int) -> None:
        """To an address, by a breakpoint that is not there before or after."""
        self._gdb.order(f"{BREAK},{address:x},{self.ROOM}")
        if not self._gdb.resume(START_S):
            raise QemuError(f"the program has not come to {address:#x} in {START_S:g} s")
        self._gdb.order(f"z1,{address:x},{self.ROOM}")

    # Time

    def _counter(self) -> int:
        """ns, to 10."""
        return HPET_NS * self._timers.now()

    def _look(self) -> None:
        if not self._start:
            self._start = int.from_bytes(self.read(self.symbol(CLOCK), 8), "little")
        self._ns = self._counter()
        if self._start:
            self._at = self._ns - self._start

    def _arm(self, end: int) -> None:
        """Before main the firmware cannot take the interrupt."""
        if not self._ready:
            self._run_once(self.symbol(BEGIN))
            self._ready = True
            if self.cpus > 1:
                self._timers.take_turns(self.cpus)
                end = max(end, CPU_US * 1000 * self.cpus)
        counter = self._counter()
        self._stop_at = -(-((self._start or counter) + end) // HPET_NS)
        # Of a time that is over, the clock having moved on, a timer would tell nobody.
        self._stop_at = max(self._stop_at, counter // HPET_NS + 1)
        self._timers.stop(self.cpus, self._stop_at)
        self._timers.expire(self._stop_at + BEHIND)
        self._timers.tell()

    def _of(self, cpu: int, register: int) -> int:
        """Of any CPU; from then on questions are about that one."""
        return self._gdb.register_of(2 * cpu + 1, register)

    def _resume(self) -> None:
        if self.cpus > 1:
            stop, now = self._stop_at, self._counter() // HPET_NS
            self._timers.expire(now + BEHIND)
            self._timers.tell()
            self._gdb.ask("vCont;s:1")
            self._timers.expire(stop + BEHIND)
            self._timers.tell()
        super()._resume()

    def close(self) -> None:
        super().close()
        self.usb.close()

    def _run_to(self, end: int) -> Stop | None:
        return super()._run_to(self.usb.stop_before(self._at, end))

    def _serve(self, at: int, again: int = 0) -> None:
        """USB devices do what they have to, and QEMU reads of it: it runs for a moment, all CPUs at
        the breakpoint, and its clock moves on from BEHIND `at`, for each part of what it reads.
        again: where that CPU goes on then, to stop at once."""
        parts = self.usb.serve(self._at) if self._start else 0
        while parts > 0:
            at += BEHIND
            self._timers.expire(at + BEHIND)
            self._timers.tell()
            self._go_nowhere(again)
            while self._counter() < (at + BEHIND) * HPET_NS:
                self._go_nowhere(again)
            parts = parts - 1 or self.usb.unread()

    def _go_nowhere(self, again: int) -> None:
        if again:
            self._go_on_at(again)
        self._gdb.resume(START_S)
        while self._set_back(self.pc) == self.symbol(TAKEN) and again:
            self._go_on_at(self._return_at)  # the timer's, at this very moment
            self._gdb.resume(START_S)

    def _slice_us(self) -> int:
        return SLICE_US

    def _go_on_at(self, address: int) -> None:
        self._gdb.set_register(self.PC, address, self.REGISTER_BYTES)

    def _set_back(self, at: int) -> int:
        """From behind the instructions at TAKEN to before them; where it stands then."""
        if self._stack and at == self.symbol(TAKEN) + len(PUSHES):
            at = self.symbol(TAKEN)
            self._go_on_at(at)
            self._gdb.set_register(RSP, self._stack, self.REGISTER_BYTES)
        return at

    def _watch(self, at: int) -> None:
        """From now on by a watchpoint; where it stands, it stands on the interrupt's stack."""
        if self.cpus == 1 and self._find(at - self._text_at, len(PUSHES), PUSHES):
            self._stack = self.register(RSP)
            self._gdb.order(f"z1,{at:x},{self.ROOM}")
            self._gdb.order(f"{WATCH},{self._stack - PUSHED:x},{PUSHED // 2}")

    def _let_through(self, at: int) -> None:
        """An interrupt of the firmware's own."""
        if self._stack:
            self._go_on_at(at + len(PUSHES))
            self._gdb.set_register(RSP, self._stack - PUSHED, self.REGISTER_BYTES)
        else:
            self._step_off(at)

    def _taken(self, at: int) -> bool:
        at = self._set_back(at)
        if at != self.symbol(TAKEN):
            return False
        if self._ns < self._stop_at * HPET_NS:
            if not self._came_late(at):
                self._let_through(at)
            return True
        if not self._stack:
            self._watch(at)
        while self._ns < (self._stop_at + BEHIND) * HPET_NS:
            self._gdb.resume(START_S)
            self._set_back(self.pc)
            self._ns = self._counter()
        self._at = self._stop_at * HPET_NS - self._start if self._start else 0
        self._serve(self._stop_at)
        self._late.clear()
        for cpu in reversed(range(self.cpus)):
            if self.cpus > 1 and self._of(cpu, self.PC) != at:
                self._late.add(cpu)  # still on its way here
                continue
            self._go_on_at(self._return_at)
        return True

    def _came_late(self, at: int) -> bool:
        """One whose interrupt of the last stop had not come then: it goes on."""
        for cpu in self._late:
            if self._of(cpu, self.PC) == at:
                self._late.remove(cpu)
                self._go_on_at(self._return_at)
                return True
        return False

    def _why_at(self, at: int) -> Stop | None:
        """Where the firmware stops by itself it only has to go on."""
        start, size = self._symbols.get(STOPS, (0, 0))
        if self._stack and at in self._behind_last_pushes():
            at = self._run_to_its_end()
        if not start <= at < start + size:
            return super()._why_at(at)
        if self.register(REASON) == PIN:
            return Stop("pin", self.now)
        self._serve(self._ns // HPET_NS - BEHIND, start)
        return None

    def _behind_last_pushes(self) -> list[int]:
        """Where a double fault and a machine check come by the watchpoint."""
        entries = self.symbol(ENTRIES)
        return [entries + ENTRY_BYTES * vector + pushes for vector, pushes in SAME_STACK]

    def _run_to_its_end(self) -> int:
        """The program is reporting what it ends by. There are no more stops, which would use the
        stack the report is of; where it halts."""
        self._timers.stop(self.cpus, self._stop_at + NEVER)
        self._timers.tell()
        super()._resume()
        self._look()
        self._drain()
        return self.pc

    def _halted(self, at: int) -> bool:
        return at == self.symbol(HALT)
