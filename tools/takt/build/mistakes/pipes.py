"""Mistakes in the definition of pipes: what the compiler says of them."""

from __future__ import annotations

import re

from takt.build.mistakes.foreign import excerpt

BELOW = re.compile(r"pipe (\w+): the device has no such channel")
REDUCED = re.compile(r"the comparison reduces to '\((\d+) < (\d+)\)'")
FIXES = (  # how a static assertion of Pipe.h ends with, and its fix
    ("no such serial port", "ports are 0 (Serial) and, where there is one, 1 (Serial1)"),
    (
        "no speed of a serial port",
        "write bits per second, from 300 to what the board can do (docs/boards, takt boards), as "
        "in uartIn(1, 115200)",
    ),
    (
        "a packet of another size",
        "name a variable of its endpoint's type: CanFrame with CAN, uint8_t with a serial port",
    ),
    ("without a packet is for bytes", "name a variable for the packet: CanFrame frame with CAN"),
    ("the buffer is too large", "ask for less room: 1 MB, and 65534 packets (AVR: 254), at most"),
    ("on AVR 254", "ask for less room"),
    ("no such channel", "channels count from 0; canIn(id, 0) is the first"),
    (
        "the rate is not a number above 0",
        "write how many packets come per second at most: qos(rate, room, time)",
    ),
    (
        "the room is not a number above 0",
        "write how many packets are to fit into its buffer: qos(rate, room, time)",
    ),
    (
        "the time for handling is not a time above 0",
        "write how long handling a full buffer takes, as 500_us: qos(rate, room, time)",
    ),
    (
        "the latency is not a time above 0",
        "write how long a packet may take, as 20_ms: qos(rate, room, time, latency)",
    ),
)


VARIABLE = re.compile(
    r"'([^']*)' (?:is not usable in a constant|is not a constant)"
    r"|call to non-'constexpr' function '(.*)'"
)
CALL = re.compile(r"\b(?:pipe|qos|uartIn|uartOut|canIn|canOut|spiIn)\s*\(")


MISTAKES = (  # what the compiler says, what it is, and the fix; {0} is the name it has of it
    (
        re.compile(r"'can_(\w+)_in_attrs' was not declared"),
        "no CAN adapter is called {0}",
        "define it before, canAdapter({0}, hydra, 1_ms, 5_ms), or name one that is there",
    ),
    (
        re.compile(r"'can_(\w+)_out_attrs' was not declared"),
        "nobody sends what is written to canOut({0}, ...)",
        "give it a thread in the same file, as canSender({0}, hydra, 1_ms, 5_ms)",
    ),
    (
        re.compile(r"'CAN_(?:IN|OUT)_(\w+)' was not declared"),
        "{0} is no kind of CAN adapter",
        "use hydra (Kvaser) or gs (gs_usb: candleLight, CANable)",
    ),
    (
        re.compile(r"conversion from '(takt::Qos)' to non-scalar type 'const takt::End'"),
        "qos(...) stands where the end of a device does",
        "write pipe(name, canIn(id, 0), qos(...)): the end first",
    ),
    (
        re.compile(r"too few arguments to function 'constexpr takt::(Q)os qos"),
        "qos(...) does not say all that is asked of a pipe",
        "write qos(rate, room, time): packets or bytes per second, buffer, time to handle it",
    ),
    (
        re.compile(r"invalid 'static_cast' from type '(const char\*)' to type 'double'"),
        "a text stands where a number is asked for",
        "write the number without quotes",
    ),
    (
        re.compile(r"variable or field '(pipe)' declared void"),
        "{0}(...) does not have all it needs",
        "write pipe(name, end, qos(rate, room, time)), and #include <Takt.h>",
    ),
)


def explained(text: str) -> tuple[str, str] | None:
    """What and fix for the compiler's words about ends of pipes; None: it is another error."""
    for said, what, fix in MISTAKES:
        if found := said.search(text):
            return what.format(found[1]), fix.format(found[1])
    return None


def constant(text: str, output: str, where: str) -> tuple[str, str] | None:
    """What and fix for an error about a figure that is a variable; None: it is none. output: all
    that the compiler says; where: how the error's line begins."""
    found = VARIABLE.search(text)
    if not found or not CALL.search(excerpt(output, where)):
        return None
    what = f"what is asked of a pipe must be constant, and '{found[1] or found[2]}' is not"
    return what, "write the number, or make it constexpr"


def asserted(what: str) -> str:
    """The fix for a static assertion about a pipe; empty: it is not about one."""
    if what.endswith("its adapter is of another kind"):
        return "name the same kind as canAdapter(...) does"
    if what.startswith(("canAdapter ", "canSender ", "usbShare: ")):
        return "write how long it may run and in what time, as 1_ms, 5_ms"
    if not what.startswith(("pipe ", "pipe: ")):
        return ""
    return next((fix for end, fix in FIXES if what.endswith(end)), "")


def channel(what: str, output: str) -> tuple[str, str] | None:
    """The same for a channel beyond the last, with the numbers; None: it is not."""
    if not (found := BELOW.match(what)) or not (numbers := REDUCED.search(output)):
        return None
    have = int(numbers[2])
    there = "the device has one, 0" if have == 1 else f"the device has {have}, 0 to {have - 1}"
    fix = "write 0" if have == 1 else f"choose one of 0 to {have - 1}"
    asked = "255 or more" if numbers[1] == "255" else numbers[1]
    return f"pipe {found[1]}: there is no channel {asked}; {there}", fix
