"""Timed waits and sleeps, disturbed at every cycle: by the alarm, by a signal, by a more urgent
thread that sleeps itself."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

import pytest
from everywhere import OURS
from takt.paths import ROOT
from windows import BASE, HIGH, LIMIT, LINKING, LOW, PRIMASK, PSP, TOP, Broken, Shot, Windows

TICK = {"pico": 125, "stm32f051": 48}  # cycles
ALARM = {"pico": "isr_timer0", "stm32f051": "isr_tim2"}
NONE = ("-DBUDGETS", "-DLAST_HAS_NONE")
LAG = 10  # cycles of a turn in timed.c, at least
LONG = 1000  # us: no window lasts as long
FALLING = 500  # cycles from a call until everybody sleeps, and the alarm's handler
STEPS = {"takt_sleep_locked", "takt_check_stack", "idle"}  # after the alarm has been set


class Timed(Windows):
    """Windows in which base waits `limit` us at most, `lag` turns after the opening."""

    def wait(self, limit: int, lag: int = 0) -> None:
        for name, value in (("limit", limit), ("lag", lag)):
            self.machine.write(self.machine.symbol(name), struct.pack("<I", value))
        self.window(((HIGH, LIMIT // 2),) if limit == LONG else ())

    def alarm(self, handler: str) -> int:
        """Where the alarm finds a window that nothing else disturbs."""
        m = self.machine
        m.break_at(m.symbol(handler) & ~1)
        assert m.run(m.now + LIMIT).reason == "break"
        m.break_at(m.symbol(handler) & ~1, False)
        found = m.word(m.register(PSP) + 24)
        self.window(())
        return found

    def exposed(self) -> set[int]:
        """What of STEPS is executed with interrupts on while base falls asleep."""
        m, found = self.machine, set()
        m.pend_irq(HIGH, m.now + LIMIT // 2)
        slept = m.sleep_cycles
        while m.sleep_cycles == slept:
            if not m.register(PRIMASK) and self.name(m.register(15) & ~1) in STEPS:
                found.add(m.register(15) & ~1)
            m.run(m.now + 1)
        return found


@pytest.fixture
def timed(start) -> Callable[..., Timed]:
    def begin(board: str, *more: str) -> Timed:
        program = start(board, "timed.c", *more, *LINKING)
        return Timed(board, program.elf, wakes=(BASE, TOP), exact="-DBUDGETS" not in more)

    return begin


def signals(windows: Timed, tick: int, lags: int) -> Iterator[tuple[Shot, ...]]:
    """A signal at each cycle, for each phase of the alarm: before it, with it and after it."""
    for limit in (1, 2, 4, LONG):
        for lag in range(0, tick, lags):
            windows.wait(limit, lag)
            yield from (((HIGH, lag * LAG + n),) for n in range(FALLING))


def preempted(windows: Timed, tick: int, lags: int) -> Iterator[tuple[Shot, ...]]:
    """Another thread comes at each cycle and sets the alarm, for less; a signal comes then, too."""
    for limit in (1, 3, LONG):
        for lag in range(0, tick, lags):
            windows.wait(limit, lag)
            for n in range(lag * LAG, lag * LAG + FALLING):
                yield ((LOW, n),) if limit != LONG else ((LOW, n), (HIGH, LIMIT // 4))
                yield from (((LOW, n), (HIGH, n + later)) for later in (40, 130, 260))


def inject(windows: Timed, tick: int, lags: int) -> None:
    for shots in signals(windows, tick, lags):
        windows.window(shots, seen=True)
    for shots in preempted(windows, tick, 4 * lags):
        windows.window(shots, seen=True)


@pytest.mark.parametrize("board", OURS)
@pytest.mark.parametrize("flags", [(), ("-DSLEEPER",), ("-DBUDGETS",), NONE])
def test_nobody_sleeps_on(timed, board: str, flags: tuple[str, ...]) -> None:
    live = timed(board, *flags)
    inject(live, TICK[board], 1 if (board, *flags) == ("stm32f051",) else 23)
    print(f"{live.points} points: {dict(live.named(live.pcs.elements()).most_common())}")
    assert STEPS - {"idle"} <= set(live.named(live.pcs))
    assert live.points > (100_000 if board == "stm32f051" and not flags else 10_000)


@pytest.mark.parametrize("board", OURS)
def test_the_alarm_rings_anywhere_between_setting_it_and_sleep(timed, board: str) -> None:
    live = timed(board)
    found = set()
    for limit in range(1, 8):
        for lag in range(TICK[board]):
            live.wait(limit, lag)
            found.add(live.alarm(ALARM[board]))
    live.wait(LONG)
    exposed = live.exposed()
    print(f"{len(exposed)} instructions: {live.named(exposed)}")
    assert len(exposed) > 20 and exposed <= found


# What the stress must notice: a line of kernel/core/time.c, what stands there instead.
BLOCKS = "    if (takt_timers.sleepers & *set & self)\n"
MUTANTS = {
    "that the alarm has rung is not seen": (BLOCKS, "    if (*set & self)\n"),
    "nor a signal": (BLOCKS, "    if (takt_timers.sleepers & self)\n"),
    "who was signalled still sleeps": (
        "    takt_timers.sleepers = takt_set_without(takt_timers.sleepers, self);\n",
        "",
    ),
    "who was not still waits": ("    *set = (takt_set_t)(*set - left);\n", ""),
    "who is due still sleeps": (
        "    takt_timers.sleepers = (takt_set_t)(takt_timers.sleepers - due);\n",
        "",
    ),
    "the alarm is set for who sleeps last": (" || takt_before(at, takt_timers.wake_at)", ""),
}


@pytest.mark.wide
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mistake_in_the_kernel_is_noticed(timed, mutant: str, tmp_path) -> None:
    line, instead = MUTANTS[mutant]
    text = (ROOT / "kernel" / "core" / "time.c").read_text()
    assert line in text, "the kernel has changed: so must this test"
    (tmp_path / "time.c").write_text(text.replace(line, instead))
    rooms = (f"-I{ROOT / 'kernel'}", f"-I{ROOT / 'kernel' / 'core'}")
    with pytest.raises(Broken) as noticed:
        inject(timed("stm32f051", str(tmp_path / "time.c"), *rooms), 48, 11)
    print(noticed.value)
