"""Sections enter admission with their length, and hold up only threads at or below a ceiling that
the build computes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from takt import boards
from takt.build.build import Build, build
from takt.cli import run
from takt.cli.check import Check
from takt.cli.run import _Session as Session
from takt.code.elf import Program
from takt.errors import UserError
from takt.world import world

EADMIT = -7
BOARDS = ("pico", "stm32f051", "uno")
FAST = "void loop(1, 1, 5) { delay(5); }\n"
LONG = "m.lock(); delayMicroseconds(n); m.unlock();"  # n is not known to the build
CRITICAL = "void loop(2, 30, 100) { { SECTION for (volatile long i = 0; i < n; i++); } delay(30); }"


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Build]:
    """Builds a sketch from its text, admitted or not."""

    def go(text: str, board: str = "pico", admit: bool = False) -> Build:
        folder = tmp_path / "probe"
        folder.mkdir(exist_ok=True)
        (folder / "probe.ino").write_text(f"#include <Takt.h>\n{text}\n")
        return build(folder, boards.load(board), out=tmp_path / "out", admit=admit)

    return go


def refusals(built: Build) -> str:
    return "\n".join(Check(built).refusals)


def with_lock(mutex: str, loop_1: str = FAST) -> str:
    loops = f"{loop_1}void loop(2, 30, 100) {{ {LONG} delay(30); }}"
    return f"{mutex}\nvolatile unsigned n = 20000;\nvoid setup() {{}}\n{loops}"


USES = "void loop(1, 1, 5) { m.lock(); m.unlock(); delay(5); }\n"


@pytest.mark.parametrize("board", BOARDS)
def test_what_cannot_be_bounded_must_be_stated(made, board: str) -> None:
    built = made(with_lock("Mutex m;", USES), board)
    said = refusals(built)
    assert not Check(built).admitted
    assert "loop 2 holds loop 1 up in the section under m" in said
    assert "delayMicroseconds()" in said and "Mutex m{US_us}" in said
    with pytest.raises(UserError) as raised:
        made(with_lock("Mutex m;", USES), board, admit=True)
    assert "probe.ino:6" in str(raised.value)


@pytest.mark.parametrize("board", BOARDS)
def test_a_stated_length_is_counted(made, board: str) -> None:
    built = made(with_lock("Mutex m{20_ms};", USES), board)
    said = refusals(built)
    assert "loop 1 (1 ms in every 5 ms) responds within 2" in said
    assert "20 ms, of loop 2, under m" in said and "probe.ino:6" in said
    assert "make the section of loop 2 under m take at most 3." in said or board == "uno"
    assert Check(made(with_lock("Mutex m{2_ms};", USES), board)).admitted


@pytest.mark.parametrize("board", BOARDS)
def test_a_loop_that_never_uses_it_does_not_wait(made, board: str) -> None:
    """A section of 20 ms that loops 2 and 3 share; the pin of loop 1 changes every 5 ms."""
    pin = "void loop(1, 1, 5) { static bool s; s = !s; digitalWrite(2, s); delay(5); }\n"
    third = f"void loop(3, 30, 400) {{ {LONG} delay(30); }}"
    text = with_lock("Mutex m{21_ms};", pin).replace("void setup() {}", "void setup() { %s }")
    built = made(text % "pinMode(2, OUTPUT);" + third, board, admit=True)
    program = Program(built.elf)
    places = {thread.name: thread.place for thread in built.threads}
    mutex = next(s for s in program.symbols if s.name == "m")
    assert program.read(mutex.address, 1)[0] == places["loop 2"] > places["loop 1"]
    session = Session(built, world.load(built.sketch.folder, built.board))
    session.go(2, None)
    edges = np.array([time for time, pin, _ in session.bench.edges if pin == 2])
    assert len(edges) > 300
    assert np.diff(edges).max() < 0.0075 * built.board.clock_hz


@pytest.mark.parametrize("board", BOARDS)
def test_interrupts_off(made, board: str) -> None:
    text = "volatile long n = 300000; void setup() {}\n" + FAST + CRITICAL
    said = refusals(made(text.replace("SECTION", "Critical c;"), board))
    assert "loop 2 holds loop 1 up in the section with interrupts off" in said
    assert "a loop" in said and "probe.ino:4" in said and "Critical section{" in said
    said = refusals(made(text.replace("SECTION", "Critical c{30_ms};"), board))
    assert "responds within 3" in said and "with interrupts off (" in said
    assert Check(made(text.replace("SECTION", "Critical c{300_us};"), board)).admitted
    stated = "port_irq_t irq = port_irq_save(); TAKT_SECTION_US(300);"
    text = text.replace("SECTION", stated).replace("i++);", "i++); port_irq_restore(irq);")
    assert Check(made("#include <takt/port.h>\n" + text, board)).admitted


LIBRARY = """
struct Lamps {
  void show() __attribute__((noinline)) {
    noInterrupts();
    for (volatile long i = 0; i < n; i++);
    interrupts();
  }
} lamps;
void setup() {}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_a_section_of_a_library_is_stated_in_the_sketch(made, board: str) -> None:
    text = "volatile long n = 3000;" + LIBRARY + FAST + "void loop(2, 30, 100) { lamps.show(); }"
    said = refusals(made(text, board))
    assert "loop 2 holds loop 1 up in the section with interrupts off" in said
    assert 'in the sketch, as TAKT_SECTION_IN("Lamps::show", US)' in said
    built = made('TAKT_SECTION_IN("Lamps::show", 300);\n' + text, board)
    assert Check(built).admitted
    assert [(s.us, s.stated) for s in built.sections] == [(300, True)]
    assert not Check(made('TAKT_SECTION_IN("Lamps::hide", 300);\n' + text, board)).admitted


