"""C programs on the drivers, built for a board and run there: the same program on real boards
(virtual platform) and on `sim` (host process)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from everywhere import OURS
from programs import with_kernel
from takt import boards
from takt.build import cmake
from takt.machine.machines import machine_of
from takt.world.world import empty

HERE = Path(__file__).resolve().parent
WITH_PINS = (*OURS, "uno", "sim")  # whose pins can be driven
# What the programs' names for pins and for impossible things stand for.
NAMES = {
    "pico": {"PWM_A": 16, "PWM_B": 17, "ADC_A": 26, "ADC_B": 29, "BAD_PIN": 30, "BAD_ADC": 25},
    "stm32f051": {"PWM_A": 4, "PWM_B": 5, "ADC_A": 14, "ADC_B": 17, "BAD_PIN": 32, "BAD_ADC": 7},
}
NAMES["uno"] = {"PWM_A": 5, "PWM_B": 11, "ADC_A": 14, "ADC_B": 17, "BAD_PIN": 32, "BAD_ADC": 7}
NAMES["sim"] = NAMES["pico"]


def link(board: str, source: Path, out: Path, defines: dict[str, str]) -> Path:
    """A program of one C file, without the Arduino layer."""
    target = cmake.target_libraries(board, "plain")
    command = [target.cc, *target.flags, *target.c_flags, "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{folder}" for folder in target.includes]
    chip = re.sub(r"\W", "_", board.upper())
    command += [f"-D{name}={value}" for name, value in {**NAMES.get(board, {}), **defines}.items()]
    command += [f"-DBOARD_{chip}", "-DTAKT_TRACE_EVENTS=0", str(source)]
    return with_kernel(target, board, "plain", command, out)


class Bench:
    """A machine with a program; times in microseconds since the program's clock started."""

    def __init__(self, board: str, elf: Path) -> None:
        about = boards.load(board)
        self.board, self.world = board, empty(about)
        host = about.core == "host"
        self.machine = machine_of(about)
        self.machine.load_elf(elf)
        self.sent: list[tuple[float, int]] = []
        self.cycles_per_us, self.zero = 1, 0.0
        if not host:
            self.cycles_per_us = about.clock_hz // 1_000_000
            self.machine.run(800 * self.cycles_per_us)  # clocks run, nothing has happened yet
            while self.machine.clock_us() == 0:  # a program that is copied first
                self.machine.run(self.machine.now + 100 * self.cycles_per_us)
            self.zero = self.machine.now / self.cycles_per_us - self.machine.clock_us()

    def pin(self, name: str | int) -> int:
        """The chip's number of a pin, given by its name in the programs or its number."""
        number = NAMES[self.board][name] if isinstance(name, str) else name
        return self.world.chip[number]

    def adc_set(self, name: str, volts: float) -> None:
        self.machine.adc_set(self.world.adc_channel(NAMES[self.board][name]), volts)

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

    def edges(self, name: str | int) -> list[tuple[float, int]]:
        """Changes of one pin made by the program, all others being dropped."""
        pin = self.pin(name)
        return [(self.us(c), level) for c, p, level in self.machine.pin_edges() if p == pin]

    @property
    def text(self) -> str:
        """All that port 0 has sent."""
        return bytes(byte for _, byte in self.sent).decode("latin-1")

    def values(self, name: str) -> list[int]:
        """Numbers the program printed as NAME=NUMBER lines."""
        lines = (line.partition("=") for line in self.text.splitlines())
        return [int(value) for key, _, value in lines if key == name]


@pytest.fixture(params=WITH_PINS)
def board(request: pytest.FixtureRequest) -> str:
    """Boards in turn, for tests that ask for it or for `bench`."""
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
