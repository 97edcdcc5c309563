"""What takt run says of runs that go wrong or are interrupted, and in a narrow terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NEVER = "void setup() { for (;;); }\nvoid loop(1, 10, 50) {}\n"
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_a_setup_that_never_ends_is_told_first(takt: Callable, write: Callable, board: str) -> None:
    folder = write("never", "#include <Takt.h>\n" + NEVER)
    ran = takt("run", folder, "--board", board, "--seconds", "0.5")
    assert ran.code == 1
    assert "setup() has not ended: no loop has run" in ran.out.splitlines()[0]
    assert "recursion" not in ran.err, "a loop without an end is none"
    (loop,) = takt("run", folder, "--board", board, "--seconds", "0.5", "--json").json["threads"]
    assert loop["cpu_us"] is None and loop["misses"] is None, "of loops there is nothing to tell"


def test_a_function_that_calls_itself_is_still_recursion(takt: Callable, write: Callable) -> None:
    text = """#include <Takt.h>
int f(int n) { volatile char b[8]; b[0] = n; return n > 9 ? n : f(n + 1) + b[0]; }
void setup() {}
void loop(1, 10, 50) { f(digitalRead(2)); }
"""
    assert "recursion of f" in takt("build", write("again", text)).err


JOBS = """#include <Takt.h>
void setup() {}
void periodic(pid, 1, 20) { static int n; if (++n %% %d) delayMicroseconds(50000); }
"""


@pytest.mark.parametrize(("every", "code"), [(10, 1), (1, 0)])
def test_jobs_ended_in_most_periods_are_told_first(
    takt: Callable, write: Callable, every: int, code: int
) -> None:
    ran = takt("run", write("jobs", JOBS % every), "--seconds", "2")
    assert ran.code == code
    told = re.search(r"(\d+) of (\d+) jobs of periodic pid were not", ran.out.splitlines()[0])
    assert (told is not None) == bool(code)
    assert told is None or 0.5 < int(told[1]) / int(told[2]) <= 1


LINES = """
void setup() { Serial.begin(115200); for (int n = 0; n < COUNT; n++) Serial.println(n); }
void loop() { delay(100); }
"""


def test_all_of_serial_is_in_a_file(takt: Callable, write: Callable) -> None:
    folder = write("lines", LINES.replace("COUNT", "20"))
    ran = takt("run", folder, "--seconds", "0.5")
    assert "Serial, its last 6 lines; 14 lines before them are in serial.txt:\n  14 " in ran.out
    (file,) = (folder / "build").rglob("serial.txt")
    assert any(line.startswith("Serial ") and "serial.txt" in line for line in ran.out.splitlines())
    assert file.read_bytes() == b"".join(b"%d\n" % n for n in range(20))
    write("lines", LINES.replace("COUNT", "0"))
    assert "Serial" not in takt("run", folder, "--seconds", "0.5").out
    assert not file.exists()


SLEEPY = "#include <Takt.h>\nvoid setup() {}\nvoid loop(1, 10, 50) { delay(50); }\n"


def test_ctrl_c_shows_what_was_seen_so_far(write: Callable) -> None:
    folder = write("sleepy", SLEEPY)
    words = ["-m", "takt", "run", str(folder), "--seconds", "80000", "--json"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, env=environment)
    _wait_until_it_runs(folder, process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    told = json.loads(out)
    assert told["interrupted"] and 0 < told["virtual_s"] < 80000
    (loop,) = told["threads"]
    assert loop["periods"] == pytest.approx(told["virtual_s"] * 20, abs=2) and loop["misses"] == 0


def _wait_until_it_runs(folder: Path, process: subprocess.Popen) -> None:
    """The program has been built, and Ctrl-C is noted from then on."""
    elf = folder / "build" / "pico" / "sleepy.elf"
    caught = 1 << (signal.SIGINT - 1)
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        mask = re.search(r"SigCgt:\s*(\w+)", status.read_text())
        maps = Path(f"/proc/{process.pid}/maps").read_text()
        if elf.exists() and mask and int(mask[1], 16) & caught and "takt_platform" in maps:
            time.sleep(1)
            return
        time.sleep(0.05)
    raise AssertionError(process.returncode)


def in_terminal(columns: int, *words: str) -> list[str]:
    """Lines of takt's output in a terminal so wide, as they end up there."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = os.environ | {"TERM": "xterm", "PYTHONPATH": str(ROOT / "tools")}
    environment.pop("COLUMNS", None)
    command = [sys.executable, "-m", "takt", *words]
    streams = {"stdin": its, "stdout": its, "stderr": its}
    with subprocess.Popen(command, cwd=ROOT, env=environment, **streams) as process:
        os.close(its)
        text = ESCAPE.sub("", b"".join(iter(lambda: _read(ours), b"")).decode())
    assert process.returncode == 0
    return [line.rstrip("\r").rpartition("\r")[2].rstrip() for line in text.split("\n")]


