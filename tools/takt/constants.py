"""What is said of a budget C or a period T that the compiler refuses."""

from __future__ import annotations

import re

from takt.admit_library import PERIOD_MAX
from takt.foreign import excerpt

RANGES = {  # who takes C and T -> what they may be
    "loop": "0 < C <= T <= {most} in loop(id, C, T)",
    "periodic": "0 < C <= T <= {most}, T a multiple of 0.1 ms, in periodic(id, C, T)",
    "attachInterruptVcpu": "0 < C <= T <= {most} in attachInterruptVcpu(pin, isr, mode, C, T)",
    "interruptsVcpu": "0 <= C <= T <= {most} in interruptsVcpu(C, T), T above 0",
    "tasksVcpu": "0 < C <= T <= {most} in tasksVcpu(C, T)",
    "task": "T a multiple of 1 ms above 0, up to 12 days (AVR: 16.383 s), in task(id, T)",
}
IN_C = (  # the same in C programs: what is said there, and its fix
    (
        re.compile(r"task \w+: the p"),
        "choose a priority of 0 to 2^30 and a period that is a multiple of TAKT_TICK_US above 0 in "
        "TAKT_TASK(id, priority, period_us)",
    ),
    (
        re.compile(r"periodic \w+: (not|T is)"),
        f"choose 0 < C <= T <= {PERIOD_MAX}, T a multiple of TAKT_PERIODIC_TICK_US (100), in "
        "TAKT_PERIODIC(id, c_us, t_us, ...)",
    ),
)
NAMES = "|".join(sorted(RANGES, key=len, reverse=True))
MOST = f"{PERIOD_MAX // 1_000_000} s"
ASSERTED = re.compile(rf"({NAMES})(?: \w+)?: the (?:budget C|period T)")
STACK = re.compile(r"loop \w+: stack below (\d+) bytes")
CALL = re.compile(rf"\b({NAMES})\s*\(")
VARIABLE = re.compile(
    r"'([^']*)' (?:is not captured|is not usable in a constant)"
    r"|call to non-'constexpr' function '(.*)'"
)
STATE = re.compile(r"declaration of 'void takt_task_of_\w+_body\(\)'|void value not ignored")
AT_RUN_TIME = ", or call takt::setInterruptsVcpu(c, t), in microseconds, at run time"


def range_of(taker: str) -> str:
    """The fix for values that are out of range."""
    return f"choose {RANGES[taker].format(most=MOST)}"


def _must(taker: str, be: str) -> str:
    """be: a number or a constant."""
    one = taker == "task"
    return f"{'T' if one else 'C and T'} of {taker}() must be {f'a {be}' if one else f'{be}s'}"


def asserted(what: str) -> str:
    """The fix for a static assertion of Takt's headers; empty: it is not about C and T."""
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
