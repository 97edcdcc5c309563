"""takt check says what its verdict rests on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

ALL = """\
#include <Takt.h>
Mutex guard;
int n;
void edge() { n++; }
void setup() { Serial.begin(115200); attachInterruptIsr(2, edge, RISING); }
void loop(1, 10, 100) { guard.lock(); n++; guard.unlock(); Serial.println(n); }
"""
PINS = "pins: 7 us at most every 0.5 ms; more frequent edges are not covered by the proof"
MUTEX = "sections under a Mutex are assumed shorter than 5 us"  # where code is not analysed


def test_interrupts_and_locks_are_named(takt: Callable, write: Callable) -> None:
    folder = write("assumed", ALL)
    lines = takt("check", folder, "--json").json["assumed"]
    assert "counted: Serial sends, 17 us at most every 1.38 ms" in lines
    assert PINS in lines
    assert MUTEX not in lines
    said = takt("check", folder).out.splitlines()
    assert [line for line in said if line in lines] == lines


PIPED = """\
#include <Takt.h>
int n;
void setup() { %s }
void pipe(a, uartIn(0, 115200), qos(960, 250, 500_us)) { n++; }
"""


@pytest.mark.parametrize(("opens", "told"), [("", False), ("Serial1.begin(9600);", True)])
def test_what_a_pipe_receives_is_what_it_asks_for(
    takt: Callable, write: Callable, opens: str, told: bool
) -> None:
    """What else may come is told while the sketch has a port of its own open."""
    lines = takt("check", write("piped", PIPED % opens), "--json").json["assumed"]
    assert any("Serial of a pipe" in line for line in lines)
    assert any("Serial receives" in line for line in lines) == told


def test_locks_are_named_where_code_is_not_analysed(takt: Callable, write: Callable) -> None:
    folder = write("assumed", ALL.replace("attachInterruptIsr(2, edge, RISING);", ""))
    assert MUTEX in takt("check", folder, "--board", "sim", "--json").json["assumed"]


def test_what_is_not_used_is_not_assumed(takt: Callable, write: Callable) -> None:
    folder = write("alone", "void setup() {}\nvoid loop(1, 10, 100) { delay(1); }\n")
    lines = takt("check", folder, "--json").json["assumed"]
    assert PINS not in lines
    assert MUTEX not in lines


def test_a_refused_run_tells_the_verdict(takt: Callable, write: Callable) -> None:
    source = "void setup() {}\nvoid loop(1, 60, 100) {}\nvoid loop(2, 50, 100) {}\n"
    done = takt("run", write("refused", source), "--json")
    assert done.code == 1
    assert done.json["admission"]["verdict"] == "refused"
    assert "loop 2" in done.json["error"]["what"]