@pytest.mark.parametrize("board", BOARDS)
def test_one_that_lasts_longer_than_stated_is_told(made, board: str) -> None:
    """Also where functions switch interrupts off and on; what is as stated is not."""
    loop = "void loop(2, 30, 100) { lamps.show(); delay(40); }"
    text = "volatile long n = 1000;" + LIBRARY + FAST + loop
    short = made('TAKT_SECTION_IN("Lamps::show", 100);\n' + text, board, admit=True)
    (told,) = run.run(short, world.load(short.sketch.folder, short.board), 0.5).sections
    lasted = re.fullmatch(r"section in Lamps::show: stated 100 us, lasted ([\d.]+) (us|ms)", told)
    assert lasted is not None
    us = float(lasted[1]) * (1000 if lasted[2] == "ms" else 1)
    cycles = us * short.board.clock_hz / 1e6
    assert 8_000 < cycles < 60_000, "8 to 60 for a round"
    stated = f'TAKT_SECTION_IN("Lamps::show", {round(us) + 2});\n'
    enough = made(stated + text, board, admit=True)
    result = run.run(enough, world.load(enough.sketch.folder, enough.board), 0.5)
    assert result.sections == [] and not result.missed


@pytest.mark.parametrize("board", BOARDS)
def test_no_interrupts_without_an_end_is_refused(made, board: str) -> None:
    text = "volatile long n; void setup() {}\n" + FAST
    text += "void loop(2, 30, 100) { noInterrupts(); n = n + 1; if (n & 1) interrupts(); }"
    assert "does not end it on every path" in refusals(made(text, board))


@pytest.mark.parametrize("board", BOARDS)
def test_switched_off_twice_is_one_section(made, board: str) -> None:
    text = "volatile long n; void setup() {}\n" + FAST
    body = "noInterrupts(); noInterrupts(); n = n + 1; interrupts(); n = n + 2; delay(30);"
    built = made(text + f"void loop(2, 30, 100) {{ {body} }}", board)
    assert Check(built).admitted
    assert all(0 < (s.us or 0) < 30 for s in built.sections)


