"""Each program of found/ does what was promised, as its pins show."""

from __future__ import annotations

import re
from pathlib import Path

import found as ours
import numpy as np
import pins
import pytest
from found import known, program, takt, written
from pins import Burst, Sent
from takt.errors import UserError

BOARDS = ("pico", "stm32f051", "uno")
ARM = ("pico", "stm32f051")

# A greedy loop below one that sleeps: it has its budget in every window.


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    "us", [8, 12, 50, *(pytest.param(us, marks=pytest.mark.wide) for us in (10, 14, 17, 20, 300))]
)
def test_below_a_loop_that_sleeps_briefly(board: str, us: int, tmp_path: Path) -> None:
    found = program("vk8", board, tmp_path, **{"8_us": f"{us}_us"})
    found.has(found.run(2.0), 3, 5_000, 100_000)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(("loops", "sleep"), [((50, 45, 100), "40"), ((5, 4, 10), "200")])
def test_beside_half_of_the_cpu_that_wakes(board, loops, sleep, tmp_path: Path) -> None:
    """45 of 100 ms, below a loop of 50; or as many in a tenth of the time."""
    above, own, period = loops
    if board != "pico":
        above, own = above * 3 // 5, own * 3 // 5  # what the kernel takes itself is more there
    changes = {
        "loop(1, 50, 100)": f"loop(1, {above}, {period})",
        "loop(2, 45, 100)": f"loop(2, {own}, {period})",
        "40_us": f"{sleep}_us",
    }
    try:
        found = program("wakey", board, tmp_path, **changes)
    except UserError:
        if period == 10 and board == "uno":
            return  # too short a period there: it says so before it runs
        raise
    found.has(found.run(2.0), 3, own * 1000, period * 1000)


def test_what_waking_every_microsecond_costs_is_counted(tmp_path: Path) -> None:
    """Refused, or else it holds."""
    try:
        found = program("wakey2", "pico", tmp_path)
    except UserError as error:
        assert "its deadline is" in error.what
        return
    found.has(found.run(2.0), 3, 45_000, 100_000)


# Many that start at once, each at its own expense.


@pytest.mark.parametrize("trace", [True, False])
@pytest.mark.parametrize(("board", "us"), [("pico", 300), ("pico", 40), ("stm32f051", 300)])
def test_the_first_of_many_greedy_loops(board: str, us: int, trace: bool, tmp_path: Path) -> None:
    changes = {"300_us": f"{us}_us"}
    if board == "stm32f051":  # what fits there
        changes |= {f"GREEDY({n}, 3)\n": "" for n in range(13, 31)}
    found = program("thirty-greedy", board, tmp_path, trace, **changes)
    found.has(found.run(1.0), 2, us, 20_000)


