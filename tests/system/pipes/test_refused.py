"""What a pipe cannot be is refused when the sketch is built, with the arithmetic."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from takt import boards
from takt.build.build import Build, build
from takt.cli.check import Check
from takt.errors import UserError

SKETCH = """#include <Takt.h>
void pipe(in, uartIn(1, 115200), {qos}) {{ while (in.read() >= 0) {{}} }}
void loop(other, {loop}) {{ delay(1); }}
void setup() {{}}
"""


def made(folder: Path, qos: str, loop: str = "1, 100", admit: bool = True) -> Build:
    sketch = folder / "sketch"
    sketch.mkdir(exist_ok=True)
    (sketch / "sketch.ino").write_text(SKETCH.format(qos=qos, loop=loop))
    return build(sketch, boards.load("pico"), admit=admit)


@pytest.mark.parametrize(
    "qos, what, fix",
    [
        (
            "qos(12000, 256, 1_ms)",
            "pipe in: the pipes of Serial1 ask for 96 kbit/s together, and it can do 94.04 kbit/s "
            "(8 bits in 85069 ns)",
            "ask for less",
        ),
        (
            "qos(11520, 256, 1_ms, 50_us)",
            "pipe in: a latency of 50 us is less than 85069 ns, the time between two packets of "
            "Serial1",
            "ask for that or more",
        ),
        (
            "qos(11520, 0, 1_ms)",
            "pipe in: a buffer of 0 bytes does not hold a packet of Serial1, which has 1 bytes",
            "give it 1 bytes or more",
        ),
        (
            "qos(0, 256, 1_ms)",
            "pipe in: a throughput of 0 bits is not one",
            "say how much comes at most",
        ),
        (
            "qos(11520, 64, 6_ms)",
            "pipe in: handling a full buffer takes 6.051 ms, but a period of 5.097 ms follows: "
            "64 bytes last 5.556 ms at 11520 per s, Serial1 may keep packets back for 1.361 ms, "
            "two reads are up to 2 T - C apart, and the latency asked for is 1000 ms",
            "give it 644 bytes, from which a period of 30.27 ms follows, or handle a full buffer "
            "within 409 us, or ask for 1145 per s at most",
        ),
        (
            "qos(11520, 256, 1_ms, 1_ms)",
            "pipe in: a latency of 1 ms, of which Serial1 may need 1.361 ms before a packet is in "
            "the buffer, leaves no time for handling it",
            "ask for more",
        ),
    ],
)
def test_names_the_arithmetic(tmp_path: Path, qos: str, what: str, fix: str) -> None:
    with pytest.raises(UserError) as refused:
        made(tmp_path, qos)
    assert (refused.value.what, refused.value.fix) == (what, fix)


TOO_LONG = ("qos(11520, 64, 6_ms)", "qos(5760, 48, 9_ms)", "qos(11520, 12, 100_us)")


@pytest.mark.parametrize("qos", TOO_LONG)
def test_what_is_said_to_do_does(tmp_path: Path, qos: str) -> None:
    """Each figure alone, as the fix has it, beside another loop."""
    per_s, room, time = re.fullmatch(r"qos\((\d+), (\d+), (\w+)\)", qos).groups()

    def error(rate: object, bytes_: object, handling: object) -> str:
        sketch = tmp_path / "sketch"
        sketch.mkdir(exist_ok=True)
        text = SKETCH.format(qos=f"qos({rate}, {bytes_}, {handling})", loop="20, 200")
        (sketch / "sketch.ino").write_text(text)
        try:
            build(sketch, boards.load("lm3s6965evb"))
        except UserError as refused:
            return f"{refused.what}; {refused.fix}"
        return ""

    said = error(per_s, room, time)
    more = re.search(r"give it (\d+) bytes, from which a period of ", said)
    shorter = re.search(r"within ([\d.]+) (ms|us)", said)
    slower = re.search(r"ask for (\d+) per s at most", said)
    assert more or shorter or slower, said
    if more:
        assert error(per_s, int(more[1]), time) == ""
    if shorter:
        us = round(float(shorter[1]) * (1000 if shorter[2] == "ms" else 1))
        assert error(per_s, room, f"{us}_us") == ""
    if slower:
        assert error(int(slower[1]), room, time) == ""


def test_is_admitted_together_with_the_loops(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        made(tmp_path, "qos(11520, 250, 5_ms)", "6, 10")
    assert "pipe in (5.051 ms in every 12.67 ms) responds within" in refused.value.what


def test_what_is_proved_is_in_the_json(tmp_path: Path) -> None:
    (row,) = Check(made(tmp_path, "qos(11520, 250, 1_ms)")).as_dict()["pipes"]
    assert row["name"] == "pipe in" and row["endpoint"] == "Serial1"
    assert (row["budget_us"], row["period_us"], row["paper_period_us"]) == (1051, 10670, 21701)
    assert row["slots"] == 250 and 100 < row["peak_bound"] <= 250
    assert 10670 < row["latency_bound_us"] < 2 * 10670 + 2000
    assert row["paper_latency_us"] == 10670 and row["refusal"] is None


def test_a_refused_program_has_no_bounds(tmp_path: Path) -> None:
    check = Check(made(tmp_path, "qos(11520, 250, 5_ms)", "6, 10", admit=False))
    (row,) = check.as_dict()["pipes"]
    assert not check.admitted and row["latency_bound_us"] is None


@pytest.mark.parametrize(
    "line, message",
    [
        ("void pipe(in, uartIn(1, 115200), qos(1, 1 << 22, 1_ms)) {}", "the buffer is too large"),
        ("void pipe(in, uartIn(1, 115200), qos(9, 9, 1_ms), 64) {}", "stack below 128 bytes"),
    ],
)
def test_nonsense_does_not_compile(tmp_path: Path, line: str, message: str) -> None:
    sketch = tmp_path / "nonsense"
    sketch.mkdir()
    (sketch / "nonsense.ino").write_text(f"#include <Takt.h>\n{line}\nvoid setup() {{}}\n")
    with pytest.raises(UserError) as refused:
        build(sketch, boards.load("pico"))
    assert message in str(refused.value) + refused.value.detail
