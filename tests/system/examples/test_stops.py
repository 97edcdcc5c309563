"""Programs that stop: the reason is named, no traceback, nothing half written."""

from __future__ import annotations

import json

import pytest
from conftest import takt

HEAD = 'void setup() { Serial.begin(115200); Serial.println("alive"); }\n'
STOPS = {
    "breakpoint": (HEAD + 'void loop(1, 5, 10) { delay(3); __asm volatile("bkpt 0"); }', ["BKPT"]),
    "wild pointer": (
        HEAD + "void loop(1, 5, 10) { delay(3); *(volatile int *)0x90000000 = 1; }",
        ["loop 1", "fault"]),
    "stack overflow": (
        HEAD + "void loop(1, 5, 10, 512) { volatile char a[2000]; "
        "for (int i = 1999; i >= 0; i--) a[i] = 1; delay(1); }",
        ["stack", "loop 1"]),
    "endless sleep": (
        HEAD + 'void loop(1, 5, 10) { delay(3); __asm volatile("cpsid i"); '
        '*(volatile unsigned *)0xE000E180 = 0xFFFFFFFF; __asm volatile("wfi"); }',
        ["stopped"]),
}  # fmt: skip


@pytest.mark.parametrize("name", STOPS)
def test_stop(sketch, tmp_path, name):
    source, words = STOPS[name]
    out = tmp_path / "out"
    done = takt("run", sketch(source), "--seconds", "1", "--json", "--out", out)
    assert done.returncode == 1, done.stdout + done.stderr
    error = json.loads(done.stdout)["error"]
    for word in words:
        assert word.lower() in error["what"].lower(), error
    assert "Traceback" not in done.stderr
    assert not (out / "timeline.png").exists()


GOES_ON = """#include <takt/thread.h>
void setup() {}
void loop(1, 5, 10) { takt_fatal_record.place = 0; takt_fatal_record.code = TAKT_FATAL_STACK; }
"""
SMASHED = (
    HEAD + "void loop(1, 5, 10, 600) "
    "{ volatile int n = 4000; char v[n]; v[0] = 1; v[n - 1] = 2; delay(1); }"
)


@pytest.mark.parametrize("source", [GOES_ON, SMASHED])
def test_a_fatal_error_ends_the_run_also_if_the_processor_goes_on(sketch, tmp_path, source):
    out = tmp_path / "out"
    done = takt("run", sketch(source), "--seconds", "1", "--json", "--out", out)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "the program stopped" in json.loads(done.stdout)["error"]["what"]
    assert not (out / "timeline.png").exists()


@pytest.mark.parametrize("seconds", ["1e-9", "0", "nan", "1e9"])
def test_durations_refused(sketch, seconds):
    done = takt("run", sketch(HEAD + "void loop() {}"), "--seconds", seconds, "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["where"] == "--seconds"


FOREVER = "void setup() {} void loop(1, 40, 100) { Critical section; while (1); }"


def test_a_budget_that_never_ends_is_a_miss(sketch, tmp_path):
    folder = sketch("#include <Takt.h>\n" + FOREVER)
    done = takt("run", folder, "--seconds", "1", "--json", "--out", tmp_path / "out")
    assert done.returncode == 1, done.stderr
    thread = json.loads(done.stdout)["threads"][0]
    assert (thread["misses"], thread["starved"]) == (1, 0)
    assert thread["response_max_us"] > 900_000


def test_names_of_any_alphabet(sketch, tmp_path):
    world = '[world]\nname = "wörld"\n[parts."lämpchen"]\ntype = "led"\npin = 25\n'
    folder = sketch("void setup() {} void loop() { delay(5); }", world, name="café")
    done = takt("run", folder, "--seconds", "0.1", "--json", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    (tmp_path / "out" / "signals.vcd").read_bytes().decode("ascii")


def test_serial_output_before_the_stop_is_shown(sketch, tmp_path):
    folder = sketch(HEAD + 'void loop(1, 5, 10) { delay(20); __asm volatile("bkpt 0"); }')
    done = takt("run", folder, "--seconds", "1", "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "alive" in done.stderr


def test_world_mistakes_come_before_the_build(sketch, tmp_path):
    folder = sketch(HEAD + "void loop() {}", '[parts.led]\ntype = "led"\npin = 77\n')
    done = takt("run", folder, "--json", "--out", tmp_path / "out")
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert "pin 77" in error["what"] and error["where"].endswith("world.toml:3")
    assert not (tmp_path / "out").exists()


def test_a_file_where_the_folder_should_be(sketch, tmp_path):
    (tmp_path / "out").write_text("in the way")
    done = takt("run", sketch(HEAD + "void loop() {}"), "--json", "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_an_empty_trace_is_not_an_error(sketch, tmp_path):
    folder = sketch(HEAD + "void loop() { delay(100); }")
    done = takt("run", folder, "--no-trace", "--seconds", "1", "--json", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["serial"] == "alive\r\n"