@pytest.mark.parametrize("trace", [True, False])
@pytest.mark.parametrize("board", ARM)
def test_the_first_of_many_sleepers(board: str, trace: bool, tmp_path: Path) -> None:
    """It works for 0.95 ms of its 1 ms, 12 or 29 others wake with it."""
    changes = {}
    if board == "stm32f051":
        changes = {"780": "185"} | {f"SLEEPS({n})\n": "" for n in range(22, 39)}
    found = program("thirty-sleep", board, tmp_path, trace, **changes)
    edges = found.run(1.0).of(4)
    works = (edges[1::2] - edges[::2][: len(edges) // 2]) * 1e6 / found.built.board.clock_hz
    assert len(works) > 40
    assert works.min() > 900 and works.max() <= found.bound("loop 1")


# Jobs are ended for what they used themselves.


@pytest.mark.parametrize("name", ["jobalone", "jobkill"])
def test_a_job_that_needs_less_than_it_has_finishes(name: str, tmp_path: Path) -> None:
    """550 units, 3.5 ms; the end of each toggles pin 2."""
    found = program(name, "pico", tmp_path)
    seen = found.run(2.95)
    units, ends = known(seen, 3), seen.of(2)
    needs = seen.us(units.unit) * 550
    assert 3_000 < needs < 4_500
    assert len(ends) >= 28
    done = units.total[np.searchsorted(units.edges, ends) - 1] / units.unit
    assert np.diff(done) == pytest.approx(550)
    late = seen.us(ends - ends[0]) - 100_000 * np.arange(len(ends))
    assert late.max() - late.min() <= found.bound("periodic 2") - needs + found.rule.call_us


# A loop that wakes often pays what that takes, and not several times as much.


def test_a_loop_that_wakes_often_uses_its_budget_first(tmp_path: Path) -> None:
    """What a wake-up takes is seen from the others' work: they have all the rest of the CPU."""
    units = "INLINE void unit(int p, bool &s) { s = !s; digitalWrite(p, s); spin(); }\n"
    spin = '#define INLINE inline\nINLINE void spin() { for (int i = 99; i; i--) asm(""); }\n'
    changes = {
        "unsigned long n;\n": spin + units + "unsigned long n;\n",
        "13, OUTPUT);\n": "13, OUTPUT);\n  pinMode(3, OUTPUT);\n  pinMode(4, OUTPUT);\n"
        "  pinMode(12, OUTPUT);\n  digitalWrite(12, HIGH);\n",
        "Serial.begin(115200);": "",
        "loop(2, 50, 100) {}": "loop(2, 50, 100) { static bool s; for (;;) unit(3, s); }\n"
        "void task(99, 50) { static bool s; for (;;) unit(4, s); }",
    }
    found = program("wakes", "uno", tmp_path, **changes)
    seen = found.run(3.0)
    rises = seen.of(13)[::2]
    assert len(rises) > 100
    span = np.array([rises[0]]), np.array([rises[-1]])
    others = sum(float(known(seen, pin).between(*span)[0]) for pin in (3, 4))
    each = seen.us(rises[-1] - rises[0] - others) / (len(rises) - 1)
    assert 20 < each < 1_000
    period = seen.cycles(100_000)
    for stop in np.flatnonzero(np.diff(rises) > seen.cycles(10_000)):
        wakes = np.count_nonzero(rises[: stop + 1] > rises[stop] - period)
        # The list holds four pieces on the uno: others wait for one that comes later.
        assert (wakes + 1) * each >= 0.8 * 20_000, (
            f"stands still after {wakes} wake-ups of {each:.0f} us"
        )


# Long sections.

SHORT = {"Critical c;": "Critical c{2_ms};", "300000": "15000"}


def test_a_critical_section_whose_length_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="how long cannot be found out") as raised:
        program("crit2", "pico", tmp_path)
    assert "loop 1" in raised.value.what


def test_a_critical_section_delays_nothing_that_is_admitted(tmp_path: Path) -> None:
    """With its length stated, and short enough: the pin of the loop that sleeps 5 ms is in time."""
    found = program("crit2", "pico", tmp_path, **SHORT)
    seen = found.run(1.0)
    most = 5_000 + found.bound("loop 1") + found.rule.call_us
    assert len(seen.of(2)) > 150 and np.diff(seen.of(2)).max() <= seen.cycles(most)


@pytest.mark.parametrize("name", ["critlong", "crit2", "mutexlong"])
def test_a_long_section_is_told(name: str, tmp_path: Path) -> None:
    """Of 20 ms and more, beside a loop of 1 ms in 5: by the check, or else by the run."""
    own = written(name, tmp_path, {})
    checked = takt("check", own)
    if checked.returncode == 0:
        ran = takt("run", own, "--seconds", "1", "--out", tmp_path / "out")
        assert ran.returncode == 1, ran.stdout
    else:
        assert checked.returncode == 1 and "loop 1" in checked.stdout + checked.stderr


def test_a_long_section_under_a_mutex_is_refused(tmp_path: Path) -> None:
    """Its length is in the text."""
    checked = takt("check", written("mutexlong", tmp_path, {}))
    assert checked.returncode == 1, checked.stdout


# What check says, boot says.


def test_the_pc_has_room_for_what_is_admitted(tmp_path: Path) -> None:
    own = written("pc-no-room", tmp_path, {})
    checked = takt("check", own, "--board", "pc")
    ran = takt("run", own, "--board", "pc", "--seconds", "0.2", "--out", tmp_path / "out")
    assert (ran.returncode == 0) == (checked.returncode == 0), ran.stdout + ran.stderr


def test_more_threads_than_there_can_be_are_refused(tmp_path: Path) -> None:
    checked = takt("check", written("thirty-three", tmp_path, {}))
    assert checked.returncode == 1
    assert "32" in checked.stdout + checked.stderr


@pytest.mark.parametrize("count", [pytest.param(31, marks=pytest.mark.wide), 32])
def test_as_many_threads_as_there_can_be_run(count: int, tmp_path: Path) -> None:
    text = ours.source("thirty-three").read_text().splitlines(keepends=True)
    gone = "".join(line for line in text if any(f"loop({n}," in line for n in range(count + 1, 34)))
    own = written("thirty-three", tmp_path, {gone: ""})
    ran = takt("run", own, "--seconds", "0.3", "--out", tmp_path / "out")
    assert ran.returncode == 0, ran.stdout + ran.stderr


# What a program changes while it runs.


def test_a_budget_raised_at_run_time_is_had_and_judged(tmp_path: Path) -> None:
    """At 0.7 s loop 2 is given 60 ms, and loop 1 has 2 ms of 10 since 0.5 s."""
    found = program("set-budget", "pico", tmp_path)
    seen = found.run(2.0)
    lines = seen.said.decode().split("\r\n")[:-1]
    assert [line.partition(" ")[0] for line in lines] == ["raise", "lower", "zero", "other", "bad"]
    assert lines[1] == "lower 0" and lines[3] == "other 0"
    start, length = seen.cycles(900_000), seen.cycles(100_000)
    done = seen.us(known(seen, 3).within(start, length, 11))
    assert done.min() >= found.wanted(60_000)
    done = seen.us(known(seen, 2).within(start, length // 10, 110))
    assert done.min() >= found.wanted(2_000)


def test_a_budget_raised_at_run_time_is_no_miss(tmp_path: Path) -> None:
    """Nor is anything but the releases of its endless task told first."""
    own = written("set-budget", tmp_path, {})
    ran = takt("run", own, "--seconds", "1.5", "--out", tmp_path / "out")
    first = ran.stdout.splitlines()[0]
    assert re.fullmatch(r"set-budget on pico, .*: task 99 missed \d+ of \d+ releases", first)


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_a_raised_budget_takes_nothing_until_the_increase_comes(board: str, tmp_path: Path) -> None:
    """The increase comes after the longest period of all, 6 s."""
    found = program("budget-raised", board, tmp_path)
    seen = found.run(6.2)
    rises = seen.of(3)[::2]
    turns = np.histogram(rises, seen.set_up + seen.cycles(1_000_000) * np.arange(6))[0]
    assert turns[0] > 50 and turns.min() >= 0.9 * turns.max(), turns


@pytest.mark.parametrize(("board", "call"), [("pico", 5_000), ("uno", 500)])
def test_who_lowers_its_own_budget_has_it_from_the_next_period_on(
    board: str, call: int, tmp_path: Path
) -> None:
    found = program("budget-lowered", board, tmp_path, **{"k == 5000": f"k == {call}"})
    seen = found.run(2.0)
    work, period = known(seen, 3), seen.cycles(100_000)
    lowered = int(work.edges[call + 1])
    done = seen.us(work.within(lowered + 2 * period, period, 15))
    assert done.min() >= found.wanted(5_000), done
    assert done.max() <= 5_000 + 600, done


def test_a_job_that_lowers_its_own_budget_is_not_ended(tmp_path: Path) -> None:
    """From the second release after that on, each begins and ends."""
    found = program("job-lowered", "pico", tmp_path)
    seen = found.run(3.05)
    edges = seen.of(5)
    begun, ended = edges[::2], edges[1::2]
    lowered = 11
    later = seen.us(begun[lowered:] - begun[lowered])
    assert len(later) >= 18 and np.diff(later).max() < 105_000, later
    took = seen.us(ended[lowered : len(ended)] - begun[lowered : len(ended)])
    assert took.max() < 35_000, took


def test_a_faster_reference_clock_is_admitted_or_refused(tmp_path: Path) -> None:
    """Refused as it is; with what the check says fits, it holds."""
    own = written("reference", tmp_path, {})
    with pytest.raises(UserError, match="loop 2"):
        program("reference", "pico", tmp_path)
    assert "loop 2" in takt("check", own).stdout
    found = program("reference", "pico", tmp_path, **{"58980_us": "57 "})
    found.has(found.run(6.0), 3, 57_000, 101_000)


# Tasks on top of one another, and locks.


def _nothing_torn(name: str, folder: Path, *bursts: Burst) -> None:
    """Pin 12 stays high."""
    seen = program(name, "pico", folder).run(1.0, *bursts)
    assert len(seen.of(12)) == 1, "pin 12 fell"


def test_interrupts_stay_off_in_a_task_until_it_lets_them(tmp_path: Path) -> None:
    edges = tuple(60_000 + 3_500.0 * n for n in range(260))
    _nothing_torn("task-interrupts", tmp_path, Burst(14, edges))


def test_what_setup_switched_off_holds_no_task_up_later(tmp_path: Path) -> None:
    """The task of 2 ms is in time beside one that takes 7 ms."""
    seen = program("setup-excludes", "pico", tmp_path).run(0.5)
    edges = seen.of(3)
    assert len(edges) > 200 and seen.us(np.diff(edges).max()) < 2_500


def test_a_transaction_of_a_task_is_whole(tmp_path: Path) -> None:
    _nothing_torn("task-spi", tmp_path)


@pytest.mark.parametrize("board", BOARDS)
def test_a_guard_of_a_mutex_that_is_locked_is_fatal(board: str, tmp_path: Path) -> None:
    """It would unlock it for the first one, too."""
    own = written("guard-twice", tmp_path, {})
    words = ("--board", board, "--seconds", "1", "--out", tmp_path / "out")
    ran = takt("run", own, *words)
    assert ran.returncode == 1
    assert "loop 2: Guard's mutex was unlocked before, or locked twice" in ran.stdout + ran.stderr


def test_a_mutex_left_locked_by_setup_is_fatal(tmp_path: Path) -> None:
    own = written("setup-locked", tmp_path, {})
    ran = takt("run", own, "--seconds", "1", "--out", tmp_path / "out")
    assert ran.returncode == 1 and "returned with a mutex locked" in ran.stdout + ran.stderr


def test_a_period_longer_than_the_run_is_reported(tmp_path: Path) -> None:
    own = tmp_path / "slow"
    own.mkdir()
    (own / "slow.ino").write_text(
        "#include <Takt.h>\nvoid setup() {}\nvoid loop(1, 1, 2000) { delay(10); }\n"
    )
    ran = takt("run", own, "--seconds", "1", "--out", tmp_path / "out")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "run for longer" in ran.stderr


# A minute without a dispatch.


@pytest.mark.wide
def test_a_budget_of_a_minute_ends_in_time(tmp_path: Path) -> None:
    """Pin 2 rises when the loop below has its turn."""
    found = program("undisturbed", "pico", tmp_path)
    sent = [Sent(0, 500_000.0 + 50_000 * n, b"x") for n in range(1200)]
    seen = pins.run(found.built.board, found.built.elf, 62.0, sent=sent)
    assert seen.set_up is not None
    turn = seen.us(seen.of(2)[0] - seen.set_up)
    assert 60_000_000 <= turn <= found.bound("loop 2")


@pytest.mark.wide
def test_half_a_minute_without_a_dispatch(tmp_path: Path) -> None:
    """Almost as long as its clock takes to come round, a thread without budget runs undisturbed."""
    found = program("half-minute", "pico", tmp_path)
    seen = found.run(34.6)
    assert seen.set_up is not None
    begins, ends = seen.us(seen.of(3)[:2] - seen.set_up) - 34_351_938
    assert begins < ends <= found.bound("loop 2")


# A start that never ends.


def test_a_setup_that_never_ends_is_told(tmp_path: Path) -> None:
    own = written("setupever", tmp_path, {})
    ran = takt("run", own, "--seconds", "0.5", "--out", tmp_path / "out")
    assert ran.returncode == 1, ran.stdout
    assert "setup()" in ran.stdout + ran.stderr


# The commonest sketch there is.


@pytest.mark.parametrize("board", BOARDS)
def test_an_ordinary_sketch_with_an_interrupt(board: str, tmp_path: Path) -> None:
    """It prints how many edges there were."""
    plain = program("plain-interrupt", board, tmp_path)
    times = tuple(100_000.0 + 20_000 * n for n in range(10))  # rises are every other one
    seen = plain.run(1.8, Burst(2, times))
    numbers = [int(line) for line in seen.said.split()]
    assert numbers[0] == 0 and numbers[-1] == 5


# The C interface.


@pytest.mark.parametrize(
    ("board", "trace"),
    [
        pytest.param(board, trace, marks=() if trace or board == "pico" else pytest.mark.wide)
        for board in ARM
        for trace in (True, False)
    ],
)
def test_a_signal_says_what_became_of_it(board: str, trace: bool, tmp_path: Path) -> None:
    seen = program("signal-result", board, tmp_path, trace).run(1.0)
    assert seen.said.split(b"\n")[:5] == [b"ok"] * 5


@pytest.mark.parametrize("budget", [False, True], ids=["without budgets", "beside a budget"])
@pytest.mark.parametrize("board", ARM)
def test_a_mutex_stops_only_what_is_below_its_ceiling(board, budget, tmp_path: Path) -> None:
    """Pin 2 is high while a thread above the ceiling sleeps for 1 ms."""
    changes = {"#include <takt/gpio.h>\n": "#define BUDGET 1\n#include <takt/gpio.h>\n"}
    seen = program("background-mutex", board, tmp_path, **(changes if budget else {})).run(0.2)
    rise, fall = seen.of(2)[:2]
    asleep = seen.us(fall - rise)
    assert 1_000 <= asleep <= 1_000 + 300


# A thread that is held up, or that holds another mutex, makes unlocking no slower.


@pytest.mark.parametrize("board", BOARDS)
def test_unlocking_over_a_mutex_of_another(board: str, tmp_path: Path) -> None:
    found = program("mutex-of-another", board, tmp_path)
    found.has(found.run(2.0), 14, 10_000, 40_000)


def test_unlocking_in_a_section_that_holds_a_handler_up(tmp_path: Path) -> None:
    found = program("mutex-in-mutex", "pico", tmp_path)
    seen = found.run(1.0)
    found.has(seen, 3, 500, 5_000)
    assert seen.us(np.diff(seen.of(6)).min()) < 1_400


def test_a_job_that_holds_others_up_finishes(tmp_path: Path) -> None:
    found = program("mutex-job", "pico", tmp_path)
    seen = found.run(1.5)
    assert 28_000 < seen.us(known(seen, 3).unit) * 1960 < 29_000
    assert len(seen.of(2)) >= 14


def test_programs_are_all_here() -> None:
    """A folder without a test here would be forgotten."""
    text = Path(__file__).read_text()
    assert all(f'"{folder.name}"' in text for folder in ours.PROGRAMS.iterdir())
