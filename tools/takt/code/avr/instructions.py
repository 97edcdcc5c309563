"""AVR instructions, as the AVR Instruction Set Manual encodes them (what an ATmega has)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

# What bits mean: d, r registers; K, k, A, b, s, q numbers, collected in order. A pointer that is
# used follows the name. What has a second word has its 16 bits at the end of k.
ENCODINGS = """
nop        0000000000000000
movw       00000001ddddrrrr
muls       00000010ddddrrrr
mulsu      000000110ddd0rrr
fmul       000000110ddd1rrr
fmuls      000000111ddd0rrr
fmulsu     000000111ddd1rrr
cpc        000001rdddddrrrr
sbc        000010rdddddrrrr
add        000011rdddddrrrr
cpse       000100rdddddrrrr
cp         000101rdddddrrrr
sub        000110rdddddrrrr
adc        000111rdddddrrrr
and        001000rdddddrrrr
eor        001001rdddddrrrr
or         001010rdddddrrrr
mov        001011rdddddrrrr
cpi        0011KKKKddddKKKK
sbci       0100KKKKddddKKKK
subi       0101KKKKddddKKKK
ori        0110KKKKddddKKKK
andi       0111KKKKddddKKKK
ldd Z      10q0qq0ddddd0qqq
ldd Y      10q0qq0ddddd1qqq
std Z      10q0qq1rrrrr0qqq
std Y      10q0qq1rrrrr1qqq
lds        1001000ddddd0000 k
ld Z+      1001000ddddd0001
ld -Z      1001000ddddd0010
lpm Z      1001000ddddd0100
lpm Z+     1001000ddddd0101
ld Y+      1001000ddddd1001
ld -Y      1001000ddddd1010
ld X       1001000ddddd1100
ld X+      1001000ddddd1101
ld -X      1001000ddddd1110
pop        1001000ddddd1111
sts        1001001rrrrr0000 k
st Z+      1001001rrrrr0001
st -Z      1001001rrrrr0010
st Y+      1001001rrrrr1001
st -Y      1001001rrrrr1010
st X       1001001rrrrr1100
st X+      1001001rrrrr1101
st -X      1001001rrrrr1110
push       1001001rrrrr1111
com        1001010ddddd0000
neg        1001010ddddd0001
swap       1001010ddddd0010
inc        1001010ddddd0011
asr        1001010ddddd0101
lsr        1001010ddddd0110
ror        1001010ddddd0111
dec        1001010ddddd1010
bset       100101000sss1000
bclr       100101001sss1000
ijmp       1001010000001001
ret        1001010100001000
icall      1001010100001001
reti       1001010100011000
sleep      1001010110001000
break      1001010110011000
wdr        1001010110101000
lpm        1001010111001000
spm        1001010111101000
jmp        1001010kkkkk110k k
call       1001010kkkkk111k k
adiw       10010110KKddKKKK
sbiw       10010111KKddKKKK
cbi        10011000AAAAAbbb
sbic       10011001AAAAAbbb
sbi        10011010AAAAAbbb
sbis       10011011AAAAAbbb
mul        100111rdddddrrrr
in         10110AAdddddAAAA
out        10111AArrrrrAAAA
rjmp       1100kkkkkkkkkkkk
rcall      1101kkkkkkkkkkkk
ldi        1110KKKKddddKKKK
brbs       111100kkkkkkksss
brbc       111101kkkkkkksss
bld        1111100ddddd0bbb
bst        1111101rrrrr0bbb
sbrc       1111110rrrrr0bbb
sbrs       1111111rrrrr0bbb
"""
REGISTERS = {3: (16, 1), 4: (16, 1), 5: (0, 1), 2: (24, 2)}  # first and step, by bits of the field
SKIPS = ("cpse", "sbrc", "sbrs", "sbic", "sbis")
BRANCHES = ("brbs", "brbc")
ONLY_READ = {"cp", "cpc", "cpi", "std", "st", "sts", "push", "out", "bst", *SKIPS}
X, Y, Z = 26, 28, 30
POINTERS = {"X": X, "Y": Y, "Z": Z}


@dataclass(frozen=True)
class Instruction:
    at: int
    size: int
    name: str
    pointer: str = ""  # X+, -Y, Z, ...
    d: int | None = None  # the first register
    r: int | None = None
    k: int = 0  # what else it has: a number, an offset, where it goes to
    bit: int = 0

    @property
    def target(self) -> int | None:
        """Of a jump or a call that names it."""
        named = self.name in ("jmp", "call", "rjmp", "rcall", *BRANCHES)
        return self.k if named else None

    @property
    def ends(self) -> bool:
        """Nothing comes after it but by a jump."""
        return self.name in ("jmp", "rjmp", "ijmp", "ret", "reti", "break")


@dataclass(frozen=True)
class _Form:
    name: str
    pointer: str
    bits: str
    long: bool

    def fits(self, word: int) -> bool:
        return all(bit == self.bits[n] for n, bit in enumerate(f"{word:016b}") if self.fixed(n))

    def fixed(self, place: int) -> bool:
        return self.bits[place] in "01"

    def field(self, word: int, letters: str) -> tuple[int, int]:
        """A number that is spread over the word, and how many bits it has."""
        value = count = 0
        for place, letter in enumerate(self.bits):
            if letter in letters:
                value, count = value << 1 | word >> 15 - place & 1, count + 1
        return value, count

    def register(self, word: int, letter: str) -> int | None:
        value, count = self.field(word, letter)
        if not count:
            return None
        first, step = (0, 2) if self.name == "movw" else REGISTERS[count]
        return first + step * value


def _forms() -> list[_Form]:
    found = []
    for line in ENCODINGS.split("\n"):
        if line:
            *names, bits = line.removesuffix(" k").split()
            found.append(_Form(names[0], "".join(names[1:]), bits, line.endswith(" k")))
    return found


FORMS = _forms()


@cache
def _short(word: int) -> tuple[Instruction, str, int]:
    """What the first word tells, at address 0; its form's bits, and how many of them are k's."""
    form = next((form for form in FORMS if form.fits(word)), None)
    if form is None:
        return Instruction(0, 2, ".word", k=word), "", 0
    k, bits = form.field(word, "KkAq")
    d, r = form.register(word, "d"), form.register(word, "r")
    size, bit = 4 if form.long else 2, form.field(word, "bs")[0]
    return Instruction(0, size, form.name, form.pointer, d, r, k, bit), form.bits, bits


def decode(data: bytes, at: int) -> Instruction:
    """The instruction at an address; data begins there. What is none is called ".word"."""
    word = int.from_bytes(data[:2], "little")
    found, form, bits = _short(word)
    k = found.k
    if found.size > len(data):
        return Instruction(at, 2, ".word", k=word)
    if found.size == 4:
        k = k << 16 | int.from_bytes(data[2:4], "little")
    if found.name in ("jmp", "call"):
        k *= 2
    elif "k" in form and found.size == 2:
        k = at + 2 + 2 * (k - (k >> bits - 1 << bits))
    return Instruction(at, found.size, found.name, found.pointer, found.d, found.r, k, found.bit)


def disassembled(data: bytes, at: int) -> list[Instruction]:
    """Instructions one after another."""
    found, place = [], 0
    while place + 2 <= len(data):
        found.append(decode(data[place : place + 4], at + place))
        place += found[-1].size
    return found
