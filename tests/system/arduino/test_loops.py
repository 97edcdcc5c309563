"""What the Arduino API promises, with other loops at work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from everywhere import BOARDS, OURS, PC, QEMU, SIM
from takt import boards
from takt.build.build import build
from takt.cli.run import Result
from takt.cli.run import _Session as Session
from takt.errors import UserError
from takt.world import world

HERE = Path(__file__).parent
# On the uno one switch with all it brings takes 0.3 ms.
LATE_US = {
    "stm32f051": 200,
    "microbit": 200,
    "mps2-an386": 150,
    "uno": 800,
}  # us a wait may be late by; others: 100
# An edge is stamped when no other handler runs. pico: interrupts are off for 7.5 us, and the clock
# counts 1 us
STAMP_US = {"pico": 8, "sim": 2, "stm32f051": 60}


@pytest.fixture
def run(tmp_path: Path):
    def go(name: str, where: str, seconds: float) -> Result:
        board = boards.load(where)
        built = build(HERE / name, board, out=tmp_path / "out")
        session = Session(built, world.load(HERE / name, board))
        session.go(seconds, None)
        return session.result(seconds)

    return go


def numbers(text: str, pattern: str) -> list[tuple[int, ...]]:
    return [tuple(int(x) for x in found.groups()) for found in re.finditer(pattern, text)]


@pytest.mark.parametrize("board", (*OURS, SIM))
def test_pulses_are_timed_whatever_else_runs(run, board: str) -> None:
    said = run("pulses", board, 2).serial
    high = [n for (n,) in numbers(said, r"high (\d+)\r\n")]
    low = [n for (n,) in numbers(said, r"low (\d+)\r\n")]
    assert len(high) >= 50 and len(low) >= 16, said
    assert all(abs(us - 1234) <= STAMP_US[board] for us in high), sorted(set(high))
    assert all(abs(us - 57) <= STAMP_US[board] for us in low), sorted(set(low))
    assert said.count("turns 1\r\n") >= 33


@pytest.mark.parametrize("board", BOARDS)
def test_lines_of_loops_do_not_mix(run, board: str) -> None:
    said = run("shared-serial", board, 0.5 if board in (*QEMU, PC) else 2).serial.split("\r\n")
    assert said[0] == "setup"
    counts = {1: 0, 2: 0, 3: 0}
    for line in said[1:-1]:
        found = re.fullmatch(r"loop ([123]) line (\d+)\.+", line)
        assert found and len(line) == 40 + 10 * int(found[1]), line
        assert int(found[2]) == counts[int(found[1])], line
        counts[int(found[1])] += 1
    assert min(counts.values()) >= 20, counts


@pytest.mark.parametrize("board", BOARDS)
def test_waits_are_never_early_and_hardly_late(run, board: str) -> None:
    result = run("waits", board, 2)
    waits = numbers(result.serial, r"waits (\d+) (\d+) (\d+) (-?\d+)\r\n")
    late = LATE_US.get(board, 100)
    stretched = 500 if board == "uno" else 300  # by the alarm's handler, Serial's, the clock's
    assert len(waits) >= 100
    for ms7, us123, us1500, apart in waits:
        assert 0 <= ms7 - 7000 <= late
        assert 123 <= us123 <= stretched
        assert 0 <= us1500 - 1500 <= late
        assert apart in (0, -1)  # a millisecond may begin between the two readings


EARLY = """
const unsigned waits[] = {700, 1500, 50000};
struct Early {
  Early() {
    pinMode(5, OUTPUT);
    for (unsigned us : waits) {
      digitalWrite(5, HIGH);
      delayMicroseconds(us);
      digitalWrite(5, LOW);
    }
  }
} early;
void setup() {}
void loop() {}
"""


@pytest.mark.parametrize("board", (*OURS, "uno"))
def test_constructors_wait_as_long_as_they_say(board: str, tmp_path: Path) -> None:
    """Interrupts are off then, without which the clock of an AVR does not go on."""
    folder = tmp_path / "early"
    folder.mkdir()
    (folder / "early.ino").write_text(EARLY)
    found = boards.load(board)
    session = Session(build(folder, found, out=tmp_path / "out"), world.load(folder, found))
    session.go(0.1, None)
    edges = [(cycle, level) for cycle, pin, level in session.bench.edges if pin == 5]
    rises = [cycle for cycle, level in edges if level]
    falls = [cycle for cycle, level in edges if not level][-3:]
    waited = [session.bench.us(b - a) for a, b in zip(rises, falls, strict=True)]
    for us, asked in zip(waited, (700, 1500, 50_000), strict=True):
        assert asked <= us <= 1.001 * asked + 20, waited


@pytest.mark.parametrize("board", BOARDS)
def test_a_plain_loop_beside_loops_with_budgets_is_refused(board: str, tmp_path: Path) -> None:
    folder = tmp_path / "both"
    folder.mkdir()
    text = "void setup() {}\nvoid loop() {}\nvoid loop(1, 20, 100) {}\n"
    (folder / "both.ino").write_text(text)
    with pytest.raises(UserError, match="both loop\\(\\) and loop\\(id, C, T\\)"):
        build(folder, boards.load(board), out=tmp_path / "out")
