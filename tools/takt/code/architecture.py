"""What the tools know of an instruction set: pointers in memory, stacks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    name: str
    pointer: int  # bytes
    data: int  # where data begins in the ELF file, if pointers do not say that
    frame: int  # most bytes of stack an interrupt takes by itself, alignment included
    idle: int  # and port_idle, beside what its port says
    sentinel: int  # at the end of a stack, unless the port says how much
    priorities: int  # of interrupts, which nest, unless the port says how many
    masked: bool  # interrupts are off while a thread is preempted, and in the dispatcher
    aligned: int  # stacks are, in bytes
    record: int  # bytes of an address in what the sources leave for the tools
    io_tails: tuple[int, ...]  # bytes of struct takt_io_vcpu from its share on, by size of sets

    def data_address(self, pointer: int) -> int:
        """In the ELF file, of what a pointer to data points to; NULL stays."""
        return self.data + pointer if pointer else 0

    def code_address(self, pointer: int) -> int:
        """In the ELF file, of what a pointer to code points to."""
        raise NotImplementedError

    def is_code(self, pointer: int) -> bool:
        """Whether a word may be a pointer to code."""
        raise NotImplementedError


class _Thumb(Architecture):
    def code_address(self, pointer: int) -> int:
        return pointer & ~1

    def is_code(self, pointer: int) -> bool:
        return bool(pointer & 1)


class _Avr(Architecture):
    """Pointers to code count words; data lies apart, at 0x800000 by the linker's convention."""

    def code_address(self, pointer: int) -> int:
        return 2 * pointer

    def is_code(self, pointer: int) -> bool:
        return pointer != 0


class _Host(Architecture):
    """Addresses as the linker sees them, before the program is loaded."""

    def code_address(self, pointer: int) -> int:
        return pointer

    def is_code(self, pointer: int) -> bool:
        return False  # nothing of it is analysed


THUMB = _Thumb(
    name="thumb", pointer=4, data=0, frame=8 * 4 + 4, idle=2 * 8 * 4 + 4 + 16, sentinel=4,
    priorities=4, masked=False, aligned=8, record=4, io_tails=(28,),
)  # fmt: skip
AVR = _Avr(
    name="avr", pointer=2, data=0x80_0000, frame=0, idle=0, sentinel=2, priorities=1, masked=True,
    aligned=1, record=4, io_tails=(22,),
)  # fmt: skip
HOST = _Host(
    name="host", pointer=8, data=0, frame=0, idle=0, sentinel=4, priorities=1, masked=False,
    aligned=64, record=8, io_tails=(28, 36),
)  # fmt: skip
ARCHITECTURES = {"EM_ARM": THUMB, "EM_AVR": AVR, "EM_X86_64": HOST, "EM_AARCH64": HOST}
