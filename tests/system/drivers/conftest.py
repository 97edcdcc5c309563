"""C programs on the drivers, built for a board and run there: the same program on `pico` (virtual
platform) and on `sim` (host process)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from takt import cmake
from takt.machine import Machine
from takt.machine_sim import SimMachine

HERE = Path(__file__).resolve().parent
BOARDS = ("pico", "sim")


def link(board: str, source: Path, out: Path, defines: dict[str, str]) -> Path:
    """A program of one C file, without the Arduino layer."""
    target = cmake.target_libraries(board, trace=False)
    archives = [a for a in target.archives["plain"] if "arduino" not in a]
    script = Path(target.link_script)
    command = [target.cc, *target.flags, *target.c_flags, "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{folder}" for folder in target.includes]
    command += [f"-D{name}={value}" for name, value in defines.items()]
    command += [f"-DBOARD_{board.upper()}", str(source), *target.link_flags, f"-T{script}"]
    command += ["-Wl,--whole-archive", *archives[:2], "-Wl,--no-whole-archive"]
    command += ["-Wl,--start-group", *archives[2:], "-lc", "-lgcc", "-Wl,--end-group"]
    done = subprocess.run(
        [*command, "-o", str(out)], capture_output=True, text=True, cwd=out.parent
    )
    assert done.returncode == 0, done.stderr
    return out


class Bench:
    """A machine with a program; times in microseconds since the program's clock started."""

    def __init__(self, board: str, elf: Path) -> None:
        self.board = board
        self.machine = Machine() if board == "pico" else SimMachine()
        self.machine.load_elf(elf)
        self.sent: list[tuple[float, int]] = []
        self.cycles_per_us, self.zero = 1, 0.0
        if board == "pico":
            self.machine.run(100_000)  # long enough for the clocks, short of the first event
            self.cycles_per_us = 125
            self.zero = self.machine.now / 125 - self.machine.clock_us()

    def cycle(self, us: float) -> int:
        """When that is, as the machine counts."""
        return round((us + self.zero) * self.cycles_per_us)

    def us(self, cycle: int) -> float:
        """When that was, on the program's clock."""
        return cycle / self.cycles_per_us - self.zero

    def run(self, until_us: float) -> str:
        """Runs; returns what stopped it."""
        reason = self.machine.run(self.cycle(until_us)).reason
        self.sent += [(self.us(cycle), byte) for cycle, byte in self.machine.uart_take(0)]
        return reason

    def edges(self, pin: int) -> list[tuple[float, int]]:
        """Changes of one pin made by the program, all others being dropped."""
        return [(self.us(c), level) for c, p, level in self.machine.pin_edges() if p == pin]

    @property
    def text(self) -> str:
        """All that port 0 has sent."""
        return bytes(byte for _, byte in self.sent).decode("latin-1")

    def values(self, name: str) -> list[int]:
        """Numbers the program printed as NAME=NUMBER lines."""
        lines = (line.partition("=") for line in self.text.splitlines())
        return [int(value) for key, _, value in lines if key == name]


@pytest.fixture(params=BOARDS)
def board(request: pytest.FixtureRequest) -> str:
    """Every board in turn, for tests that ask for it or for `bench`."""
    return request.param


@pytest.fixture(scope="session")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """link(), each program once."""
    folder = tmp_path_factory.mktemp("programs")

    def once(board: str, program: str, **defines: str) -> Path:
        out = folder / "-".join([board, program, *defines.values()])
        return out if out.exists() else link(board, HERE / f"{program}.c", out, defines)

    return once


@pytest.fixture
def bench(board: str, linked: Callable[..., Path]) -> Callable[..., Bench]:
    """bench(program, NAME=VALUE...) -> the program on the board, at its beginning."""
    return lambda program, **defines: Bench(board, linked(board, program, **defines))
