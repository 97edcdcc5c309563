"""Analog inputs and outputs of an AVR, as Arduino's: references, inputs in handlers that run in the
interrupt, and outputs that no timer has."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from takt import boards
from takt.build.build import Build, build
from takt.cli.run import _Session as Session
from takt.code.elf import Program
from takt.world import world

VOLTAGES = """
[parts.p0]
type = "potentiometer"
pin = "A0"
voltage = "0.55 V"
[parts.p1]
type = "potentiometer"
pin = "A1"
voltage = "3 V"
"""


@pytest.fixture
def ran(write: Callable) -> Callable[..., tuple[Build, Session]]:
    def go(board: str, text: str, seconds: float, parts: str = "") -> tuple[Build, Session]:
        target = boards.load(board)
        folder = write("analog", text, {"world.toml": VOLTAGES + parts})
        built = build(folder, target, trace=False)
        session = Session(built, world.load(folder, target))
        session.go(seconds, None)
        return built, session

    return go


def words(found: tuple[Build, Session], name: str) -> list[int]:
    built, session = found
    place = Program(built.elf).by_name[name]
    data = session.machine.read(place.address, place.size)
    return [int.from_bytes(data[n : n + 2], "little", signed=True) for n in range(0, len(data), 2)]


REFERENCES = """
volatile int seen[5];
void setup() {
  seen[0] = analogRead(A0);
  analogReference(INTERNAL); seen[1] = analogRead(A0);
  SECOND seen[2] = analogRead(A0);
  seen[3] = analogRead(A1);
  analogReference(DEFAULT); seen[4] = analogRead(A0);
}
void loop() {}
"""


@pytest.mark.parametrize(
    ("board", "second", "expected"),
    (
        ("uno", "", [112, 512, 512, 1023, 112]),
        ("atmega324p", "analogReference(INTERNAL2V56);", [112, 512, 220, 1023, 112]),
    ),
)
def test_references(ran, board: str, second: str, expected: list[int]) -> None:
    """0.55 V against 5, 1.1 and 2.56 V; what is above the reference reads as the most."""
    seen = words(ran(board, REFERENCES.replace("SECOND", second), 0.1), "seen")
    assert seen == pytest.approx(expected, abs=1)


HANDLER = """
volatile int ticks, wrong, turns, mistaken;
void tick() { ticks++; int is = analogRead(A0); if (is < 111 || is > 113) wrong++; }
void setup() { attachInterrupt(digitalPinToInterrupt(2), tick, CHANGE); }
void loop() { turns++; int is = analogRead(A1); if (is < 613 || is > 615) mistaken++; }
"""


@pytest.mark.parametrize("frequency", ("10 Hz", "487 Hz", "999 Hz"))
def test_in_an_interrupt(ran, frequency: str) -> None:
    """At any moment of a conversion of the loop's, which is of another pin."""
    wave = f'[parts.wave]\ntype = "square-wave"\npin = 2\nfrequency = "{frequency}"\n'
    found = ran("uno", HANDLER, 1, wave)
    counts = [words(found, name)[0] for name in ("ticks", "wrong", "turns", "mistaken")]
    assert counts[0] >= 2 * int(frequency.split()[0]) - 2
    assert counts[1] == counts[3] == 0 and counts[2] > 1000, counts


WRITES = """
int led = PIN;
void setup() { analogWrite(WHICH, LEVEL); }
void loop() {}
"""


@pytest.mark.parametrize("level", (20, 64, 200))
@pytest.mark.parametrize(
    ("board", "pin", "which"), (("uno", 9, "led"), ("uno", 10, "10"), ("atmega324p", 13, "13"))
)
def test_outputs_of_the_clocks_timer(ran, board: str, pin: int, which: str, level: int) -> None:
    text = WRITES.replace("PIN", str(pin)).replace("WHICH", which).replace("LEVEL", str(level))
    built, session = ran(board, text, 0.2)
    edges = [(cycle, high) for cycle, of, high in session.bench.edges if of == pin][2:]
    hz = built.board.clock_hz
    highs = [(b - a) / hz for (a, high), (b, _) in pairwise(edges) if high]
    rises = [cycle for cycle, high in edges if high]
    periods = [(b - a) / hz for a, b in pairwise(rises)]
    assert len(periods) > 90 and sum(periods) / len(periods) == pytest.approx(1 / 490, rel=0.01)
    assert sum(highs) / sum(periods) == pytest.approx(level / 255, abs=0.02)


def test_no_software_without_need(ran) -> None:
    """A constant pin that a timer has."""
    hard, _ = ran("uno", "void setup() { analogWrite(3, 64); } void loop() {}", 0.01)
    soft, _ = ran("uno", "void setup() { analogWrite(9, 64); } void loop() {}", 0.01)
    assert "takt_pwm_software" not in Program(hard.elf).by_name
    assert soft.flash_bytes > hard.flash_bytes + 400
