"""The decoder of AVR instructions against avr-objdump's: on whole programs, and on all words."""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path

from takt.code.avr.instructions import Instruction, disassembled
from takt.code.elf import Program

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
char line[40];
volatile float f;
volatile long n;
int main(void)
{
    for (;;) {
        snprintf(line, sizeof line, "%ld %f", n, (double)f);
        f = f * 1.5f / atoi(line);
        switch (n % 9) {
        case 0: f = 1; break;
        case 1: n = n / 3; break;
        case 2: line[3] ^= 4; break;
        case 3: n <<= line[2]; break;
        case 4: f += n; break;
        case 5: f = -f; break;
        case 6: n = (long)f; break;
        case 7: n = line[1] * line[2]; break;
        }
    }
}
"""
FLAGS = "cznvshti"
BRANCHES = {"brcs": 0, "breq": 1, "brmi": 2, "brvs": 3, "brlt": 4, "brhs": 5, "brts": 6, "brie": 7}
UNLESS = {"brcc": 0, "brne": 1, "brpl": 2, "brvc": 3, "brge": 4, "brhc": 5, "brtc": 6, "brid": 7}
LINE = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(\S+)\s*([^;]*?)\s*(?:;\s*(\S+).*)?$")
OTHERS = (".word", "elpm", "eijmp", "eicall", "des", "xch", "las", "lac", "lat")  # of larger chips


def ours(here: Instruction) -> tuple:
    """As objdump's operands are compared: numbers only, where two tools agree on what they mean."""
    registers = tuple(n for n in (here.d, here.r) if n is not None)
    return (here.name, here.pointer, *registers, here.k, here.bit)


def place(target: str) -> int:
    """Of a jump; before the start of flash where a table looks like one."""
    number = int(target, 16)
    return number - (1 << 32) if number >> 31 else number


def theirs(name: str, operands: str, target: str) -> tuple:
    """objdump's line in our words."""
    if name in BRANCHES | UNLESS:
        bit = (BRANCHES | UNLESS)[name]
        return ("brbs" if name in BRANCHES else "brbc", "", place(target), bit)
    if name[:2] in ("se", "cl") and name[2:] in FLAGS and len(name) == 3:
        return ("bset" if name[0] == "s" else "bclr", "", 0, FLAGS.index(name[2:]))
    if name in ("set", "clt"):
        return ("bset" if name == "set" else "bclr", "", 0, 6)
    parts = [part.strip() for part in operands.split(",")] if operands else []
    pointer = next((p for p in parts if re.fullmatch(r"-?[XYZ]\+?|[YZ]\+\d+", p)), "")
    offset = int(pointer.partition("+")[2] or 0) if pointer else 0
    base = pointer.partition("+")[0] if offset or re.fullmatch(r"[YZ]\+0", pointer) else pointer
    if name in ("ld", "st") and base in ("Y", "Z"):
        name += "d"
    registers = tuple(int(p[1:]) for p in parts if re.fullmatch(r"r\d+", p))
    numbers = [int(p, 0) for p in parts if re.fullmatch(r"0x[0-9a-fA-F]+|\d+", p)]
    if name in ("rjmp", "rcall"):
        numbers = [place(target)]
    bits = name in ("sbi", "cbi", "sbic", "sbis", "bld", "bst", "sbrc", "sbrs")
    bit = numbers.pop() if bits else 0
    return (name, base, *registers, numbers[0] if numbers else offset, bit)


def compared(objdump: str, code: list[Instruction]) -> int:
    """How many instructions are the same; asserts that all are."""
    by_address = {here.at: here for here in code}
    count = 0
    for line in objdump.splitlines():
        if found := LINE.match(line):
            here = by_address[int(found[1], 16)]
            if found[3] in OTHERS:
                assert here.name == ".word"
                continue
            assert here.size == len(found[2].split()), line
            assert ours(here) == theirs(found[3], found[4], found[5] or ""), line
            count += 1
    return count


def objdump(*arguments: str) -> str:
    command = ["avr-objdump", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_words_are_what_objdump_says(tmp_path: Path) -> None:
    """Every seventh word, followed by a word that is a nop or the rest of it."""
    image = b"".join(struct.pack("<HH", word, 0) for word in range(0, 1 << 16, 7))
    (tmp_path / "all.bin").write_bytes(image)
    text = objdump("-b", "binary", "-m", "avr:5", "-D", "-z", str(tmp_path / "all.bin"))
    assert compared(text, disassembled(image, 0)) > 16000


def test_a_program_is_what_objdump_says(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    elf = tmp_path / "a.elf"
    command = ["avr-gcc", "-mmcu=atmega328p", "-Os", "a.c", "-o", str(elf), "-Wl,-u,vfprintf"]
    subprocess.run([*command, "-lprintf_flt", "-lm"], cwd=tmp_path, check=True)
    text = next(section for section in Program(elf).sections if section.name == ".text")
    listing = objdump("-D", "-z", "-j", ".text", str(elf))
    assert compared(listing, disassembled(text.data, 0)) > 1800
