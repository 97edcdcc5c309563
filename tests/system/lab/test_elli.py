"""The Ell-i thesis's measurements: every metric is there, the README says what is measured, goals
that were met stay met, and accounts add up. What is measured is in lab/elli."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from takt import boards
from takt.cli.labs import lab
from takt.cli.labs import records as lab_records
from takt.cli.labs.lab import Outcome
from takt.errors import UserError

README = Path(lab.FOLDER / "elli" / "README.md")
SPREAD = {"min", "avg", "max"}
SWITCHES = {case + kind for case in SPREAD for kind in ("", "-mutex", "-lto")}
SIZES = {"threads", "threads+handler", "threads+mutex", "threads+time", "budgets"}
METRICS = {
    "elli.switch": {"wait_switch_cycles": SWITCHES, "signal_switch_cycles": SWITCHES},
    "elli.flash": {"kernel_flash_bytes": SIZES},
    "elli.ram": {
        "kernel_ram_bytes": SIZES,
        "idle_stack_bytes": {"threads"},
    },
    "elli.interrupts-off": {
        "irq_off_max_cycles": {"ping-pong", "threads", "mutex", "timers"},
        "irq_to_thread_cycles": SPREAD | {"idle-max", "kernel-max", "mutex-max"},
    },
    "elli.tick": {"awake_cycles_per_s": {"tick one-a-second", "tickless one-a-second"}},
    "elli.budgets": {"budget_switch_extra_cycles": SPREAD},
    "elli.scaling": {"wait_switch_cycles": {"2-threads-max", "8-threads-max"}},
    "elli.init-as-data": {"init_bytes": {"records", "code"}},
}
GOOD_BOARDS = ("pico", "galileo", "stm32f051-4k", "stm32f051")
LONG_BOARDS = tuple(pytest.param(board, marks=pytest.mark.long) for board in GOOD_BOARDS[1:])
MEASURED_IN_BOTH = ("elli.switch", "elli.interrupts-off", "elli.budgets")
MISSED = {
    ("kernel_flash_bytes", "threads+handler"),
    ("kernel_flash_bytes", "threads+time"),
    ("kernel_ram_bytes", "threads+time"),
    *(
        ("irq_to_thread_cycles", f"{how}{case}")
        for how in ("", "kernel-", "mutex-")
        for case in SPREAD
    ),
    *(("budget_switch_extra_cycles", case) for case in ("avg", "max")),
    *(("budget_switch_extra_cycles", f"bursts-{case}") for case in ("avg", "max")),
}


@pytest.fixture(scope="module")
def measured() -> dict[str, Outcome]:
    return {one.lab: one for one in lab.run("elli.all", None, {"account": True})}


def values(outcome: Outcome, metric: str) -> dict[str, float]:
    return {r["case"]: r["value"] for r in outcome.rows if r["metric"] == metric}


def test_all_labs_are_there(measured: dict[str, Outcome]) -> None:
    assert set(measured) == set(METRICS)
    assert {outcome.board for outcome in measured.values()} == {"stm32f051"}


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_there(measured: dict[str, Outcome], name: str) -> None:
    for metric, cases in METRICS[name].items():
        found = values(measured[name], metric)
        assert set(found) >= cases, metric
        if name in MEASURED_IN_BOTH:
            assert set(found) >= {f"{case}-ws1" for case in cases}


def test_the_thesis_stands_beside(measured: dict[str, Outcome]) -> None:
    rows = measured["elli.switch"].rows
    papers = {r["metric"]: r["paper"] for r in rows}
    assert papers["wait_switch_us"] == 6.02 and papers["signal_switch_us"] == 5.95
    assert all(r["paper"] for r in rows)
    assert all(r["paper"] > r["value"] for r in rows if "mutex" not in r["case"])


def test_the_page_shows_what_is_measured(measured: dict[str, Outcome]) -> None:
    """What it shows of what is recorded: test_pages.py."""
    labs = lab.available()
    for name, now in measured.items():
        told = lab_records.differences(labs[name], lab_records.load(name), now)
        assert not told, "\n".join([f"./takt lab run {name} --record writes anew:", *told])


def test_goals_missed_are_known_and_explained(measured: dict[str, Outcome]) -> None:
    headings = re.findall("^### .+: .+$", README.read_text(), re.MULTILINE)
    missed = {
        (row["metric"], row["case"])
        for outcome in measured.values()
        for row in outcome.rows
        if row["goal"] is not None and row["value"] > row["goal"]
    }
    assert missed == MISSED
    for metric, _ in missed:
        assert any(f"`{metric}`" in heading for heading in headings)


def test_a_tick_wakes_a_thousand_times_a_second(measured: dict[str, Outcome]) -> None:
    wakes = values(measured["elli.tick"], "wakeups_per_s")
    cycles = values(measured["elli.tick"], "awake_cycles_per_s")
    assert wakes["tick one-a-second"] == pytest.approx(1000, rel=0.01)
    assert wakes["tickless one-a-second"] <= 20
    assert cycles["tickless three-sleepers"] < cycles["tick three-sleepers"]


def test_interrupts_are_off_no_longer_than_admission_counts(measured: dict[str, Outcome]) -> None:
    board = boards.load("stm32f051")  # which has one wait state at its clock
    off = values(measured["elli.interrupts-off"], "irq_off_max_cycles")
    assert off["budgets-ws1"] * 1e9 / board.clock_hz <= board.costs["critical"]


def test_scaling_is_flat(measured: dict[str, Outcome]) -> None:
    for metric in ("wait_switch_cycles", "signal_switch_cycles"):
        found = values(measured["elli.scaling"], metric)
        assert found["8-threads-max"] <= found["2-threads-max"] + 8


def test_an_account_adds_up() -> None:
    (outcome,) = lab.run("elli.switch", None, {"rounds": 3, "wait_states": 0, "account": True})
    text = "\n".join(outcome.account)
    for metric in METRICS["elli.switch"]:
        window = re.search(rf"^switch, {metric} (\d+):\n((?: .*\n?)+)", text, re.MULTILINE)
        assert window, text
        stretches = re.findall(r"^ {2} *(\d+)  \S+:", window[2], re.MULTILINE)
        steps = re.findall(r" [^\d ]\S* (\d+)(?= |$)", window[2], re.MULTILINE)
        assert sum(map(int, stretches)) == sum(map(int, steps)) == int(window[1])


def test_the_other_core_is_faster() -> None:
    options = {"rounds": 10, "wait_states": 0}
    (m0,) = lab.run("elli.switch", None, options | {"core": "m0"})
    (m0p,) = lab.run("elli.switch", None, options | {"core": "m0p"})
    assert values(m0p, "wait_switch_cycles")["max"] < values(m0, "wait_switch_cycles")["max"]
    assert m0p.config["core"] == "m0p" and m0p.config["wait_states"] == [0]


def test_preempting_a_program_optimised_at_link_time() -> None:
    board, points = boards.load("stm32f051"), 2000
    from takt_lab_elli import off, programs

    built = programs.program("interrupted", board, "woken-4", {"THREADS": 4}, lto=True)
    waits = [wait for _, wait in off.woken(built, programs.Setting(lto=True), points)]
    assert len(waits) == points and max(waits) < 2 * min(waits)


def test_options_of_other_labs_are_refused() -> None:
    with pytest.raises(UserError, match="takes no --core"):
        lab.refuse_strange("platform.speed", {"core": "m0"})
    lab.refuse_strange("all", {"core": "m0"})


@pytest.mark.parametrize("board", sorted({*boards.names(), "", "nowhere"} - set(GOOD_BOARDS)))
def test_other_boards_are_refused_by_name(board: str) -> None:
    for name in ("elli.switch", "elli.scaling", "platform.speed"):
        with pytest.raises(UserError, match=f"on {board}\n|unknown board '{board}'") as refused:
            lab.run(name, board, {})
        assert refused.value.exit_code == 2 and "pico" in refused.value.fix


@pytest.mark.wide
@pytest.mark.parametrize("board", GOOD_BOARDS[:1] + LONG_BOARDS)
def test_all_labs_on_other_boards(board: str) -> None:
    short = {"rounds": 10, "points": 30, "seconds": 0.1, "threads": (2, 3), "wait_states": 0}
    outcomes = lab.run("elli.all", board, short)
    assert {outcome.lab for outcome in outcomes} == set(METRICS)
    assert {outcome.board for outcome in outcomes} <= {board, "stm32f051"}
    (speed,) = (one for one in outcomes if one.lab == "elli.switch")
    assert values(speed, "wait_switch_cycles")["max"] < 110
