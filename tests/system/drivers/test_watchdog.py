"""The watchdog: fed as long as loops get their budget, and else the chip is reset; seen from the
machine, which is asked when it was fed."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from command import takt
from everywhere import AVR
from takt import boards
from takt.build.build import Build, build
from takt.cli.run import _Session as Session
from takt.code.elf import Program
from takt.machine.machines import machine_of
from takt.world import world

BOARDS = ("pico", "stm32f051", *AVR)
T_MS = 200
INCIDENT_MS = 500
HEAD = f"#include <Takt.h>\nwatchdog({T_MS});\n"
WORK = """
volatile unsigned work;
void loop(busy, 5, 25) { work++; }
"""
STATED = "TAKT_SECTION_US(300);"  # which is not true
SKETCHES = {
    "interrupts off": WORK + f"""
void setup() {{}}
void loop(off, 1, 100) {{
  if (millis() >= {INCIDENT_MS}) {{ noInterrupts(); {STATED} for (;;) work++; }}
  delay(1);
}}
""",
    "handler without end": WORK + """
void stuck() { for (;;) work++; }
void setup() { pinMode(PIN, INPUT_PULLUP); attachInterruptIsr(PIN, stuck, FALLING); }
""",
    "storm": WORK + """
void tick() { for (volatile int i = 0; i < 20; i++) {} }
void setup() { pinMode(PIN, INPUT); attachInterruptIsr(PIN, tick, CHANGE); }
""",
    "section without end": WORK + f"""
Mutex m{{300_us}};
void setup() {{}}
void loop(first, 1, 20) {{ m.lock(); m.unlock(); delay(1); }}
void loop(last, 1, 100) {{
  if (millis() >= {INCIDENT_MS}) {{ m.lock(); for (;;) work++; }}
  delay(1);
}}
""",
    "fatal error": WORK + f"""
#include <stdlib.h>
void setup() {{}}
void loop(last, 1, 100) {{ if (millis() >= {INCIDENT_MS}) abort(); delay(1); }}
""",
}  # fmt: skip
WORLDS = {
    "handler without end": f"""
[parts.key]
type = "button"
pin = PIN
press = [["{INCIDENT_MS} ms", "100 ms"]]
""",
    "storm": f"""
[parts.edges]
type = "square-wave"
pin = PIN
frequency = "FREQUENCY"
start = "{INCIDENT_MS} ms"
""",
}
PIN = 3
FREQUENCY = {"pico": "200 kHz", "stm32f051": "60 kHz", "uno": "20 kHz", "atmega324p": "10 kHz"}
PROMISED = (
    HEAD
    + """
volatile unsigned work;
void setup() { HANDLER }
void loop(greedy, 10, 47) { for (;;) work++; }
void loop(sleeps, 20, 170) { delay(7); work++; }
void periodic(job, 4, 37) { delayMicroseconds(2000); }
"""
)
PROMISED_WORLD = """
[parts.edges]
type = "square-wave"
pin = PIN
frequency = "50 Hz"
"""


HANDLER = "attachInterrupt(PIN, [] { work++; }, CHANGE);"  # for which the uno has no room


def made(write: Callable, board: str, text: str, around: str, out: Path) -> Session:
    def of(template: str) -> str:
        template = template.replace("HANDLER", HANDLER * (board not in AVR))
        filled = re.sub(r"\bPIN\b", str(PIN), template)
        return filled.replace("FREQUENCY", FREQUENCY[board])

    files = {"world.toml": of(around)} if around else {}
    about = boards.load(board)
    built = build(write("dog", of(text), files), about, trace=False, out=out)
    return Session(built, world.load(built.sketch.folder, about))


def ran(session: Session, us: float) -> Any | None:
    """Why it stopped before that."""
    while session._goes_on(stop := session.bench.run(session.bench.cycles(1000 * us))):
        pass  # it looks at sections whose length is stated
    return stop


def us(session: Session, cycles: int) -> float:
    return cycles * 1e6 / session.bench.hz


def feeds(session: Session, seconds: float) -> list[float]:
    """When it was fed, in us."""
    found: list[float] = []
    for step in range(1, round(seconds * 1000 * 50 / T_MS)):
        assert ran(session, step * T_MS * 20) is None, session.machine.fault()
        at = session.machine.watchdog_fed
        if at is not None and (not found or us(session, at) != found[-1]):
            found.append(us(session, at))
    return found


# The oscillator here is as fast as it usually is. It may be faster: at 50 kHz, not 40; by 10 %.
FASTER = {"pico": 1, "stm32f051": 50 / 40} | dict.fromkeys(AVR, 1 / 0.9)


def longest_us(board: str, t_us: float) -> float:
    """From the last feed to the reset, by an oscillator of nominal speed."""
    if board in AVR:
        return next(16_000 << n for n in range(10) if 16_000 << n >= 2 * t_us / 0.9)
    return 2 * t_us * 1.32 + 102 if board == "stm32f051" else 2 * t_us + 5


def bound_us(built: Build) -> int:
    assert built.admission is not None
    bound = built.admission.bound_us("watchdog")
    assert bound is not None
    return bound


@pytest.mark.parametrize("board", BOARDS[:-1])
def test_it_is_fed_in_every_period(write: Callable, board: str, tmp_path: Path) -> None:
    session = made(write, board, PROMISED, PROMISED_WORLD, tmp_path / "out")
    found = feeds(session, 4)
    gaps = [later - at for at, later in pairwise(found)]
    assert len(found) >= 4000 // T_MS - 2
    most = bound_us(session.build) + 20
    assert all(1000 * T_MS - most <= gap <= 1000 * T_MS + most for gap in gaps), gaps
    assert max(gaps) - min(gaps) > 1, "others never came first"


@pytest.mark.parametrize("kind", SKETCHES)
@pytest.mark.parametrize("board", BOARDS)
def test_else_the_chip_is_reset(write: Callable, board: str, kind: str, tmp_path: Path) -> None:
    around = WORLDS.get(kind, "")
    session = made(write, board, HEAD + SKETCHES[kind], around, tmp_path / "out")
    stop = ran(session, 3e6)
    assert stop is not None and stop.reason == "fault", kind
    fed = session.machine.watchdog_fed
    assert fed is not None
    assert session.machine.fault() == (
        f"the watchdog reset the chip: not fed since {fed / session.bench.hz:.6f} s"
    )
    started = INCIDENT_MS * 1000
    assert started - 1000 * T_MS < us(session, fed) < started + 20_000
    after = us(session, stop.cycle - fed)
    assert 2000 * T_MS * FASTER[board] <= after <= longest_us(board, 1000 * T_MS)


@pytest.mark.parametrize("kind", [kind for kind in SKETCHES if kind != "fatal error"])
@pytest.mark.parametrize("board", BOARDS[:-1])
def test_without_one_it_is_not(write: Callable, board: str, kind: str, tmp_path: Path) -> None:
    text = "#include <Takt.h>\n" + SKETCHES[kind]
    session = made(write, board, text, WORLDS.get(kind, ""), tmp_path / "out")
    assert ran(session, 2e6) is None
    names = {symbol.name for symbol in Program(session.build.elf).symbols}
    assert not [name for name in names if "watchdog" in name or name == "avr_reset_flags"]


ASKS = (
    HEAD
    + f"""
