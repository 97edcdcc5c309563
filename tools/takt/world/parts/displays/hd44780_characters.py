"""Characters of an HD44780 with ROM code A00: as text, and as 5 x 8 dots.

The program's own eight (codes 0 to 15) are written as subscripts, 0 to 7. Dots are known of ASCII,
of the degree sign and of the full block; all other codes are drawn as an empty frame.
"""

from __future__ import annotations

OWN = "₀₁₂₃₄₅₆₇"
UNKNOWN = "▯"
ASCII = range(0x20, 0x80)
KANA, FIRST_KANA = range(0xA1, 0xE0), 0xFF61  # in the order of Unicode's halfwidth forms
GREEK = "αäβεμσρg√▯j▯▯¢ñöpqθ∞ΩüΣπ▯y▯▯▯÷ █"  # noqa: RUF001 (from E0 on)
DIFFERENT = {0x5C: "¥", 0x7E: "→", 0x7F: "←", 0xA0: " ", 0xDF: "°"}
WIDTH, HEIGHT = 5, 8
FRAME = (0x1F, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1F, 0)
COLUMNS = bytes.fromhex("""
0000000000 00005F0000 0007000700 147F147F14 242A7F2A12 2313086462 3649552250 0005030000
001C224100 0041221C00 14083E0814 08083E0808 0050300000 0808080808 0060600000 2010080402
3E5149453E 00427F4000 4261514946 2141454B31 1814127F10 2745454539 3C4A494930 0171090503
3649494936 064949291E 0036360000 0056360000 0814224100 1414141414 0041221408 0201510906
324979413E 7E1111117E 7F49494936 3E41414122 7F4141221C 7F49494941 7F09090901 3E4149497A
7F0808087F 00417F4100 2040413F01 7F08142241 7F40404040 7F020C027F 7F0408107F 3E4141413E
7F09090906 3E4151215E 7F09192946 4649494931 01017F0101 3F4040403F 1F2040201F 3F4038403F
6314081463 0708700807 6151494543 007F414100 15167C1615 0041417F00 0402010204 4040404040
0001020400 2054545478 7F48444438 3844444420 384444487F 3854545418 087E090102 0C5252523E
7F08040478 00447D4000 2040443D00 7F10284400 00417F4000 7C04180478 7C08040478 3844444438
7C14141408 081414187C 7C08040408 4854545420 043F444020 3C4040207C 1C2040201C 3C4030403C
4428102844 0C5050503C 4464544C44 0008364100 00007F0000 0041360800 08082A1C08 081C2A0808
""")  # five of each code of ASCII, from the left; the top dot is the lowest bit
MORE = {0xA0: bytes(5), 0xDF: b"\7\5\7\0\0", 0xFE: bytes(5), 0xFF: b"\xff" * 5}


def text(code: int) -> str:
    """The character of a code."""
    if code < 2 * len(OWN):
        return OWN[code % len(OWN)]
    if code in DIFFERENT:
        return DIFFERENT[code]
    if code in ASCII:
        return chr(code)
    if code in KANA:
        return chr(FIRST_KANA + code - KANA.start)
    return GREEK[code - KANA.stop] if code >= KANA.stop else UNKNOWN


def drawn(code: int) -> bool:
    """Whether its dots are known."""
    return code < 2 * len(OWN) or code in ASCII or code in MORE


def dots(code: int, patterns: bytes) -> tuple[int, ...]:
    """Rows from the top, the left dot is bit 4. patterns: the program's own."""
    if code < 2 * len(OWN):
        start = code % len(OWN) * HEIGHT
        return tuple(row & 0x1F for row in patterns[start : start + HEIGHT])
    if not drawn(code):
        return FRAME
    start = WIDTH * (code - ASCII.start)
    columns = MORE[code] if code in MORE else COLUMNS[start : start + WIDTH]
    return tuple(
        sum((column >> y & 1) << 4 - x for x, column in enumerate(columns)) for y in range(HEIGHT)
    )
