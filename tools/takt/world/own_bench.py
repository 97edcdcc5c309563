"""The bench as a part of a user's own has it: what the part asks for is looked at, so that a
mistake shows in the line that makes it and not later, where the bench would stumble over it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from takt.machine.wave import Wave

if TYPE_CHECKING:
    from takt.world.bench import Bench
    from takt.world.parts import Part

PORTS = (0, 1)
LATE_NS = 2_000  # what a date may be past, as a run stops behind an instruction
AT_ONCE = 10_000  # actions that one cycle may have


class OwnBench:
    """A bench, for one part."""

    def __init__(self, bench: Bench, part: Part) -> None:
        self._bench, self._part = bench, part
        self._at_once = 0, 0  # the cycle, and how many actions were planned for it in it
        self._prompt = any(wire.prompt for wire in part.pins())
        self._outputs = {wire.pin: wire.analog for wire in part.pins() if wire.drives}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bench, name)

    def at(self, cycle: int, action: Callable[[], None]) -> None:
        _check_cycle(cycle)
        if not callable(action) or not _needs_nothing(action):
            raise TypeError(f"{action!r} cannot be called as action(): write lambda: ...")
        if cycle <= self._bench.now:
            since, count = self._at_once
            self._at_once = self._bench.now, count + 1 if since == self._bench.now else 1
            if count > AT_ONCE:
                raise ValueError("each action plans another for the same cycle, without end")
        self._bench.at(cycle, action)

    def drive(self, pin: int, level: int | None, cycle: int) -> None:
        _check_cycle(cycle)
        self._check_pin(pin, analog=False)
        if level not in (0, 1, None):
            raise ValueError(f"{level!r} is no level: 0, 1, or None to let the pin go")
        late = self._bench.ns(self._bench.now - cycle)
        if late > LATE_NS and not self._prompt:
            raise ValueError(
                f"drive({pin}, {level}, ...) is {late / 1000:g} us late: a part that answers "
                "changes of a pin has prompt=True in its Wire() in pins(), so that it knows at once"
            )
        self._bench.drive(pin, level, cycle)

    def wave(self, pin: int, wave: Wave) -> None:
        self._check_pin(pin, analog=False)
        self._bench.wave(pin, wave)

    def analog(self, pin: int, volts: float) -> None:
        self._check_pin(pin, analog=True)
        if not isinstance(volts, int | float) or not -100 < volts < 100:
            raise ValueError(f"{volts!r} is no voltage")
        self._bench.analog(pin, float(volts))

    def send(self, port: int, data: bytes, baud: int | None = None) -> None:
        if port not in PORTS or not isinstance(data, bytes):
            raise TypeError(f"a port, 0 or 1, and bytes are sent, not {port!r} and {data!r}")
        self._bench.send(port, data, baud)

    def _check_pin(self, pin: int, analog: bool) -> None:
        if self._outputs.get(pin) is not analog:
            kind = "drives=True, analog=True" if analog else "drives=True"
            raise ValueError(f"pins() has no Wire(..., {pin!r}, {kind})")


def _check_cycle(cycle: int) -> None:
    if type(cycle) is not int:
        raise TypeError(f"{cycle!r} is no cycle: those are whole numbers, bench.cycles(ns)")


def _needs_nothing(action: Any) -> bool:
    """Can it be called without arguments?"""
    function = getattr(action, "__func__", action)
    code, bound = getattr(function, "__code__", None), function is not action
    needed = code.co_argcount - len(function.__defaults__ or ()) if code else 0
    return needed <= bound