BODIES = {
    "plain": "a = b + 1; f = f * 1.5f + a / 3;",
    "loop": "for (int i = 0; i < 20; i++) a = a + i;",
    "copy": "big = other;",
    "words": "for (int i = 0; i < 20; i++) big.words[i] = other.words[i];",
    "sum": "long s = 0; for (int i = 0; i < 20; i++) s += other.words[i]; a = s / 20;",
    "pulses": "for (int i = 0; i < 5; i++) { digitalWrite(3, 1); delayMicroseconds(5); }",
    "pins": "digitalWrite(3, a & 1); a = digitalRead(4);",
    "analog": "a = analogRead(A0);",
    "time": "a = millis(); a = micros(); delayMicroseconds(7);",
    "channel": "a = ch.read(); ch.write(a + 1);",
    "saves": "a = heavy(a);",  # many registers, on AVR by a function of the compiler's
    "branch": "if (a & 1) { a = a * 3 + 1; } else { a = a / 2; }",
}
LOCKS = {
    "Mutex": ("Mutex m;", "Guard<Mutex> g(m);", ""),
    "Critical": ("", "Critical c;", ""),
    "noInterrupts": ("", "noInterrupts();", " interrupts();"),
}
MEASURED = """
    volatile long a = 27, b; volatile float f; Channel<long> ch;
    struct Big { int words[20]; } big, other;
    LOCKS
    volatile unsigned long took;
    long heavy(long x) __attribute__((noinline));
    long heavy(long x) {
      long y = x * 3, z = x + 7;
      digitalWrite(3, x & 1);
      y += digitalRead(4);
      digitalWrite(3, z & 1);
      return x + y * z;
    }
    void setup() { pinMode(3, OUTPUT); }
    void loop(1, 1, 20) { delay(20); }
    void loop(2, 30, 100) {
      static unsigned long least = 1000000;
      unsigned long us = micros();
      { SECTION BODY }
      us = micros() - us + 1;
      if (us < least) { least = us; took = us; }
      delay(1);
    }
    """


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("board", BOARDS)
def test_plain_code_is_bounded(made, board: str, lock: str, body: str) -> None:
    """And takes no longer than the bound, but much of that."""
    if lock != "Mutex" and body in ("analog",):
        pytest.skip("takes a mutex")
    locks, section, end = LOCKS[lock]
    text = MEASURED.replace("LOCKS", locks).replace("SECTION", section)
    built = made(text.replace("BODY", BODIES[body] + end), board, admit=True)
    mine = [h for h in built.sections if h.thread == "loop 2" and "converter" not in h.lock]
    assert len(mine) == 1 and mine[0].us is not None and not mine[0].stated
    session = Session(built, world.load(built.sketch.folder, built.board))
    session.go(1, None)
    place = Program(built.elf).by_name["took"]
    took = int.from_bytes(session.machine.read(place.address, 4), "little")
    around = {"pico": 6, "stm32f051": 25, "uno": 130}[board]  # micros(), lock() and unlock()
    print(body, "took", took, "bound", mine[0].us)
    assert 0 < took <= mine[0].us + around + 1


TIMED = """
    void setup() { pinMode(2, OUTPUT); digitalWrite(2, HIGH); }
    void loop(1, 1, 5) {}
    void loop(2, 20, 200) {
      OFF digitalWrite(2, LOW); delayMicroseconds(60); digitalWrite(2, HIGH); ON
      delayMicroseconds(50);
    }
    """


@pytest.mark.parametrize("board", BOARDS)
def test_pulses_by_hand_are_not_stretched(made, board: str) -> None:
    """As 1-Wire has them, where a longer one is another thing: beside a loop that never waits."""

    def longest_us(off: str, on: str) -> tuple[float, int]:
        built = made(TIMED.replace("OFF", off).replace("ON", on), board, admit=True)
        session = Session(built, world.load(built.sketch.folder, built.board))
        session.go(1, None)
        edges = [(cycle, level) for cycle, pin, level in session.bench.edges if pin == 2]
        low = [
            (after - at) / (built.board.clock_hz / 1e6)
            for (at, level), (after, _) in pairwise(edges)
            if level == 0
        ]
        return max(low), len(low)

    kept, count = longest_us("noInterrupts();", "interrupts();")
    stretched, _ = longest_us("", "")
    print(f"{count} pulses of {kept:.1f} us at most, and {stretched:.1f} where nothing holds")
    assert count > 800
    assert 60 <= kept <= {"pico": 64, "stm32f051": 66, "uno": 75}[board]
    assert stretched > 900


def test_sections_that_functions_begin_and_end(made) -> None:
    own = "void enter() __attribute__((noinline)); void enter() { m.lock(); }\n"
    own += "void leave() __attribute__((noinline)); void leave() { m.unlock(); }\n"
    text = "Mutex m; volatile long n = 3; void setup() {}\n" + own + USES
    body = "enter(); n = n / 7; leave(); delay(30);"
    built = made(text + f"void loop(2, 30, 100) {{ {body} }}", admit=True)
    mine = [h for h in built.sections if h.thread == "loop 2"]
    assert len(mine) == 1 and 3 <= (mine[0].us or 0) <= 20
    body = body.replace("n = n / 7;", "while (n) n = n - 1;")
    assert "a loop" in refusals(made(text + f"void loop(2, 30, 100) {{ {body} }}"))


