"""Rotary encoder and keypad against a machine without firmware."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest
from bench_of import MS, PINS, S, bench_of, driven, run
from fake_machine import FakeMachine
from takt.errors import UserError
from takt.world.bench import Bench
from takt.world.world import load

A, B, PUSH = 3, 4, 5


def knob(angle, more=""):
    return f'[parts.k]\ntype = "rotary-encoder"\na = {A}\nb = {B}\nangle = {angle}\n{more}'


def turned(bench):
    """Quarter steps by counting: which contact changed, and how both stood (Gray code)."""
    levels, count = {A: 1, B: 1}, 0
    changes = sorted(
        (at, pin, 1 if level is None else level)
        for pin in (A, B)
        for at, level in driven(bench, pin)
    )
    for _, pin, level in changes:
        if level == levels[pin]:
            continue
        alike = levels[A] == levels[B]
        count += 1 if (pin == A) == alike else -1
        levels[pin] = level
    return count


@pytest.mark.parametrize(("degrees", "quarters"), [(360, 80), (-360, -80), (90, 20), (9, 2)])
def test_a_turn_has_as_many_quarters(tmp_path, degrees, quarters):
    bench = run(tmp_path, knob(f'[["0 s", "0 deg"], ["1 s", "{degrees} deg"]]'), 2 * S)
    assert turned(bench) == quarters
    assert bench.summary()["k"]["quarter_steps"] == abs(quarters)
    assert bench.summary()["k"]["detents"] == quarters / 4


def test_there_and_back_at_even_distances(tmp_path):
    text = knob('[["0 s", "0 deg"], ["1 s", "90 deg"], ["2 s", "0 deg"]]', "detents = 10\n")
    bench = run(tmp_path, text, 3 * S)
    assert turned(bench) == 0 and bench.summary()["k"]["quarter_steps"] == 20
    times = sorted(at for pin in (A, B) for at, _ in driven(bench, pin) if at)
    assert times[0] == 50 * MS
    assert {after - before for before, after in itertools.pairwise(times)} == {100 * MS}


def test_bounce_ends_where_it_would_without(tmp_path):
    text = knob('[["0 s", "0 deg"], ["1 s", "180 deg"]]', 'bounce = "2 ms"\npull = "resistor"\n')
    bench = run(tmp_path, text, 2 * S)
    assert turned(bench) == 40
    assert len(driven(bench, A)) > 60
    assert bench.machine.driven == run(tmp_path, text, 2 * S).machine.driven


def test_it_is_pressed(tmp_path):
    text = knob('"0 deg"', f'push = {PUSH}\npress = [["1 s", "50 ms"]]\n')
    bench = run(tmp_path, text, 2 * S)
    assert driven(bench, PUSH) == [(0, None), (S, 0), (1050 * MS, None)]
    assert turned(bench) == 0 and bench.summary()["k"]["presses"] == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (knob('"0 deg"', "push = 5\n"), "go together"),
        (knob('[["0 s", "0 deg"], ["10 ms", "360 deg"]]', 'bounce = "1 ms"\n'), "their bounce"),
        (knob('[["1 s", "0 deg"], ["1 s", "9 deg"]]'), "their bounce"),
        (knob('"p.angle_deg"') + knob('"0 deg"').replace("parts.k", "parts.p"), "another part's"),
    ],
)
def test_what_an_encoder_cannot_do_is_refused(tmp_path, text, what):
    with pytest.raises(UserError, match=what):
        bench_of(tmp_path, text)


def pad(press, more=""):
    return (
        '[parts.pad]\ntype = "keypad"\nrows = [2, 3]\ncolumns = [4, 5, 6]\n'
        f'keys = ["abc", "def"]\npress = {press}\n{more}'
    )


def test_a_key_joins_its_row_and_its_column(tmp_path):
    bench = run(tmp_path, pad('[["1 s", "f"], ["2 s", "a"]]', 'hold = "50 ms"\n'), 3 * S)
    assert bench.machine.switches == [
        (S, 3, 6, True), (1050 * MS, 3, 6, False), (2 * S, 2, 4, True), (2050 * MS, 2, 4, False),
    ]  # fmt: skip
    assert bench.summary()["pad"] == {"presses": 2, "keys": "f a"}


def test_keys_chatter(tmp_path):
    bench = run(tmp_path, pad('[["1 s", "e"]]', 'bounce = "3 ms"\n'), 2 * S)
    closing = [(at, closed) for at, a, b, closed in bench.machine.switches if at < S + 50 * MS]
    assert len(closing) > 2 and closing[-1] == (S + 3 * MS, True)
    assert [closed for _, closed in closing] == [n % 2 == 0 for n in range(len(closing))]
    assert bench.machine.switches[-1][3] is False


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (pad('[["1 s", "x"]]'), "no key 'x'"),
        (pad('[["1 s", "a"], ["1050 ms", "a"]]'), "still held"),
        (pad('[["1 s", "a"]]').replace('"abc", ', ""), "are not 2 rows of 3 keys"),
        (pad('[["1 s", "a"]]').replace("def", "dea"), "there twice"),
        (pad('[["1 s", "a"]]').replace("[2, 3]", "[2, 4]"), "both row and column"),
        (pad('[["1 s", "a"]]', 'hold = "1 ms"\nbounce = "2 ms"\n'), "not longer than `bounce`"),
    ],
)
def test_what_a_keypad_cannot_do_is_refused(tmp_path, text, what):
    with pytest.raises(UserError, match=what) as caught:
        bench_of(tmp_path, text)
    assert "world.toml:" in caught.value.where and caught.value.fix


def test_a_machine_without_switches_is_told(tmp_path):
    class Bare(FakeMachine):
        """Has no resistors, as QEMU."""

        pin_pull_up = property()

    text = '[parts.s]\ntype = "ds18b20"\npin = 2\n'
    (tmp_path / "world.toml").write_text(text)
    with pytest.raises(UserError, match="'s' needs more of pins than this board's machine can do"):
        Bench(Bare(), load(tmp_path, SimpleNamespace(pins=PINS)), S)
