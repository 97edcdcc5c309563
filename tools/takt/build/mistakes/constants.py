"""What is said of a budget C, a period T or a pin that the compiler refuses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from pathlib import Path

from takt.admit.admit_library import PERIOD_MAX
from takt.admit.fixes import duration
from takt.build.mistakes.foreign import excerpt
from takt.paths import shown

RANGES = {  # who takes C and T -> what they may be
    "loop": "0 < C <= T <= {most} in loop(id, C, T)",
    "periodic": "0 < C <= T <= {most}, T a multiple of 0.1 ms, in periodic(id, C, T)",
    "attachInterruptVcpu": "0 < C <= T <= {most} in attachInterruptVcpu(pin, isr, mode, C, T)",
    "interruptsVcpu": "0 <= C <= T <= {most} in interruptsVcpu(C, T), T above 0",
    "tasksVcpu": "0 < C <= T <= {most} in tasksVcpu(C, T)",
    "task": "T a multiple of 1 ms above 0, up to 12 days (AVR: 16.383 s), in task(id, T)",
    "watchdog": "T from 1 ms on, as far as the board's watchdog reaches, in watchdog(T)",
}
IN_C = (  # the same in C programs: what is said there, and its fix
    (
        re.compile(r"task \w+: the p"),
        "choose a priority of 0 to 2^30 and a period that is a multiple of TAKT_TICK_US above 0 in "
        "TAKT_TASK(id, priority, period_us)",
    ),
    (
        re.compile(r"thread \w+: (not|the p)"),
        f"choose 0 < C <= T <= {PERIOD_MAX} in TAKT_BUDGET_THREAD(id, c_us, t_us, ...)",
    ),
    (
        re.compile(r"periodic \w+: (not|T is)"),
        f"choose 0 < C <= T <= {PERIOD_MAX}, T a multiple of TAKT_PERIODIC_TICK_US (100), in "
        "TAKT_PERIODIC(id, c_us, t_us, ...)",
    ),
)
NAMES = "|".join(sorted(RANGES, key=len, reverse=True))
MOST = f"{PERIOD_MAX // 100_000 / 10} s"
ASSERTED = re.compile(rf"({NAMES})(?: \w+)?: the (?:budget C|period T)")
WATCHDOG = re.compile(r"watchdog: the period T is not from (\d+) to (\d+) us")
STACK = re.compile(r"loop \w+: stack below (\d+) bytes")
CALL = re.compile(rf"\b({NAMES})\s*\(")
VARIABLE = re.compile(
    r"'([^']*)' (?:is not captured|is not usable in a constant)"
    r"|call to non-'constexpr' function '(.*)'"
)
STATE = re.compile(r"declaration of 'void takt_task_of_\w+_body\(\)'|void value not ignored")
NO_SUCH = re.compile(r"call to 'takt_no_such_(pin|baud)_(\w+)' declared with attribute error: (.*)")
SAID = {  # what is wrong, and more of its fix
    "pin": (
        "the board has no such pin",
        "; a pin that may be none is to be tested before the call",
    ),
    "baud": ("SoftwareSerial cannot do this speed on this board", ""),
}
INLINED = re.compile(r" *inlined from '.*' at (.+?):(\d+)(?::\d+)?[,:]")
AT_RUN_TIME = ", or call takt::setInterruptsVcpu(c, t), in microseconds, at run time"


def range_of(taker: str) -> str:
    """The fix for values that are out of range."""
    return f"choose {RANGES[taker].format(most=MOST)}"


def _must(taker: str, be: str) -> str:
    """be: a number or a constant."""
    one = taker in ("task", "watchdog")
    return f"{'T' if one else 'C and T'} of {taker}() must be {f'a {be}' if one else f'{be}s'}"


def asserted(what: str) -> str:
    """The fix for a static assertion of Takt's headers; empty: it is not about C and T."""
    if m := WATCHDOG.match(what):
        return f"choose a T from {duration(int(m[1]))} to {duration(int(m[2]))}"
    if m := ASSERTED.match(what):
        return range_of(m[1])
    if m := STACK.match(what):
        return f"leave the size out, so that the build finds it, or give at least {m[1]}"
    return next((fix for said, fix in IN_C if said.match(what)), "")


def _taker(output: str, where: str, column: int) -> str:
    """Whose C and T an error is about: the call in the line it shows; empty: none."""
    calls = list(CALL.finditer(excerpt(output, where)))
    at = [call for call in calls if call.start() == column - 1]
    return (at or calls)[0][1] if calls else ""


def explained(text: str, output: str, where: str, column: int) -> tuple[str, str] | None:
    """What and fix for an error about C or T; None: it is not. output: all the compiler says;
    where: how the error's line begins."""
    taker = _taker(output, where, column)
    if not taker:
        return None
    if taker == "task" and STATE.search(text):
        return "a task has a state and returns it, or neither", (
            "write int task(id, T, int state), or void task(id, T)"
        )
    if "duration_us(" in text:
        if "ambiguous" in text:
            return f"C or T of {taker}() is out of range", range_of(taker)
        return _must(taker, "number"), "write milliseconds, or 500_us"
    m = VARIABLE.search(text)
    if not m:
        return None
    name = m[1] or m[2]
    if taker == "attachInterruptVcpu" and "condition for static assertion" not in output:
        what = f"the function given to {taker}() must be a constant, and '{name}' is none"
        return what, "write the name of a function, or a lambda without captures"
    fix = "write the number, or make it constexpr"
    fix += AT_RUN_TIME if taker == "interruptsVcpu" else ""
    return f"{_must(taker, 'constant')}, and '{name}' is none", fix


def no_such(text: str, output: str, own: Iterable[str]) -> tuple[str, str, str] | None:
    """What, where and fix for a pin that the board does not have (arduino/known_pins.h), or a speed
    of SoftwareSerial that it cannot do; None: the error is not about one. own: files of the sketch,
    where the place is if it can be."""
    m = NO_SUCH.search(text)
    if m is None:
        return None
    lines = output[: output.index(text)].splitlines()
    calls = itertools.takewhile(lambda line: "In function" not in line, reversed(lines))
    places = [(found[1], int(found[2])) for found in map(INLINED.match, calls) if found]
    place = next((p for p in places if p[0] in own), places[0] if places else None)
    said, more = SAID[m[1]]
    what = f"{_call(m[2], place)}: {said}"
    where = f"{shown(place[0])}:{place[1]}" if place else ""
    return what, where, f"{m[3]}{more}"


def _call(function: str, place: tuple[str, int] | None) -> str:
    """The call as it is written, as far as it shows the pin."""
    try:
        lines = Path(place[0]).read_text(errors="replace").splitlines() if place else []
    except OSError:
        lines = []
    line = lines[place[1] - 1] if place and place[1] <= len(lines) else ""
    found = set(re.findall(rf"\b{function}\s*\(\s*([\w+-]+)\s*[,)]", line))
    return f"{function}({found.pop()})" if len(found) == 1 else f"{function}()"