volatile unsigned work;
void setup() {{
  Serial.begin(9600);
  Serial.print(takt_watchdog_caused_reset() ? 'W' : 'o');
  Serial.print(takt_watchdog_caused_reset() ? 'W' : 'o');
}}
void loop(off, 1, 100) {{
  if (millis() >= {INCIDENT_MS}) {{ noInterrupts(); {STATED} for (;;) work++; }}
  delay(1);
}}
"""
)


@pytest.mark.parametrize("board", BOARDS)
def test_the_program_can_ask_for_the_cause(write: Callable, board: str, tmp_path: Path) -> None:
    """After its reset an AVR's watchdog is on, with 16 ms, until the program turns it off."""
    about = boards.load(board)
    machine = machine_of(about)
    machine.load_elf(build(write("dog", ASKS), about, trace=False, out=tmp_path / "out").elf)
    for expected in ("oo", "WW", "WW"):
        stop = machine.run(2 * about.clock_hz)
        assert stop.reason == "fault" and "the watchdog reset" in stop.detail
        assert stop.cycle > about.clock_hz * (INCIDENT_MS + T_MS) / 1000
        assert bytes(byte for _, byte in machine.uart_take(0)).decode() == expected
        machine.reset()
    machine.run(about.clock_hz // 10)
    machine.uart_take(0)
    machine.reset()  # not the watchdog's
    machine.run(about.clock_hz // 10)
    assert bytes(byte for _, byte in machine.uart_take(0)) == b"oo"


C_PROGRAM = """
#include <takt/time.h>
#include <takt/watchdog.h>
TAKT_WATCHDOG(200000)
static void work(void *arg) { (void)arg; for (;;) takt_sleep(1000); }
TAKT_BUDGET_THREAD(work, 1000, 200000, work, NULL, 256)
TAKT_THREAD(free, 3, work, NULL, 256)
int main(void) { takt_start(); }
"""


@pytest.mark.parametrize("board", ["pico", "stm32f051", "uno"])
def test_in_c_it_comes_last_of_those_with_its_period(board: str, tmp_path: Path) -> None:
    folder = tmp_path / "dog"
    folder.mkdir()
    (folder / "dog.c").write_text(C_PROGRAM)
    about = boards.load(board)
    built = build(folder, about, trace=False, out=tmp_path / "out")
    assert [thread.name for thread in built.threads] == ["work", "watchdog", "free"]
    assert "watchdog: it does not watch free, which has no budget" in built.assumed
    session = Session(built, world.empty(about))
    found = feeds(session, 2)
    assert len(found) >= 2000 // T_MS - 2
    assert max(b - a for a, b in pairwise(found)) <= 1000 * T_MS + bound_us(built)


@pytest.mark.parametrize("board", BOARDS[:-1])
def test_the_run_tells_of_the_reset(write: Callable, board: str) -> None:
    text = HEAD + SKETCHES["interrupts off"]
    folder = write("dog", text)
    done = takt("run", folder, "--board", board, "--seconds", "2")
    line = 1 + text[: text.index("noInterrupts")].count("\n")
    shown = "" if board in AVR else str(line)  # whose compiler gives such a loop an earlier one
    place, _, told = done.stderr.partition("error: ")[2].partition(": the program stopped after ")
    assert done.returncode == 1 and re.search(rf"dog\.ino:{shown}", place), done.stderr
    assert re.match(
        r"0\.\d+ s in loop off: the watchdog reset the chip: not fed since 0\.40\d+ s\n"
        r"  fix: budget was owed all that time: look for interrupts that are off",
        told,
    ), done.stderr
