"""attachInterrupt() on an AVR in sketches in which nothing has a budget: called in the interrupt,
as by Arduino's core. Seen from pins; what the handlers count, from memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from takt import boards
from takt.build.build import Build, build
from takt.cli.run import _Session as Session
from takt.code.elf import Program
from takt.world import world

BOARDS = ("uno", "atmega324p")
PAIR = {"uno": (2, 3), "atmega324p": (10, 11)}  # inputs, which may interrupt
WAVES = """
[parts.a]
type = "square-wave"
pin = {}
frequency = "1 kHz"
start = "10 ms"
[parts.b]
type = "square-wave"
pin = {}
frequency = "100 Hz"
start = "10 ms"
"""


@pytest.fixture
def ran(write: Callable) -> Callable[..., tuple[Build, Session]]:
    """Builds, and runs for a second."""

    def go(board: str, text: str) -> tuple[Build, Session]:
        a, b = PAIR[board]
        text = text.replace("PIN_A", str(a)).replace("PIN_B", str(b))
        folder = write("plain", text, {"world.toml": WAVES.format(a, b)})
        built = build(folder, boards.load(board), trace=False)
        session = Session(built, world.load(built.sketch.folder, built.board))
        session.go(1, None)
        return built, session

    return go


def value(found: tuple[Build, Session], name: str) -> int:
    place = Program(found[0].elf).by_name[name]
    return int.from_bytes(found[1].machine.read(place.address, place.size), "little")


COUNTS = """
volatile unsigned rises, changes, given;
int number = 7;
void rise() { rises++; digitalWrite(5, rises & 1); }
void change(void *what) { changes++; given = *(int *)what; }
void setup() {
  pinMode(5, OUTPUT);
  attachInterrupt(digitalPinToInterrupt(PIN_A), rise, RISING);
  attachInterruptParam(digitalPinToInterrupt(PIN_B), change, CHANGE, &number);
}
void loop() { if (millis() > 500) detachInterrupt(digitalPinToInterrupt(PIN_B)); MORE }
"""


@pytest.mark.parametrize("board", BOARDS)
def test_each_edge_in_the_interrupt(ran, board: str) -> None:
    found = built, session = ran(board, COUNTS.replace("MORE", ""))
    assert [(t.name, t.budget_us) for t in built.threads] == [("loop", None)]
    assert built.admission is None and built.assumed == [
        "attachInterrupt(): handlers run in the interrupt, as nothing has a budget"
    ]
    assert 985 <= value(found, "rises") <= 991
    assert 97 <= value(found, "changes") <= 100  # 490 ms of it
    assert value(found, "given") == 7
    # One edge in 1 ms, answered at a pin at once.
    ms = built.board.clock_hz // 1000
    after = [(cycle - 10 * ms) % ms for cycle, pin, _ in session.bench.edges if pin == 5]
    assert len(after) >= 980
    assert sorted(after)[len(after) // 2] < 1100 and max(after) < 2600, "cycles after the edge"


NUMBERS = """
volatile unsigned int calls[6];
void a() { calls[0]++; }
void b() { calls[1]++; }
volatile int numbers[4], pin;
void setup() {
  attachInterrupt(0, a, RISING);
  attachInterrupt(1, b, RISING);
  numbers[0] = digitalPinToInterrupt(PIN_A);
  numbers[1] = digitalPinToInterrupt(PIN_B);
  numbers[2] = digitalPinToInterrupt(5);
  numbers[3] = digitalPinToInterrupt(0);
}
void loop() {
  if (millis() < 500) return;
  detachInterrupt(0);
  pin = 1;
  detachInterrupt(pin);
}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_arduinos_numbers(ran, board: str) -> None:
    """0 and 1 are the chip's INT0 and INT1, which digitalPinToInterrupt() says, too; other pins
    have numbers apart from those."""
    found = ran(board, NUMBERS)
    assert 488 <= value(found, "calls") & 0xFFFF <= 491
    assert 49 <= value(found, "calls") >> 16 & 0xFFFF <= 50
    numbers = [value(found, "numbers") >> 16 * n & 0xFFFF for n in range(4)]
    assert numbers == [0, 1, 5, 20 if board == "uno" else 32]


BOTH = """
volatile unsigned first, second;
void a() { first++; }
void b() { second++; }
volatile int pins[] = {0, 2};
void setup() {
  NAME(digitalPinToInterrupt(pins[0]), a, RISINGMORE);
  NAME(pins[1], b, RISINGMORE);
}
void loop() {}
"""


