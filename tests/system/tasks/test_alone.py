"""Tasks alone on an AVR: order, phase, states, triggers, what is missed, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt import boards, lab
from takt.build import Build, build
from takt.errors import UserError
from takt.machine_avr import AvrMachine

lab.available()
from takt_lab_rios import releases  # noqa: E402

MS = 8000  # cycles
HEAD = "#define TAKT_TICK_US 1000\n#include <takt/task.h>\n#include <util/delay.h>\n"
MAIN = "int main(void) { takt_tasks_run(); }\n"


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


def byte(machine: AvrMachine, name: str) -> int:
    return machine.byte(machine.symbol(name))


def test_the_more_urgent_first_whatever_the_order_of_definition(tmp_path: Path) -> None:
    source = HEAD + (
        "volatile unsigned char order[3], n;\n"
        "TAKT_TASK(last, 9, 100000) { order[n++] = 3; }\n"
        "TAKT_TASK(first, 0, 100000) { order[n++] = 1; }\n"
        "TAKT_TASK(middle, 5, 100000) { order[n++] = 2; }\n" + MAIN
    )
    machine = ran(tmp_path, source, 50)
    assert machine.read(machine.symbol("order"), 3) == b"\1\2\3"


def test_states_and_triggers(tmp_path: Path) -> None:
    source = HEAD + (
        "volatile signed char seen[4]; volatile unsigned char n, events, nested;\n"
        "TAKT_EVENT_TASK(event, 0) { events++; }\n"
        "TAKT_STATE_TASK(state, 1, 10000) { if (n < 4) seen[n++] = (signed char)state;\n"
        "  takt_task_trigger(&takt_task_event_event); nested = events == n; return state + 1; }\n"
    )
    machine = ran(tmp_path, source + MAIN, 35)
    assert machine.read(machine.symbol("seen"), 4) == b"\xff\0\1\2"
    assert byte(machine, "events") == 4 and byte(machine, "nested") == 1


@pytest.mark.parametrize("run", ["takt_tasks_run", "takt_tasks_run_in_turn"])
def test_a_task_that_never_returns(tmp_path: Path, run: str) -> None:
    """Those below it miss all their releases but the one that waits; those above go on."""
    source = HEAD + (
        "volatile unsigned char above, stuck;\n"
        "TAKT_TASK(high, 0, 10000) { above++; }\n"
        "TAKT_TASK(endless, 1, 20000) { stuck++; for (;;) ; }\n"
        "TAKT_TASK(low, 2, 20000) { above = 99; }\n"
        f"int main(void) {{ {run}(); }}\n"
    )
    machine = ran(tmp_path, source, 105)
    preemptive = run == "takt_tasks_run"
    assert byte(machine, "above") == (11 if preemptive else 1)
    assert byte(machine, "stuck") == 1
    if preemptive:  # released at 1, 21, .. 101 ms: six times, the last waits
        missed = [machine.byte(machine.symbol(f"takt_task_{n}") + 4) for n in ("endless", "low")]
        assert missed == [4, 5]


@pytest.mark.parametrize("run", ["takt_tasks_run", "takt_tasks_run_in_turn"])
def test_no_release_is_lost_or_doubled(run: str) -> None:
    """What rios.releases measures, in less time."""
    board = boards.load("atmega324p")
    fast = {"TAKT_TICK_US": releases.RANDOM_TICK_US, "RUN": run}
    program = releases.takt("lengths", f"test-{run}", board, fast)
    for fits in (True, False):
        found = releases.randomised(program, True, fits, seconds=2)
        assert (found.lost, found.doubled) == (0, 0)
        assert found.jobs > 1500 and (found.missed > 100 or fits)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("TAKT_TASK(a, 0, 0) {}", "the period must be above 0"),
        ("TAKT_TASK(a, 0, 1500) {}", "not a multiple of the tick"),
        ("TAKT_TASK(a, 0, 128000) {}", "too long for this tick"),
        ("", "no task to run"),
    ],
)
def test_what_is_refused(tmp_path: Path, task: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        made(tmp_path, f"{HEAD}{task}\n{MAIN}")
    assert said in str(caught.value)


def test_more_tasks_than_levels(tmp_path: Path) -> None:
    tasks = "".join(f"TAKT_TASK(t{n}, {n}, 1000) {{}}\n" for n in range(256))
    with pytest.raises(UserError) as caught:
        made(tmp_path, HEAD + tasks + MAIN)
    assert "more than 255 tasks" in str(caught.value)


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
