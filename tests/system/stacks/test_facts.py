"""The facts that functions state (include/takt/fact.h)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from programs_of_all_kinds import MCUS, written
from takt import boards, build
from takt.elf import Program
from takt.errors import UserError
from takt.facts import Facts
from takt.paths import ROOT

# What every program with threads and budgets has, whatever its port.
EVERYWHERE = {
    "preempts", "idle", "switches", "last", "locked", "called isr stack", "calls isr stack",
    "only setup", "only threads", "entry loop", "locks", "unlocks",
}  # fmt: skip


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
    for program in programs:
        facts = Facts(program)
        assert facts.unplaced == []
        assert all(program.function_at(at).address == at for at in facts.of)
    facts = Facts(programs[0])
    assert {text for texts in facts.of.values() for text in texts} >= EVERYWHERE
    named = {programs[0].function_at(at).name for at in facts.functions("locks", "unlocks")}
    assert named == {"takt_mutex_lock", "takt_mutex_unlock"}
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
__attribute__((noinline)) void mine() { TAKT_FACT("%s"); asm volatile(""); }
void setup() {}
void loop(1, 5, 100) { mine(); delay(3); }
"""


def test_one_that_the_tools_do_not_know_is_refused(write: Callable) -> None:
    with pytest.raises(UserError, match=r"mine\(\) states the fact 'lasst'"):
        build.build(write("own", OWN % "lasst"), boards.load("pico"))


@pytest.mark.parametrize("board", ["pico", "uno"])
def test_what_is_not_linked_states_nothing(write: Callable, board: str) -> None:
    found = []
    for text in (OWN.replace("mine(); delay", "delay"), OWN, OWN.replace("mine(); delay", "delay")):
        program = Program(build.build(write("own", text % "last"), boards.load(board)).elf)
        facts = Facts(program)
        assert not facts.unplaced
        found.append(len(facts.functions("last")))
    assert found[0] == found[1] - 1 == found[2]


def test_alarms_of_avr_all_state_it() -> None:
    """Whatever is given to an alarm: the handler calls what states that, and nothing else."""
    for file in (ROOT / "drivers").glob("*/avr*.c"):
        text = file.read_text()
        parts = text.split("(struct avr_alarm *alarm)\n{\n")[1:]
        for body in parts:
            assert body.startswith('    TAKT_FACT("called alarm");'), file
