"""Cycles of the compiler's own functions whose loops cannot be counted, at most, from the call to
behind it: a quarter more than the longest of many operands (tests/system/sections/test_library.py).
All others are read as they are."""

from __future__ import annotations

from takt.code.lengths import PerArgument

COPIES = PerArgument(60, 14, third=True)  # a byte at a time


def _each(cycles: int, names: str) -> dict[str, int | PerArgument]:
    return dict.fromkeys(names.split(), cycles)


THUMB = {
    **dict.fromkeys(("memcpy", "memmove", "memset", "__aeabi_memcpy"), COPIES),
    **_each(420, "__udivsi3 __divsi3 __aeabi_uidiv __aeabi_idiv"),
    **_each(420, "__aeabi_uidivmod __aeabi_idivmod"),
    **_each(1400, "__udivmoddi4 __divdi3 __gnu_ldivmod_helper __aeabi_uldivmod __aeabi_ldivmod"),
    **_each(700, "__aeabi_fdiv __divsf3"),
    **_each(1200, "__aeabi_ddiv __divdf3"),
}
AVR = {
    **dict.fromkeys(("memcpy", "memmove", "memset"), COPIES),
    **_each(320, "__addsf3 __addsf3x __subsf3 __mulsf3 __mulsf3x __mulsf3_pse"),
    **_each(750, "__divsf3 __divsf3x __divsf3_pse"),
    **_each(250, "__fixsfsi __fixunssfsi __floatsisf __floatunsisf __fp_norm2"),
    **_each(350, "__floatdisf __floatundisf __fp_di2sf __fixsfdi __fixunssfdi"),
    **_each(450, "__ashldi3 __ashrdi3 __lshrdi3"),
    **_each(2700, "__divdi3 __moddi3 __divdi3_moddi3"),
}
