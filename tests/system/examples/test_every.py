"""What holds for every example."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import EXAMPLES, NAMES, more_us

SECONDS = {  # as long as another test here has it
    **dict.fromkeys(("blink", "button-channel", "find-prime", "two-blinks"), 10),
    **dict.fromkeys(("servo-sweep", "spi-potentiometer", "wire-potentiometer"), 8),
    **dict.fromkeys(("knob-motor", "thermometers", "weather-log", "wire-scanner"), 6),
    "door-lock": 7,
    "spirit-level": 5,
}
USUAL_S = 4


@pytest.fixture(params=NAMES, scope="module")  # so that one worker has all tests of an example
def name(request):
    return request.param


def seconds(name):
    return SECONDS.get(name, USUAL_S)


@pytest.fixture
def result(name, run):
    return run(name, seconds(name))


def budgeted(result):
    """Threads with C and T of their own: all but bottom halves."""
    return [thread for thread in result["threads"] if thread["budget_us"] is not None]


def test_there_are_examples():
    assert {"blink", "two-blinks", "rover", "find-prime", "button-channel"} <= set(NAMES)


def test_admitted_and_no_response_beyond_its_bound(result):
    admission = result["admission"]
    assert admission["verdict"] == "admitted" if admission else not budgeted(result)
    for thread in budgeted(result):
        assert thread["misses"] == 0, thread
        assert thread["response_max_us"] <= thread["bound_us"] <= thread["period_us"]


def test_foreground_time_stays_within_the_guarantee(name, result):
    """G2: at most C + M + S + L in every period, L <= M."""
    for thread in budgeted(result):
        whole = seconds(name) * 1_000_000 // thread["period_us"]
        assert whole - 2 <= thread["periods"] <= whole  # what comes before them may take one, too
        assert 0 <= thread["cpu_us_min"] <= thread["cpu_us_max"], thread
        assert thread["cpu_us_max"] <= thread["budget_us"] + more_us(result["board"]), thread


def test_a_loop_that_always_wants_cpu_gets_its_budget_in_every_period(result):
    """G2: C, less what being interrupted may cost. A loop that ran out of budget in every period
    always wanted more."""
    for thread in budgeted(result):
        if thread["exhausted"] >= thread["periods"]:
            assert thread["cpu_us_min"] >= thread["least_us"], thread


def test_stacks_fit(result):
    for thread in result["threads"]:
        assert 0 < thread["stack_used"] <= thread["stack_size"] - 4, thread


def test_nothing_is_left_unsaid(result):
    assert result["warnings"] == []
    assert 0 < result["kernel_overhead_pct"] < 6
    assert 0 < result["flash_bytes"] < 64 * 1024
    assert 0 < result["ram_bytes"] < 64 * 1024


@pytest.mark.wide
def test_two_runs_are_the_same(run, name, result):
    assert run.fresh(EXAMPLES / name, seconds(name)) == result


def test_page_needs_nothing_else(result):
    text = Path(result["files"]["timeline_html"]).read_text()
    body, data = text.split('<script id="data"')[0], text.split('type="application/json">')[1]
    for word in ("http://", "https://", "src=", "@import", "<link"):
        assert word not in body
    shown = json.loads(data.split("</script>")[0])
    assert [t["name"] for t in shown["threads"]] == [t["name"] for t in result["threads"]]
    for thread, told in zip(shown["threads"], result["threads"], strict=True):
        lengths = thread["foreground"][1::2]
        assert sum(lengths) >= told["kernel_cpu_us"] * 0.99, "bars are what the kernel traced"


def test_perfetto_trace(name, result):
    events = json.loads(Path(result["files"]["perfetto"]).read_text())["traceEvents"]
    names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert {t["name"] for t in result["threads"]} <= {name.split(" (")[0] for name in names}
    for thread in [e for e in events if e["ph"] == "X"]:
        assert thread["dur"] >= 0 and 0 <= thread["ts"] <= (seconds(name) + 1) * 1_000_000


def test_signals(result):
    lines = Path(result["files"]["vcd"]).read_text().splitlines()
    assert "$timescale 1ns $end" in lines
    declared = {line.split()[3] for line in lines if line.startswith("$var")}
    times = [int(line[1:]) for line in lines if line.startswith("#")]
    assert times == sorted(times)
    body = lines[lines.index("$enddefinitions $end") + 1 :]
    used = {line[1:] for line in body if line[:1] in "01" and line[0] != "#"}
    assert used <= declared and declared
