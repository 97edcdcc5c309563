"""What takt run does where the trace leaves too little room, and what it says of malloc()."""

from __future__ import annotations

from collections.abc import Callable

import pytest

LARGE = """
const PROGMEM byte table[%d] = {1, 2, 3};
void setup() { Serial.begin(115200); Serial.println(pgm_read_byte(table + millis() / 1000)); }
void loop() { delay(100); }
"""


def test_a_program_that_fits_without_the_trace_only_runs_without(
    takt: Callable, write: Callable
) -> None:
    folder = write("large", LARGE % 24000)
    ran = takt("run", folder, "--board", "uno", "--seconds", "0.2")
    assert ran.code == 0, ran.err
    assert "\n  1 " in ran.out and "no trace" in ran.out
    (told,) = (line for line in ran.err.splitlines() if "trace" in line)
    assert "warning: ran without the trace, as takt flash writes it: with it, it needs " in told
    assert " bytes more than the flash of 32256 bytes has" in told
    assert "large on uno" in takt("report", folder, "--board", "uno").out
    insists = takt("run", folder, "--board", "uno", "--seconds", "0.2", "--trace")
    assert insists.code != 0 and "more than the flash" in insists.err


def test_one_that_never_fits_is_told_as_such(takt: Callable, write: Callable) -> None:
    folder = write("huge", LARGE % 32000)
    ran = takt("run", folder, "--board", "uno", "--seconds", "0.2")
    assert ran.code != 0 and "ran without" not in ran.err
    assert "more than the flash of 32256 bytes has" in ran.err


ALLOCATES = """
void *kept;
void setup() {
  Serial.begin(115200);
  %s
}
void loop() { delay(100); }
"""
ASKS = 'kept = malloc(%d); Serial.println(kept ? "given" : "none");'


@pytest.mark.parametrize(("board", "much"), [("pico", 300000), ("uno", 2000)])
def test_a_malloc_that_fails_is_told(
    takt: Callable, write: Callable, board: str, much: int
) -> None:
    text = ALLOCATES % "\n".join(ASKS % size for size in (20, much, 30, much + 8))
    ran = takt("run", write("asks", text), "--board", board, "--seconds", "0.5", "--json")
    assert ran.json["serial"] == "given\r\nnone\r\ngiven\r\nnone\r\n"
    told = f"malloc() failed 2 times, for want of RAM: up to {much + 8} bytes were asked for"
    assert told in ran.json["warnings"]


def test_what_malloc_would_have_without_the_trace_is_told(takt: Callable, write: Callable) -> None:
    folder = write("close", ALLOCATES % (ASKS % 1650))
    ran = takt("run", folder, "--board", "uno", "--seconds", "0.5", "--json")
    assert ran.json["serial"] == "none\r\n"
    failed, more = ran.json["warnings"]
    assert failed == "malloc() failed once, for want of RAM: 1650 bytes were asked for"
    plain = takt("run", folder, "--board", "uno", "--seconds", "0.5", "--no-trace", "--json")
    assert plain.json["serial"] == "given\r\n" and plain.json["warnings"] == []
    count = ran.json["ram_bytes"] - plain.json["ram_bytes"]
    assert f"has {count} bytes more for malloc()" in more


def test_strings_that_fit_say_nothing(takt: Callable, write: Callable) -> None:
    grow = 'String s; for (int n = 0; n < 50; n++) s += "x"; Serial.println(s.length());'
    for board in ("pico", "uno"):
        ran = takt("run", write("grow", ALLOCATES % grow), "--board", board, "--seconds", "0.5",
                   "--json")  # fmt: skip
        assert ran.json["serial"] == "50\r\n" and ran.json["warnings"] == []