@pytest.mark.parametrize(
    ("name", "more"),
    (("attachInterrupt", ""), ("attachInterruptIsr", ""), ("attachInterruptVcpu", ", 1, 20")),
)
def test_any_pin(write: Callable, name: str, more: str) -> None:
    """By digitalPinToInterrupt(), or its own number, where that is no other's."""
    text = BOTH.replace("NAME", name).replace("MORE", more)
    folder = write("any", text, {"world.toml": WAVES.format(0, 2).replace("1 kHz", "20 Hz")})
    built = build(folder, boards.load("uno"), trace=False)
    session = Session(built, world.load(built.sketch.folder, built.board))
    session.go(0.5, None)
    assert value((built, session), "first") == 10
    assert 48 <= value((built, session), "second") <= 50 or more


MORE = "given = interruptsDelivered(PIN_A);"


def test_with_a_budget_on_threads(ran) -> None:
    """What asks for events delivered, or for a share of interrupts, wants threads."""
    found = ran("uno", COUNTS.replace("MORE", MORE))
    assert [t.name for t in found[0].threads] == ["bottom half of interrupts", "handlers", "loop"]
    assert found[0].admission is not None and found[0].admission.admitted
    assert 0 < value(found, "given") <= value(found, "rises")


PRINTS = """
volatile unsigned calls;
void rise() { calls++; Serial.print("edge "); Serial.println(calls); }
void setup() {
  Serial.begin(115200);
  attachInterrupt(digitalPinToInterrupt(PIN_B), rise, RISING);
}
void loop() {
  noInterrupts();
  unsigned now = calls;
  interrupts();
  if (now == 40) { Serial.println("forty"); delay(2000); }
}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_a_handler_may_print(ran, board: str) -> None:
    """More than there is room for: it waits for the hardware, as Arduino's does."""
    _, session = ran(board, PRINTS)
    lines = session.result(1).as_dict()["serial"].split("\r\n")
    counted = [line for line in lines if line.startswith("edge")]
    assert counted[:98] == [f"edge {n}" for n in range(1, 99)]
    assert any("forty" in line for line in lines)


def test_what_it_saves(ran) -> None:
    """Budgets and the kernel around them."""
    small = ran("uno", COUNTS.replace("MORE", ""))[0].flash_bytes
    large = ran("uno", COUNTS.replace("MORE", MORE))[0]
    print(small, "and", large.flash_bytes)
    assert small < 6500 and large.flash_bytes - small > 15_000


TONES = """
void setup() {
  tone(HARD, 1000, 50);
  tone(SOFT, 500, 100);
  tone(OTHER, 400, 300);
  delay(200);
  noTone(OTHER);
  digitalWrite(OTHER, HIGH);
  tone(SOFT, 250); tone(SOFT, 500, 40);
}
void loop() {}
"""
# Pins: an output of Timer2, and two that no timer reaches; the first as the chip counts.
PINS = {"uno": (3, 8, 7), "atmega324p": (14, 20, 21)}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("trace", [True, False])
def test_tones_end_in_an_interrupt(write: Callable, board: str, trace: bool) -> None:
    hard, soft, other = PINS[board]
    text = TONES.replace("HARD", str(hard)).replace("SOFT", str(soft)).replace("OTHER", str(other))
    built = build(write("tones", text), boards.load(board), trace=trace)
    assert [(t.name, t.budget_us) for t in built.threads] == [("loop", None)]
    session = Session(built, world.load(built.sketch.folder, built.board))
    chip = session.world.chip[hard]
    session.go(0.045, None)
    hz, duty = session.machine.pin_pwm(chip)
    assert abs(hz - 1000) < 5 and abs(duty - 0.5) < 0.01
    session.go(0.060, None)
    assert session.machine.pin_pwm(chip) is None
    session.go(0.5, None)
    ms = built.board.clock_hz / 1000

    def edges(pin: int) -> list[float]:
        return [cycle / ms for cycle, at, _ in session.bench.edges if at == pin]

    first = edges(soft)[0]
    of_first = [at for at in edges(soft) if at < first + 150]
    assert abs(of_first[-1] - (first + 99)) < 2.1 and len(of_first) in range(98, 104)
    again = edges(soft)[len(of_first) :]
    assert again[0] > first + 195 and again[-1] - again[0] < 42
    assert len(again) in range(38, 43), "500 Hz for 40 ms, no more of 250 Hz"
    third = edges(other)
    assert abs(third[-1] - third[0] - 200) < 3 and session.machine.pin_level(
        session.world.chip[other]
    )
