"""What it means that a program went to where there is no code."""

from __future__ import annotations

NOT_SET = "look for a pointer to a function that has not been set, in this line"
OVERWRITTEN = (
    "an array on the stack was written beyond its end, and with it the address that its function "
    "returns to: look for sprintf(), strcpy() or an index, and make the array larger"
)
PRINTABLE = range(0x20, 0x7F)


def told(at: int, flash: int) -> tuple[str, str]:
    """What, and a fix. at: where it went; flash: where that begins."""
    if at in (0, flash):
        return "a function was called by a null pointer", NOT_SET
    letters = at.to_bytes(8, "little").rstrip(b"\0")
    if len(letters) >= 4 and all(letter in PRINTABLE for letter in letters):
        text = letters.decode("ascii")  # the first may be another: bit 0 is no part of an address
        what = f"it returned to 0x{at:08x}, which is text ({text!r}) and no address of code"
        return what, OVERWRITTEN
    return f"0x{at:08x} was called, where there is no code", NOT_SET
