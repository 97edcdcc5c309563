"""takt build --flash: what a program for the pico leaves in flash, and what that costs."""

from __future__ import annotations

from collections.abc import Callable

from takt import boards
from takt.build.build import build
from takt.code.elf import Program

FLASH, RAM = range(0x10000000, 0x10200000), range(0x20000000, 0x20042000)
SKETCH = """
#include <Takt.h>
Mutex m;
const unsigned char table[%d] = {1, 2, 3};
const unsigned char handlers_own[] = {3, 1, 4, 1, 5, 9, 2, 6};
const unsigned char *const by_table[] = {handlers_own};
volatile long sum, handled;
static void __attribute__((noinline)) helper() { handled += by_table[handled %% 1][handled %% 8]; }
void tick() { helper(); }
long __attribute__((noinline)) __not_in_flash_func(hot)(long n) { return n * sum; }
long __attribute__((noinline)) cold(long n) { return n + hot(n) + table[n %% sizeof table]; }
void work() { for (int i = 0; i < 2000; i++) sum += cold(i * 97); }
void setup() {
  pinMode(2, INPUT);
  attachInterruptIsr(2, tick, RISING);
}
void loop(1, 2, 10) { m.lock(); sum += 1; m.unlock(); sum += cold(3); delay(5); }
void loop(2, 30, 100) { m.lock(); sum -= 1; m.unlock(); work(); delay(50); }
"""
WORLD = "[parts.edges]\ntype = 'square-wave'\npin = 2\nfrequency = '1 kHz'\n"
ALL_OF_RAM = 300_000


def place(program: Program, name: str) -> range:
    found = [s for s in program.symbols if name in s.name and s.kind in ("FUNC", "OBJECT")]
    (real,) = (s for s in found if not s.name.endswith("_veneer"))
    return FLASH if real.address in FLASH else RAM


def test_what_handlers_need_is_in_ram(write: Callable) -> None:
    folder = write("left", SKETCH % 40_000)
    program = Program(build(folder, boards.load("pico"), flash=True).elf)
    for name in ("_Z5setupv", "takt_loop_1_body", "takt_loop_2_body", "_Z4coldl", "_ZL5table"):
        assert place(program, name) is FLASH, name
    for name in ("_ZL6helperv", "_Z4tickv", "_Z3hotl", "handlers_own", "takt_thread_loop_1"):
        assert place(program, name) is RAM, name
    for name in ("takt_mutex_lock", "isr_timer0", "isr_io_bank0"):
        assert place(program, name) is RAM, name


def test_without_it_nothing_is_left(write: Callable) -> None:
    folder = write("left", SKETCH % 400)
    program = Program(build(folder, boards.load("pico")).elf)
    assert place(program, "_Z4coldl") is RAM and place(program, "_ZL5table") is RAM


def test_loops_wait_and_handlers_do_not(takt: Callable, write: Callable) -> None:
    folder = write("left", SKETCH % 40_000, **{"world.toml": WORLD})
    ran = takt("run", folder, "--flash", "--seconds", "1")
    assert ran.code == 0, ran.out + ran.err
    assert "loop 1 waited " in ran.out and "loop 2 waited " in ran.out
    assert "handlers waited" not in ran.out
    report = takt("report", folder, "--json").json
    waits = {row["name"]: row for row in report["flash_waits"]}
    assert set(waits) == {"loop 1", "loop 2"}
    for row in waits.values():
        assert row["words"] > 50 and abs(row["us"] - row["words"] * 48 / 125) < 1e-6
    plain = takt("run", folder, "--seconds", "1", "--json").json
    assert plain["flash_waits"] == []
    used = [{t["name"]: t["cpu_us"] for t in run["threads"]} for run in (report, plain)]
    assert used[0]["loop 2"] > used[1]["loop 2"] + 0.5 * waits["loop 2"]["us"]


def test_check_says_what_c_must_cover(takt: Callable, write: Callable) -> None:
    folder = write("left", SKETCH % 40_000)
    ran, plain = takt("check", folder, "--flash", "--json"), takt("check", folder, "--json")
    assert any("takes 0.384 us" in line for line in ran.json["assumed"])
    assert not any("0.384" in line for line in plain.json["assumed"])
    slow, fast = (
        {held["thread"]: held["us"] for held in one.json["sections"]} for one in (ran, plain)
    )
    assert set(slow) == set(fast) and all(slow[name] > fast[name] for name in fast)


def test_a_program_that_does_not_fit_into_ram(takt: Callable, write: Callable) -> None:
    folder = write("large", SKETCH % ALL_OF_RAM)
    refused = takt("build", folder)
    assert refused.code == 1 and "more than the RAM of 262144 bytes has" in refused.err
    assert "--flash leaves the sketch's code and constants in flash" in refused.err
    assert takt("run", folder, "--flash", "--seconds", "0.2").code == 0


def test_boards_that_run_from_flash(takt: Callable, write: Callable) -> None:
    ran = takt("build", write("left", SKETCH % 400), "--flash", "-b", "stm32f051")
    assert ran.code == 2 and "programs of stm32f051 run from flash as it is" in ran.err