def _read(terminal: int) -> bytes:
    """What comes next; nothing when nobody has the other end any more."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


HEADS = ("budget C / T", "CPU used", "per period", "in spare", "used up", "longest", "response",
         "bound", "misses", "stack used")  # fmt: skip


@pytest.mark.parametrize("columns", [80, 60, 120])
def test_the_rover_fits_into_a_terminal(tmp_path: Path, columns: int) -> None:
    """No head and no name is cut, no row is broken, whatever the terminal's width."""
    out = str(tmp_path / "out")
    lines = in_terminal(columns, "run", "examples/rover", "--seconds", "2", "--out", out)
    shown = lines[next(n for n, line in enumerate(lines) if line.startswith("rover on")) :]
    assert max(map(len, shown)) <= columns
    text = "\n".join(shown)
    assert "…" not in text and all(head in text for head in HEADS)
    rows = [line for line in shown if line.startswith("loop ")]
    tables = 1 if columns == 120 else len(rows) // 3
    assert len(rows) == 3 * tables and (columns == 120 or tables > 1)
    assert sum("20 ms / 100 ms" in row for row in rows) == 1
    assert sum(bool(re.search(r"\d+ of \d+ B", row)) for row in rows) == 2
    assert sum("interrupts" in line for line in shown if line.startswith("interrupts")) == 1


def test_on_boards_in_qemu_the_figures_are_the_kernels(takt: Callable, write: Callable) -> None:
    ran = takt("run", write("two", SLEEPY), "--board", "pc", "--seconds", "0.5")
    assert "the kernel's own count" in ran.out
    told = takt("run", write("two", SLEEPY), "--board", "pc", "--seconds", "0.5", "--json").json
    assert told["cpu_seen_by"] == "kernel"
    assert all(row["cpu_us"] == row["kernel_cpu_us"] for row in told["threads"])
    there = takt("run", write("two", SLEEPY), "--seconds", "0.5", "--json").json
    assert there["cpu_seen_by"] == "machine"


WAITER = """#include <takt/gpio.h>
#include <takt/isr.h>
#include <takt/sem.h>
#include <takt/thread.h>
static struct takt_sem came = TAKT_SEM_BINARY_INIT(0);
static void hit(uint8_t pin, unsigned edges, takt_time_t at, void *arg)
{
    (void)pin; (void)edges; (void)at; (void)arg;
    takt_sem_signal_isr(&came);
}
static void body(void *arg)
{
    (void)arg;
    takt_gpio_on_edge(3, TAKT_EDGE_RISE, hit, 0);
    for (;;)
        takt_sem_wait(&came);
}
TAKT_THREAD(waiter, 1, body, 0, 8192)
int main(void) { takt_start(); }
"""


@pytest.mark.parametrize("board", ("sim",))
def test_a_run_longer_than_the_clock_counts(takt: Callable, tmp_path: Path, board: str) -> None:
    """In which for longer than half of that nothing happens."""
    folder, at = tmp_path / "waiter", (1, 2500, 4400)
    folder.mkdir()
    (folder / "waiter.c").write_text(WAITER)
    stimulus = '[[stimuli]]\nat = "{} s"\npin = 3\nlevel = "high"\npulse = "1 ms"\n'
    (folder / "world.toml").write_text("".join(map(stimulus.format, at)))
    ran = takt("run", folder, "--board", board, "--seconds", "4500", "--json")
    assert ran.code == 0, ran.err
    events = takt("trace", folder, "--board", board, "--json").json["events"]
    ready = [event["time_us"] for event in events if event["text"] == "becomes ready"]
    assert ready == [1_000_000 * second for second in at]


def test_a_loop_without_budget_has_used_spare_time(takt: Callable, write: Callable) -> None:
    busy = write("busy", "volatile long n;\nvoid setup() {}\nvoid loop() { n = n + 1; }\n")
    row = next(
        line for line in takt("run", busy, "--seconds", "2").out.splitlines() if "none" in line
    )
    assert row.split()[:5] == ["loop", "none", "-", "1.999", "s"]


def test_tasks_are_named_in_the_trace(takt: Callable, write: Callable) -> None:
    text = "#include <Takt.h>\nvoid setup() {}\nvoid task(blink, 100) {}\nvoid task(beat, 50) {}\n"
    folder = write("named", text)
    assert takt("run", folder, "--seconds", "0.5").code == 0
    acting = {one["who"] for one in takt("trace", folder, "--json").json["events"]}
    assert {"task blink", "task beat"} <= acting
    assert takt("trace", folder, "--from", "2", "--to", "1").code == 2
