"""The facts that functions state (include/takt/fact.h)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from programs_of_all_kinds import MCUS, written
from takt import boards
from takt.build import build
from takt.code.elf import Program
from takt.code.facts import Facts
from takt.errors import UserError
from takt.paths import ROOT

ALL = {  # what states them in these programs, whatever the board
    "called isr stack": {"dispatch_work"},
    "calls none": {"takt_end_job_locked"},
    "entry job": {"takt_periodic_thread"},
    "entry loop": {"takt_arduino_thread"},
    "entry tasks": {"takt_tasks_thread"},
    "idle": {"port_idle"},
    "locked": {
        "takt_block_locked",
        "takt_thread_exit",
        "takt_dispatch_locked",
        "takt_leave_locked",
    },
    "locks": {"takt_mutex_lock"},
    "only setup": {"takt_arduino_setup"},
    "only tasks": {"takt_tasks_preempted_locked"},
    "only threads": {"takt_sem_wait", "takt_sleep", "takt_sem_wait_for"},
    "preempts": {"takt_preempt"},
    "switches": {"port_thread_entry", "port_switch", "port_start"},
    "takes switch": {"takt_dispatch_locked"},
    "unlocks": {"takt_mutex_unlock"},
}
SOME = {  # and what more may, on some boards
    "calls isr stack": {"port_on_isr_stack", "port_isr"},
    "calls task": {"takt_tasks_pass_locked", "passes", "port_tasks_run_in_turn"},
    "called alarm": {"alarm_serve"},
    "calls alarm": {"isr_TIMER1_COMPB"},
    "entry handler": {"takt_arduino_handler"},
    "entry tasks in turn": {"port_tasks_run_in_turn"},
    "takes + 25": {"delayMicroseconds", "_ZL13wait_by_clockj", "_ZL9wait_longj"},
    "only with setup": {"takt_attach_early", "takt_place_jobs"},
    "last": {
        "takt_fatal",
        "returned_locked",
        "port_unhandled",
        "takt_unhandled_isr",
        "port_hardfault",
    },
}


def built(board: str, folder: Path) -> list[Program]:
    found = boards.load(board)
    return [
        Program(build.build(own, found, False, folder / "out" / own.name, admit=False).elf)
        for own in written(found, folder)
    ]


@pytest.mark.parametrize("board", MCUS)
def test_every_record_is_in_a_function(board: str, tmp_path: Path) -> None:
    """Whatever that is called: the symbol by which it is found is the function's own."""
    programs = built(board, tmp_path)
    stated: dict[str, set[str]] = {}
    for program in programs:
        facts = Facts(program)
        assert facts.unplaced == []
        names: dict[int, set[str]] = {}
        for symbol in program.symbols:
            names.setdefault(symbol.address, set()).add(symbol.name)
        for at, texts in facts.of.items():
            for text in texts:
                known = names[at] & (ALL | SOME).get(text, set())
                assert known, (text, names[at])
                stated.setdefault(text, set()).update(known)
    assert {text: stated.get(text) for text in ALL} == ALL
    assert stated["last"] >= {"takt_fatal"} and stated["calls isr stack"] and stated["calls task"]
    assert stated["only with setup"] >= {"takt_place_jobs"}
    facts = Facts(programs[0])
    assert {facts.entry(thread.entry) for thread in programs[0].threads()} == {"loop", "job"}
    assert Facts(programs[1]).functions("entry tasks", "calls task")
    if len(programs) > 2 and programs[2].descriptors():
        entries = [Facts(programs[2]).entry(thread.entry) for thread in programs[2].threads()]
        assert sorted(entries) == ["", "handler", "loop"]  # the first is the bottom half's


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_none_of_them_is_loaded(board: str, tmp_path: Path) -> None:
    program = built(board, tmp_path)[0]
    assert not [s for s in program.sections if "fact" in s.name]
    for _, _, data in program.segments:
        for text in ("only setup", "called isr stack", "calls isr stack", "entry loop"):
            assert text.encode() + b"\0" not in data


OWN = """\
#include <takt/fact.h>
%s void mine() { TAKT_FACT("%s"); asm volatile(""); }
void setup() {}
void loop(1, 5, 100) { mine(); delay(3); }
"""


@pytest.mark.parametrize("board", ["pico", "uno"])
@pytest.mark.parametrize("how", ["__attribute__((noinline))", "static inline"])
def test_a_sketch_states_none(write: Callable, board: str, how: str) -> None:
    """They would be believed; and of what is inlined they would be its caller's."""
    with pytest.raises(UserError, match=r"\(\) states the fact 'last', which only Takt's own"):
        build.build(write("own", OWN % (how, "last")), boards.load(board))


def test_one_that_the_tools_do_not_know(write: Callable) -> None:
    with pytest.raises(UserError, match=r"mine\(\) states the fact 'lasst', which the tools do"):
        build.build(write("own", OWN % ("__attribute__((noinline))", "lasst")), boards.load("pico"))


READS = """\
void setup() {}
void loop(1, 5, 100) { %s delay(3); }
"""


@pytest.mark.parametrize(("board", "fact"), [("pico", "takes 20"), ("uno", "takes 300")])
def test_what_is_not_linked_states_nothing(write: Callable, board: str, fact: str) -> None:
    found = []
    for text in ("", "analogRead(A0);", ""):
        program = Program(build.build(write("own", READS % text), boards.load(board)).elf)
        facts = Facts(program)
        assert not facts.unplaced
        found.append(len(facts.functions(fact)))
    assert found == [0, 1, 0]


def test_alarms_of_avr_all_state_it() -> None:
    """Whatever is given to an alarm: the handler calls what states that, and nothing else."""
    count = 0
    for file in (ROOT / "drivers").glob("*/avr*.c"):
        text = file.read_text()
        for body in text.split("(struct avr_alarm *alarm)\n{\n")[1:]:
            assert body.startswith('    TAKT_FACT("called alarm");'), file
            count += 1
    assert count == 5