def test_a_ceiling_by_hand_is_checked(made) -> None:
    with pytest.raises(UserError) as raised:
        made(with_lock("Mutex m(2);", USES))
    assert "m has the ceiling 2, but loop 1 can lock it, whose place is 0" in str(raised.value)
    text = with_lock("Mutex m(2_ms, 1);") + "void loop(3, 1, 500) { m.lock(); m.unlock(); }"
    assert Check(made(text)).admitted


def test_one_that_any_thread_may_lock_shuts_out_all(made) -> None:
    """Which mutex the function locks is not known: the ceilings of all follow, and its own is 0."""
    own = "void with(Mutex &which) __attribute__((noinline));\n"
    own += "void with(Mutex &which) { which.lock(); n = n + 1; which.unlock(); }\n"
    text = "Mutex m, o; volatile long n; void setup() {}\n" + own + FAST
    text += "void loop(2, 1, 50) { with(n & 1 ? m : o); m.lock(); m.unlock(); }\n"
    built = made(text, admit=True)
    assert {h.ceiling for h in built.sections} == {0, 1}


def test_setup_counts_for_ceilings_and_not_for_lengths(made) -> None:
    text = with_lock("Mutex m{2_ms};").replace("setup() {}", f"setup() {{ {LONG} }}")
    built = made(text, admit=True)
    assert {h.ceiling for h in built.sections} == {0}
    assert {h.thread for h in built.sections} == {"loop 2"}


@pytest.mark.parametrize("board", BOARDS)
def test_a_change_at_run_time_is_judged_with_them(made, board: str) -> None:
    """What the build would refuse is refused there: 3 ms and a section of 2 ms in every 5 ms."""
    text = """
        #include <takt/vcpu.h>
        Mutex m{2_ms};
        volatile int refused = 7, granted = 7;
        void setup() {}
        void loop(1, C, 5) { m.lock(); m.unlock(); delay(5); }
        volatile unsigned n = 1000;
        void loop(2, 10, 100) {
          m.lock(); delayMicroseconds(n); m.unlock();
          refused = takt_vcpu_set_budget(PLACE, 3000);
          granted = takt_vcpu_set_budget(PLACE, 1200);
          delay(100);
        }
        """
    assert "loop 1" in refusals(made(text.replace("C,", "3,").replace("PLACE", "0"), board))
    built = made(text.replace("C,", "1,").replace("PLACE", "0"), board, admit=True)
    assert built.threads[0].name == "loop 1"
    assert values_of(built, 0.5, "refused", "granted") == [EADMIT, 0]


def values_of(built: Build, seconds: float, *names: str) -> list[int]:
    """Of variables of the program, after so long."""
    session = Session(built, world.load(built.sketch.folder, built.board))
    session.go(seconds, None)
    symbols, read = Program(built.elf).by_name, session.machine.read
    raw = (read(symbols[name].address, symbols[name].size) for name in names)
    return [int.from_bytes(data, "little", signed=True) for data in raw]


@pytest.mark.parametrize("board", BOARDS)
def test_the_apis_own_sections_are_bounded(made, board: str) -> None:
    text = """
        void setup() { tone(8, 440, 100); }
        void loop(1, 5, 50) { delay(100); noTone(8); }
        void loop(2, 5, 100) { delay(100); }"""
    assert made(text, board, admit=True).sections


@pytest.mark.parametrize("board", BOARDS)
def test_a_lock_by_a_pointer_is_refused(made, board: str) -> None:
    text = f"""
        struct takt_mutex m = TAKT_MUTEX_COMPUTED(0);
        int (*volatile take)(struct takt_mutex *) = takt_mutex_lock;
        {FAST}
        void setup() {{}}
        void loop(2, 30, 100) {{ take(&m); takt_mutex_unlock(&m); delay(30); }}
        """
    with pytest.raises(UserError, match=r"takt_mutex_lock\(\) is called through a pointer"):
        made(text, board)


@pytest.mark.parametrize("loop", ["for (volatile long i = 0; i < 30000; i++)", "while (n < 3000)"])
def test_a_loop_that_ends_where_interrupts_come_on_again_is_seen(made, loop: str) -> None:
    """Its last branch leads to where they do, as that of port_irq_restore() does."""
    text = f"""
        #include <avr/interrupt.h>
        {FAST}
        volatile unsigned n;
        void setup() {{}}
        void loop(2, 30, 200) {{ cli(); {loop} {{}} sei(); delay(30); }}
        """
    assert "how long cannot be found out" in refusals(made(text, "uno"))


