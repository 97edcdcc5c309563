"""Spoilt servers are noticed: each mutant of kernel/budget/server.c differs from the oracle, on a
board's costs, within a few programs."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import kernel_library
import pytest
from compare import difference
from kernel_library import SERVER
from oracle_program import LOCK, RUN, SLEEP, UNLOCK, Thread
from programs import PIECES, Program, random_program, scaled
from test_schedule import wakeful

PICO = PIECES[1]
GATHER = "        v->list[1].amount += v->list[0].amount;\n"
MERGE = "    v->list[best + 1].amount += v->list[best].amount;\n"
WORTH = "worth_it = TAKT_PIECE_US;"
SOON = "           takt_before(v->list[0].at, v->next_start) && "
OWED = "    post(v, put_off(at, v->period, now), v->open);\n"
DATED = "return (int32_t)(at - now) > (int32_t)(FURTHEST - later) ? now + FURTHEST : at + later;"


@dataclass(frozen=True)
class Mutant:
    """What is written instead of what in server.c."""

    old: str
    new: str


MUTANTS = {
    "gather drops an amount": Mutant(GATHER, ""),
    "gather pays early": Mutant(GATHER, f"{GATHER}v->list[1].at = v->list[0].at;"),
    "gather gathers nothing": Mutant(WORTH, "worth_it = 0;"),
    "gather gathers all": Mutant(WORTH, "worth_it = UINT32_MAX;"),
    "gather makes whole periods wait": Mutant(SOON, "           "),
    "merge drops an amount": Mutant(MERGE, ""),
    "merge pays early": Mutant(MERGE, f"{MERGE}v->list[best + 1].at = v->list[best].at;"),
    "what is owed comes early": Mutant(OWED, "    post(v, now + v->period, v->open);\n"),
    "what is owed wraps": Mutant(DATED, "return at + later;"),
}


def debtor(rng: random.Random) -> Program:
    """Sections that take many budgets, with periods up to the longest."""
    period = rng.choice((1000, 1 << 20, 1 << 28))
    script = [(LOCK, 0, 0), (RUN, rng.randint(20, 5000), 0), (UNLOCK, 0, 0), (SLEEP, period, 0)]
    thread = Thread(rng.randint(1, 400), period, script)
    return Program([thread], 20 * period, [], [0], piece=PICO)


def programs(seed: int) -> list[Program]:
    rng = random.Random(seed)
    made = [scaled(made, 41, PICO) for made in (random_program(rng), wakeful(rng))]
    return [replace(one, capacity=3) for one in (*made, debtor(rng))]  # all with one library


@pytest.fixture
def spoilt(monkeypatch: pytest.MonkeyPatch):
    """spoilt(mutant): the kernel with it, from then on."""

    def spoil(mutant: Mutant) -> None:
        text = SERVER.read_text()
        assert text.count(mutant.old) == 1, mutant.old
        instead = (SERVER, text.replace(mutant.old, mutant.new))
        monkeypatch.setattr(kernel_library, "replaced", instead)

    return spoil


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_caught(name: str, spoilt) -> None:
    spoilt(MUTANTS[name])
    assert any(difference(p) is not None for seed in range(60) for p in programs(seed))


def test_the_kernel_itself_is_not() -> None:
    assert all(difference(p) is None for seed in range(60) for p in programs(seed))
