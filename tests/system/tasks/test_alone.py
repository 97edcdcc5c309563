"""Tasks alone on an AVR: order, phase, states, triggers, what is missed, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards
from takt.build.build import Build, build
from takt.cli.labs import lab
from takt.errors import UserError
from takt.machine.avr import AvrMachine

lab.available()
from takt_lab_rios import releases  # noqa: E402

MS = 8000  # cycles
HEAD = "#define TAKT_TICK_US 1000\n#include <takt/task.h>\n#include <util/delay.h>\n"
MAIN = "int main(void) { takt_tasks_run(); }\n"
NARROW, COMPOSED = "#define TAKT_TASK_BITS 8\n", "#define TAKT_TASKS_COMPOSED 1\n"
KINDS = pytest.mark.parametrize("kind", ["", NARROW, COMPOSED, NARROW + COMPOSED])
EVERY, SPARSE, IN_TURN = (f"takt_tasks_run_{how}" for how in ("every", "sparse", "in_turn"))
LATER = EVERY, SPARSE  # the first release is one common divisor after the start, not a tick
WAYS = pytest.mark.parametrize(
    ("run", "kind"),
    [("takt_tasks_run", ""), ("takt_tasks_run", NARROW), ("takt_tasks_run", NARROW + COMPOSED),
     ("takt_tasks_run", COMPOSED), (EVERY, NARROW), (EVERY, ""), (SPARSE, NARROW), (SPARSE, ""),
     (IN_TURN, ""), (IN_TURN, NARROW)],
)  # fmt: skip


def made(folder: Path, source: str) -> Build:
    folder = folder / "probe"
    folder.mkdir()
    (folder / "probe.c").write_text(source)
    return build(folder, boards.load("atmega324p"), trace=False, out=folder / "out")


def ran(folder: Path, source: str, ms: int) -> AvrMachine:
    machine = AvrMachine("atmega324p", 8_000_000)
    machine.load_elf(made(folder, source).elf)
    assert machine.run(ms * MS).reason == "time"
    return machine


def missed(machine: AvrMachine, task: str, kind: str) -> int:
    """The low byte; behind function (2 bytes), period and what is left."""
    return machine.byte(machine.symbol(f"takt_task_{task}") + (4 if NARROW in kind else 6))


def byte(machine: AvrMachine, name: str) -> int:
    return machine.byte(machine.symbol(name))


@KINDS
def test_the_more_urgent_first_whatever_the_order_of_definition(tmp_path: Path, kind: str) -> None:
    source = (
        f"{kind}{HEAD}"
        "volatile unsigned char order[3], n;\n"
        "TAKT_TASK(last, 9, 100000) { order[n++] = 3; }\n"
        "TAKT_TASK(first, 0, 100000) { order[n++] = 1; }\n"
        "TAKT_TASK(middle, 5, 100000) { order[n++] = 2; }\n" + MAIN
    )
    machine = ran(tmp_path, source, 50)
    assert machine.read(machine.symbol("order"), 3) == b"\1\2\3"


@KINDS
def test_states_and_triggers(tmp_path: Path, kind: str) -> None:
    source = (
        f"{kind}{HEAD}"
        "volatile signed char seen[4]; volatile unsigned char n, events, nested;\n"
        "TAKT_EVENT_TASK(event, 0) { events++; }\n"
        "TAKT_STATE_TASK(state, 1, 10000) { if (n < 4) seen[n++] = (signed char)state;\n"
        "  takt_task_trigger(&takt_task_event_event); nested = events == n; return state + 1; }\n"
    )
    machine = ran(tmp_path, source + MAIN, 35)
    assert machine.read(machine.symbol("seen"), 4) == b"\xff\0\1\2"
    assert byte(machine, "events") == 4 and byte(machine, "nested") == 1


@KINDS
def test_no_more_stack_than_was_said(tmp_path: Path, kind: str) -> None:
    """Each task on top of one that triggers it, or that the timer interrupts: painted before."""
    source = (
        f"{kind}{HEAD}"
        "volatile unsigned char events, n;\n"
        "TAKT_EVENT_TASK(event, 0) { volatile char b[20]; b[n % 20] = 1; events++; }\n"
        "TAKT_TASK(fast, 1, 2000) { volatile char b[30]; b[n % 30] = 1; n++;\n"
        "  takt_task_trigger(&takt_task_event_event); }\n"
        "TAKT_TASK(slow, 2, 50000) { volatile char b[40]; b[n % 40] = 1; _delay_ms(20); }\n"
    )
    built = made(tmp_path, source + MAIN)
    machine = AvrMachine("atmega324p", 8_000_000)
    machine.load_elf(built.elf)
    low, top = (machine.symbol(f"__takt_isr_stack_{end}") for end in ("start", "end"))
    machine.write(low, b"\xa5" * (top - low))
    assert machine.run(200 * MS).reason == "time"
    assert byte(machine, "events") > 80
    unused = len(stack := machine.read(low, top - low)) - len(stack.lstrip(b"\xa5"))
    used = top - low - unused
    print(f"{used} bytes of {built.isr_stack_need}, {top - low} there")
    assert 120 <= used <= built.isr_stack_need <= used + 150


@KINDS
def test_a_trigger_from_an_interrupt(tmp_path: Path, kind: str) -> None:
    """It comes 20 times while nothing runs, and 20 times on top of the task, which goes on."""
    source = (
        f"{kind}#include <avr/interrupt.h>\n{HEAD}"
        "volatile unsigned char events, sent, low, whole = 1;\n"
        "TAKT_EVENT_TASK(event, 0) { events++; }\n"
        "TAKT_TASK(low, 1, 20000) { low++; long sum = 0; for (int n = 0; n < 100; n++)\n"
        "  { _delay_us(100); sum += n; } whole &= sum == 4950; }\n"
        "ISR(TIMER0_COMPA_vect) { sent++; takt_task_trigger_isr(&takt_task_event_event); }\n"
        "int main(void) { OCR0A = 249; TCCR0A = 2; TCCR0B = 4; TIMSK0 = 2; takt_tasks_run(); }\n"
    )  # every 8 ms
    machine = ran(tmp_path, source, 404)
    assert byte(machine, "sent") == byte(machine, "events") == 50
    assert byte(machine, "low") == 21 and byte(machine, "whole") == 1
    assert missed(machine, "low", kind) == 0


@WAYS
@pytest.mark.parametrize("urgent", [True, False])
def test_triggers_longer_than_a_tick(tmp_path: Path, run: str, kind: str, urgent: bool) -> None:
    """Of 5 ms, every 32 ms, mostly when nothing runs: every release of the other tasks comes
    at its date, whichever of them is more urgent."""
    source = (
        f"{kind}#include <avr/interrupt.h>\n{HEAD}"
        "volatile unsigned char events, sent, low, fast;\n"
        "TAKT_TASK(fast, 1, 5000) { fast++; }\n"
        f"TAKT_EVENT_TASK(event, {0 if urgent else 9}) {{ events++; _delay_ms(5); }}\n"
        "TAKT_TASK(low, 2, 10000) { low++; }\n"
        "ISR(TIMER0_COMPA_vect) { sent++; takt_task_trigger_isr(&takt_task_event_event); }\n"
        f"int main(void) {{ OCR0A = 249; TCCR0A = 2; TCCR0B = 5; TIMSK0 = 2; {run}(); }}\n"
    )
    machine = ran(tmp_path, source, 1012)
    assert byte(machine, "sent") == byte(machine, "events") == 31
    behind = 4 if run in LATER else 0  # ms by which the first release is later
    assert byte(machine, "low") == (1011 - behind) // 10 + 1
    started = byte(machine, "fast") + missed(machine, "fast", kind)
    assert started == (1011 - behind) // 5 + 1 and missed(machine, "low", kind) == 0


@pytest.mark.parametrize("kind", ["", NARROW])
def test_a_task_of_more_ticks_than_a_byte_counts(tmp_path: Path, kind: str) -> None:
    """300 ms, then 600 ms, one at a time: what is missed meanwhile is said, the phase is kept."""
    source = (
        f"{kind}{HEAD}volatile unsigned char low, slow;\n"
        "TAKT_TASK(low, 0, 10000) { low++; }\n"
        "TAKT_TASK(slow, 1, 100000) { if (++slow == 3) _delay_ms(300);\n"
        "  if (slow == 5) _delay_ms(600); }\n"
        "int main(void) { takt_tasks_run_in_turn(); }\n"
    )
    machine = ran(tmp_path, source, 1905)
    assert byte(machine, "low") + missed(machine, "low", kind) == 191
    assert missed(machine, "low", kind) == 29 + 59
    assert byte(machine, "slow") + missed(machine, "slow", kind) == 20
    machine.break_at(machine.symbol("takt_task_run_low"))
    machine.run(2000 * MS)
    assert machine.now % (10 * MS) == pytest.approx(1 * MS, abs=1000)


@WAYS
def test_a_task_that_never_returns(tmp_path: Path, run: str, kind: str) -> None:
    """Those below it miss all their releases but the one that waits; those above go on, unless
    tasks run one at a time."""
    source = (
        f"{kind}{HEAD}"
        "volatile unsigned char above, stuck;\n"
        "TAKT_TASK(high, 0, 10000) { above++; }\n"
        "TAKT_TASK(endless, 1, 20000) { stuck++; for (;;) ; }\n"
        "TAKT_TASK(low, 2, 20000) { above = 99; }\n"
        f"int main(void) {{ {run}(); }}\n"
    )
    machine = ran(tmp_path, source, 105)
    assert byte(machine, "stuck") == 1
    late = run in LATER  # the first release at 10 ms, not 1 ms
    of_high, of_low = 11 - late, 6 - late  # the last one waits, and is not missed
    started = 1 if run == IN_TURN else of_high
    assert byte(machine, "above") == started
    waits = run == IN_TURN
    assert missed(machine, "high", kind) == of_high - started - waits
    assert [missed(machine, n, kind) for n in ("endless", "low")] == [of_low - 2, of_low - 1]


@pytest.mark.parametrize(
    "name", ["takt-task", "takt-task-port", "takt-task-every", "takt-task-in-turn"]
)
def test_no_release_is_lost_late_or_doubled(name: str) -> None:
    """What rios.releases measures, in less time."""
    case = releases.cases(boards.load("atmega324p"))[name]
    for fits in (True, False):
        found = releases.randomised(case, fits, seconds=1)
        assert (found.lost, found.late, found.doubled) == (0, 0, 0)
        assert found.jobs > 900 and (found.missed > 100 or fits)
    assert releases.aimed(case, range(-200, 200, 16)).faults == 0


@pytest.mark.parametrize("name", [way[0] for way in releases.WAYS])
def test_nor_with_triggers_and_long_tasks(name: str) -> None:
    board = boards.load("atmega324p")
    for urgent in (True, False):
        found = releases.triggered(releases.with_triggers(board, name, urgent), seconds=2)
        assert found.faults == 0 and found.jobs > 2700
    found = releases.long(releases.cases(board)[name])
    assert found.faults == 0 and found.missed > 100


def test_the_hunt_finds_what_the_paper_s_scheduler_loses() -> None:
    """At random lengths that leave time for all, and where a task returns at a tick."""
    case = releases.cases(boards.load("atmega324p"))["rios-preemptive"]
    assert releases.randomised(case, True, seconds=2).faults > 10
    assert releases.aimed(case, range(-200, 200, 8)).faults > 2


@pytest.mark.parametrize(
    ("kind", "task", "said"),
    [
        ("", "TAKT_TASK(a, 0, 0) {}", "the period must be above 0"),
        ("", "TAKT_TASK(a, 0, 1500) {}", "not a multiple of the tick"),
        ("", "TAKT_TASK(a, 0, 16384000) {}", "too long for this tick"),
        (NARROW, "TAKT_TASK(a, 0, 128000) {}", "too long for this tick"),
        ("", "", "no task to run"),
        (COMPOSED, "", "no task to run"),
        (NARROW, "TAKT_TASK(a, 0, 1000) {}\nTAKT_TASKS(0, 200)", "tasks beside threads"),
        (COMPOSED, "TAKT_TASK(a, 0, 1000) {}\nTAKT_TASKS(0, 200)", "tasks beside threads"),
    ],
)
def test_what_is_refused(tmp_path: Path, kind: str, task: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        made(tmp_path, f"{kind}#include <takt/thread.h>\n{HEAD}{task}\n{MAIN}"
             if "TASKS" in task else f"{kind}{HEAD}{task}\n{MAIN}")  # fmt: skip
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "most", "said"),
    [(NARROW, 255, "more than 255 tasks"), (NARROW + COMPOSED, 32, "too many tasks"),
     (COMPOSED, 16, "too many tasks")],
)  # fmt: skip
def test_more_tasks_than_levels(tmp_path: Path, kind: str, most: int, said: str) -> None:
    tasks = "".join(f"TAKT_TASK(t{n}, {n}, 1000) {{}}\n" for n in range(most + 1))
    with pytest.raises(UserError) as caught:
        made(tmp_path, kind + HEAD + tasks + MAIN)
    assert said in str(caught.value)


def test_a_composed_pass_reaches_all_of_its_tasks(tmp_path: Path) -> None:
    """As many as there may be; the period of each is its own."""
    tasks = "".join(f"TAKT_TASK(t{n}, {n}, {n + 1}000) {{ ran[{n}]++; }}\n" for n in range(32))
    head = NARROW + COMPOSED + HEAD + "volatile unsigned char ran[32];\n"
    machine = ran(tmp_path, head + tasks + MAIN, 101)
    counts = list(machine.read(machine.symbol("ran"), 32))
    assert counts == [99 // (n + 1) + 1 for n in range(32)]


def test_a_triggered_task_keeps_the_timer_as_sparse(tmp_path: Path) -> None:
    source = HEAD + (
        "volatile unsigned char ran, events;\nTAKT_EVENT_TASK(event, 0) { events++; }\n"
        "TAKT_TASK(a, 1, 20000) { ran++; takt_task_trigger(&takt_task_event_event); }\n"
        "TAKT_TASK(b, 2, 50000) {}\nint main(void) { takt_tasks_run_sparse(); }\n"
    )
    machine = ran(tmp_path, source, 105)
    assert byte(machine, "ran") == byte(machine, "events") == 5
    machine.break_at(machine.symbol("__vector_14"))
    ticks = 0
    while machine.run(205 * MS).reason == "break":
        ticks += 1
    assert ticks == 10  # in 100 ms


def test_the_teacher_s_program() -> None:
    found = build(lab.ROOT / "examples" / "rios-classic", boards.load("atmega324p"), trace=False)
    assert found.flash_bytes <= 450
    machine = AvrMachine("atmega324p", 8_000_000)
    machine.load_elf(found.elf)
    lights = []
    for ms in (300, 500, 700, 900, 1100, 1300):
        machine.run(ms * MS)
        lights.append(machine.byte(0x80_0025))  # PORTB
    assert lights == [0x04, 0x08, 0x10, 0x04, 0x08, 0x11]


def test_the_teacher_s_program_elsewhere_names_the_board_to_choose() -> None:
    with pytest.raises(UserError) as caught:
        build(lab.ROOT / "examples" / "rios-classic", boards.load("pico"), trace=False)
    assert "avr/io.h" in caught.value.what and "AVR" in caught.value.what
    assert "--board atmega324p" in caught.value.fix
