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
}
MOST = f"{PERIOD_MAX // 1_000_000} s"
ASSERTED = re.compile(
    r"(loop|periodic|attachInterruptVcpu|interruptsVcpu)(?: \w+)?: the (?:budget|period)"
)
STACK = re.compile(r"loop \w+: stack below (\d+) bytes")
CALL = re.compile(rf"\b({'|'.join(RANGES)})\s*\(")
VARIABLE = re.compile(
    r"'([^']*)' (?:is not captured|is not usable in a constant)"
    r"|call to non-'constexpr' function '(.*)'"
)
AT_RUN_TIME = ", or call takt::setInterruptsVcpu(c, t), in microseconds, at run time"


def range_of(taker: str) -> str:
    """The fix for values that are out of range."""
    return f"choose {RANGES[taker].format(most=MOST)}"


def asserted(what: str) -> str:
    """The fix for a static assertion of arduino/; empty: it is not about C and T."""
    if m := ASSERTED.match(what):
        return range_of(m[1])
    if m := STACK.match(what):
        return f"leave the size out, so that the build finds it, or give at least {m[1]}"
    return ""


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
    if "duration_us(" in text:
        if "ambiguous" in text:
            return f"C or T of {taker}() is out of range, T is at most {MOST}", range_of(taker)
        return f"C and T of {taker}() must be numbers", "write milliseconds, or 500_us"
    m = VARIABLE.search(text)
    if not m:
        return None
    name = m[1] or m[2]
    if taker == "attachInterruptVcpu" and "condition for static assertion" not in output:
        what = f"the function given to {taker}() must be a constant, and '{name}' is none"
        return what, "write the name of a function, or a lambda without captures"
    fix = "write the number, or make it constexpr"
    fix += AT_RUN_TIME if taker == "interruptsVcpu" else ""
    return f"C and T of {taker}() must be constants, and '{name}' is none", fix
