"""Buzzer and stepper against a machine without firmware."""

from __future__ import annotations

import pytest
from bench_of import MS, US, S, bench_of, run
from takt.errors import UserError

PIN = 3
BUZZER = f'[parts.b]\ntype = "buzzer"\npin = {PIN}\n'


def tone(at, hz, seconds, pin=PIN):
    """Edges of whole periods."""
    period = S / hz
    count = round(seconds * hz)
    rises = [at + round(n * period) for n in range(count)]
    return [edge for rise in rises for edge in ((rise, pin, 1), (rise + round(period / 2), pin, 0))]


def notes(bench):
    return bench.summary()["b"]["start_hz_length"]


def test_notes_with_rests(tmp_path):
    edges = tone(S, 440, 0.5) + tone(2 * S, 880, 0.25)
    found = notes(run(tmp_path, BUZZER, 3 * S, edges))
    assert found == [[1000.0, 440.0, pytest.approx(500, abs=0.01)],
                     [2000.0, 880.0, pytest.approx(250, abs=0.01)]]  # fmt: skip


def test_notes_one_after_another_a_semitone_apart(tmp_path):
    scale = [440 * 2 ** (n / 12) for n in range(8)]
    edges = [e for n, hz in enumerate(scale) for e in tone(S + n * S // 5, hz, 0.2)]
    found = notes(run(tmp_path, BUZZER, 4 * S, edges))
    assert [hz for _, hz, _ in found] == pytest.approx(scale, rel=0.003)
    assert all(abs(length - 200) < 5 for _, _, length in found)


@pytest.mark.parametrize("pause_ms", [15, 37.5])
def test_a_short_pause_belongs_to_no_note(tmp_path, pause_ms):
    """Between two that are the same, and between others: as toneMelody has them."""
    at, edges, began = S, [], []
    for hz in (196, 196, 220, 880, 196):
        began.append(at / MS)
        edges += tone(at, hz, 0.125)
        at = edges[-2][0] + round(S / hz) + round(pause_ms * MS)
    found = notes(run(tmp_path, BUZZER, 4 * S, edges))
    assert [hz for _, hz, _ in found] == pytest.approx([196, 196, 220, 880, 196], rel=0.001)
    assert [start for start, _, _ in found] == pytest.approx(began, abs=0.01)
    assert all(abs(length - 125) < 5.2 for _, _, length in found)


def test_a_much_lower_note_follows_at_once(tmp_path):
    edges = tone(S, 880, 0.125) + tone(S + S // 8, 196, 0.125)
    found = notes(run(tmp_path, BUZZER, 4 * S, edges))
    assert [start for start, _, _ in found] == pytest.approx([1000, 1125], abs=1.2)
    assert [hz for _, hz, _ in found] == pytest.approx([880, 196], rel=0.03)


def test_a_period_that_comes_late_ends_no_note(tmp_path):
    edges = [(at + (S // 5000 if at > S + S // 4 else 0), *rest) for at, *rest in tone(S, 880, 0.5)]
    [[_, hz, length]] = notes(run(tmp_path, BUZZER, 3 * S, edges))
    assert hz == pytest.approx(880, rel=0.001) and length == pytest.approx(500, abs=1)


def test_clicks_are_no_notes(tmp_path):
    edges = [(n * S // 2, PIN, n % 2) for n in range(1, 8)]
    found = run(tmp_path, BUZZER, 4 * S, edges).summary()["b"]
    assert found["notes"] == 0 and found["clicks"] == 4


COILS = (8, 9, 10, 11)
FULL = ((1, 1, 0, 0), (0, 1, 1, 0), (0, 0, 1, 1), (1, 0, 0, 1))
WAVE = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
HALF = tuple(row for pair in zip(WAVE, FULL, strict=True) for row in pair)


def motor(more=""):
    return f'[parts.m]\ntype = "stepper"\ncoils = [8, 9, 10, 11]\nfastest = "500 Hz"\n{more}'


def sequence(rows, period, at=S, between=0):
    """One row after another; pins one by one, `between` apart."""
    edges, levels = [], dict.fromkeys(COILS, 0)
    for n, row in enumerate(rows):
        for k, (pin, level) in enumerate(zip(COILS, row, strict=True)):
            if levels[pin] != level:
                edges.append((at + n * period + k * between, pin, level))
                levels[pin] = level
    return edges


def rows_of(table, count, back=False):
    order = [table[n % len(table)] for n in range(count)]
    return [table[-n % len(table)] for n in range(count)] if back else order


def turned(folder, rows, period, between=0):
    edges = sequence(rows, period, between=between)
    return run(folder, motor(), S + period * (len(rows) + 20), edges).summary()["m"]


@pytest.mark.parametrize(("table", "step"), [(FULL, 1), (WAVE, 1), (HALF, 0.5)])
@pytest.mark.parametrize("back", [False, True])
def test_sequences_turn_it(tmp_path, table, step, back):
    found = turned(tmp_path, rows_of(table, 41, back), 4 * MS, between=5 * US)
    wanted = -40 * step if back else 40 * step
    assert found["steps"] == found["told_steps"] == wanted
    assert found["lost_steps"] == found["jumps"] == found["without_torque"] == 0
    assert found["fastest_hz"] == pytest.approx(250, rel=0.01)
    assert found["turned_deg"] == pytest.approx(wanted * 1.8)


@pytest.mark.parametrize(("ms", "loses"), [(2.1, False), (1.0, True)])
def test_too_fast_loses_steps_by_fours(tmp_path, ms, loses):
    found = turned(tmp_path, rows_of(FULL, 81), round(ms * MS))
    assert found["told_steps"] == 80
    assert (found["lost_steps"] > 0) == loses and found["lost_steps"] % 4 == 0
    assert found["steps"] + found["lost_steps"] == 80


def test_a_wrong_order_of_wires_does_not_turn_it(tmp_path):
    """As Stepper(8, 9, 10, 11) does with a ULN2003: pins 2 and 3 the other way round."""
    crossed = [(a, c, b, d) for a, b, c, d in rows_of(FULL, 41)]
    found = turned(tmp_path, crossed, 4 * MS)
    assert abs(found["steps"]) <= 2
    assert found["without_torque"] >= 19 and found["jumps"] >= 19


DRIVER = '[parts.m]\ntype = "stepper"\nstep = 2\ndir = 4\nfastest = "500 Hz"\n'


def steps(count, period, at=S, forwards=1):
    return [(at - MS, 4, forwards)] + [
        edge
        for n in range(count)
        for edge in ((at + n * period, 2, 1), (at + n * period + 500, 2, 0))
    ]


@pytest.mark.parametrize(
    ("forwards", "micro", "wanted"), [(1, 1, 100), (0, 1, -100), (1, 16, 6.25)]
)
def test_a_driver(tmp_path, forwards, micro, wanted):
    text = DRIVER + f"microsteps = {micro}\nsteps = 400\n"
    found = run(tmp_path, text, 3 * S, steps(100, 4 * MS, forwards=forwards)).summary()["m"]
    assert found["steps"] == found["told_steps"] == wanted
    assert found["turned_deg"] == pytest.approx(wanted * 0.9, abs=0.01)


def test_a_driver_that_is_too_fast_and_one_that_is_off(tmp_path):
    found = run(tmp_path, DRIVER, 3 * S, steps(400, MS)).summary()["m"]
    assert found["lost_steps"] > 0 and found["lost_steps"] % 4 == 0
    off = [(10, 5, 1), (2 * S, 5, 0)]
    edges = steps(10, 4 * MS) + steps(7, 4 * MS, at=3 * S) + off
    found = run(tmp_path, DRIVER + "enable = 5\n", 4 * S, edges).summary()["m"]
    assert found["steps"] == 7 and found["steps_while_off"] == 10


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[parts.m]\ntype = "stepper"\n', "either coils or a driver"),
        (motor("step = 2\ndir = 3\n"), "either coils or a driver"),
        ('[parts.m]\ntype = "stepper"\nstep = 2\n', "go together"),
        (motor("microsteps = 2\n"), "are of a driver"),
    ],
)
def test_what_a_stepper_is_wired_to(tmp_path, text, what):
    with pytest.raises(UserError, match=what):
        bench_of(tmp_path, text)
