"""Arduino's own examples, unmodified, built for the pico (some for every board) and run for 2
virtual seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import package
import pytest
from everywhere import ARMV7M, BOARDS
from sketches import EXCLUDED, SKETCHES, Seen
from takt import boards
from takt.build.build import build
from takt.cli.run import _Session as Session
from takt.errors import UserError
from takt.world import world

SERIAL = (  # need no more than a serial port
    "04.Communication/ASCIITable",
    "04.Communication/SerialEvent",
    "08.Strings/StringCaseChanges",
    pytest.param("08.Strings/StringReplace", marks=pytest.mark.long),
)
PLACES = tuple(
    pytest.param(board, marks=pytest.mark.long) if board in ARMV7M else board for board in BOARDS
)


@pytest.fixture(scope="module")
def folder() -> Path:
    return package.examples()


def test_every_sketch_is_listed(folder: Path) -> None:
    assert package.names(folder) == SKETCHES.keys() | EXCLUDED.keys()
    assert len(SKETCHES) >= 48
    assert not SKETCHES.keys() & EXCLUDED.keys()


EACH = [  # every third in the ordinary run
    name if number % 3 == 0 else pytest.param(name, marks=pytest.mark.wide)
    for number, name in enumerate(SKETCHES)
]


@pytest.mark.parametrize("name", EACH)
def test_runs(name: str, folder: Path, tmp_path: Path) -> None:
    runs(name, boards.load("pico"), folder, tmp_path)


@pytest.mark.parametrize("board", PLACES)
@pytest.mark.parametrize("name", SERIAL)
def test_serial_sketches_run(name: str, board: str, folder: Path, tmp_path: Path) -> None:
    runs(name, boards.load(board), folder, tmp_path)


def runs(name: str, board: Any, folder: Path, tmp_path: Path) -> None:
    seen = SKETCHES[name]
    built = build(folder / name, board, out=tmp_path / "out")
    assert built.threads
    assert not [doubt for thread in built.threads for doubt in thread.doubts]
    session = Session(built, _world(tmp_path, seen, board))
    session.go(seen.seconds, None)  # raises when the firmware stops
    _look(session, seen)
    for thread in session.result(seen.seconds).threads():
        assert 0 < thread["stack_used"] < thread["stack_size"], thread
        assert thread["misses"] in (0, None), thread  # None: nothing was due


def _world(tmp_path: Path, seen: Seen, board: Any) -> world.World:
    entries = [f"[[stimuli]]\n{entry}\n" for entry in seen.stimuli]
    (tmp_path / "world.toml").write_text("\n".join(entries))
    return world.load(tmp_path, board)


def _pwm(machine: Any, pin: int) -> tuple[float, float]:
    """What the pin gives now or, because short tones come and go, within the next 50 ms."""
    for _ in range(50):
        found = machine.pin_pwm(pin)
        if found:
            return found
        machine.run(machine.now + machine.hz // 1000)
    raise AssertionError(f"no PWM on pin {pin}")


def _look(session: Session, seen: Seen) -> None:
    machine, bench = session.machine, session.bench
    assert machine.unimplemented() == []
    for port, texts in enumerate((seen.serial, seen.serial1)):
        said = bench.text(port).replace("\r\n", "\n")
        for text in texts:
            assert text in said, said
    for pin, least in seen.pins.items():
        assert sum(edge[1] == pin for edge in bench.edges) >= least, pin
    for pin in seen.high:
        assert machine.pin_level(pin) == 1, pin
    for pin, hz in seen.pwm.items():
        frequency, duty = _pwm(machine, pin)
        assert frequency == pytest.approx(hz, rel=0.01), pin
        assert 0 <= duty <= 1


@pytest.mark.parametrize("name", EXCLUDED)
def test_what_is_excluded_could_not_work(name: str, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="A5"):
        build(folder / name, boards.load("pico"), out=tmp_path)