GROWS = """
#include <takt/vcpu.h>
volatile uint32_t granted;
BESIDE
void setup() { SETUP }
void loop(9, 10, 400) {
  uint32_t most = 400000;
  for (granted = 10000; most - granted > 1;) {
    uint32_t middle = (granted + most) / 2;
    if (takt_vcpu_set_budget(takt_self(), middle) == 0) granted = middle; else most = middle;
  }
  for (;;) delay(1000);
}
"""
BESIDE = {
    "serial": ("", "Serial.begin(9600);"),
    "a section": ("Mutex m{2_ms}; void loop(1, 4, 50) { m.lock(); m.unlock(); delay(50); }", ""),
    "pins": ("void f() {}", "attachInterruptVcpu(2, f, RISING, 4, 50); interruptsVcpu(10, 100);"),
    "a pipe": (
        "void pipe(p, uartIn(1, 9600), qos(500, 50, 1000_us)) { while (p.read() >= 0) {} }",
        "",
    ),
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("kind", BESIDE)
def test_a_running_program_grants_what_the_build_would(made, kind: str, board: str) -> None:
    """To the microsecond that it is rounded to."""
    if board == "uno" and kind in ("a pipe", "pins"):
        pytest.skip("it has one serial port, and too little flash")
    beside, setup = BESIDE[kind]
    text = GROWS.replace("BESIDE", beside).replace("SETUP", setup)
    built = made(text, board, admit=True)
    case, own = built.admission.case, next(t for t in built.threads if t.name == "loop 9")

    def fits(budget_us: int) -> bool:
        loops = [replace(t, budget_us=budget_us) if t.name == own.name else t for t in case.loops]
        return replace(case, loops=tuple(loops)).fits()

    (granted,) = values_of(built, 2.0, "granted")
    assert fits(granted) and not fits(granted + 3)


# What hides a section: a call through a pointer of a function that is called by name, too; more of
# them than can be followed; interrupts switched off by writing the register.
SPIN = "for (long i = 0; i < n; i++) sink = sink + 1;"
OFF = 'asm volatile("msr primask, %0" :: "r"(1) : "memory");'
ON = 'asm volatile("msr primask, %0" :: "r"(0) : "memory");'
DEEP = range(34)
HIDDEN = {
    "pointer": f"""
        typedef void (*fn)();
        Mutex m;
        __attribute__((noinline)) void enter() {{ m.lock(); }}
        __attribute__((noinline)) void leave() {{ m.unlock(); }}
        fn volatile in = enter, out = leave;
        void loop(1, 1, 5) {{ enter(); leave(); delay(5); }}
        void loop(2, 30, 100) {{ in(); {SPIN} out(); delay(30); }}""",
    "depth": f"""
        {" ".join(f"Mutex m{k};" for k in DEEP)}
        void loop(1, 1, 5) {{ m8.lock(); m8.unlock(); delay(5); }}
        void loop(2, 30, 100) {{
          {" ".join(f"m{k}.lock();" for k in DEEP)}
          {SPIN}
          {" ".join(f"m{k}.unlock();" for k in reversed(DEEP))}
          delay(30);
        }}""",
    "PRIMASK": f"""
        void loop(1, 1, 5) {{ delay(5); }}
        void loop(2, 30, 100) {{ {OFF} {SPIN} {ON} delay(50); }}""",
    "SREG": f"""
        void loop(1, 5, 20) {{ delay(20); }}
        void loop(2, 50, 400) {{
          uint8_t old = SREG; SREG = old & 0x7f; {SPIN} SREG = old; delay(50);
        }}""",
}


@pytest.mark.parametrize("name", HIDDEN)
def test_no_section_is_hidden(made, name: str) -> None:
    text = f"volatile long n = 300000; volatile int sink;\nvoid setup() {{}}\n{HIDDEN[name]}"
    built = made(text, "uno" if name == "SREG" else "pico")
    assert not Check(built).admitted
    assert "loop 1" in refusals(built) and "how long cannot be found out" in refusals(built)


def test_interrupts_that_a_register_switches_off_briefly_are_counted(made) -> None:
    loops = f"void loop(1, 1, 5) {{ delay(5); }} void loop(2, 30, 100) {{ {OFF} {ON} delay(50); }}"
    assert Check(made(f"void setup() {{}}\n{loops}")).admitted
