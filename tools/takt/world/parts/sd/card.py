"""The protocol of an SD card in SPI mode, byte by byte.

By the Physical Layer Simplified Specification, version 2.00, chapter 7. Each byte goes both ways at
once, so what the card answers to a byte comes with a later one:

    command  6 bytes: 01 + number, argument, CRC7  ->  0xFF, R1, more bytes of R2, R3, R7
    read     R1 ... 0xFF (access) ... 0xFE, block, CRC16, and again until CMD12
    write    R1 <- 0xFE or 0xFC, block, CRC16 -> data response -> 0x00 (busy) ... 0xFF

         select, CMD0                    ACMD41 until it is ready
    SD mode ---------> idle (SPI mode) ------------------------> ready

An SD card starts in SD mode, where it hears nothing here but CMD0 with its checksum. Checksums
count from CMD59 on, and always in CMD8. A command that the card does not have, or not in its
state, is answered as illegal; chapters 4.7 and 7.3 say which there are. Not here: CMD6, CMD27,
write protection (CMD28-30), passwords (CMD42), CMD56; the CSD's classes say so.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from takt.world.parts.sd import registers
from takt.world.parts.sd.commands import COMMANDS, IN_IDLE, Writing
from takt.world.parts.sd.crc import crc7, crc16
from takt.world.parts.sd.registers import BLOCK

IDLE, ILLEGAL, BAD_CRC = 0x01, 0x04, 0x08  # of R1
START, START_MANY, STOP_MANY = 0xFE, 0xFC, 0xFD  # tokens
OUT_OF_RANGE = 0x08  # of a data error token
ACCEPTED, CRC_ERROR, WRITE_ERROR = 0x05, 0x0B, 0x0D  # data responses
NOTHING, BUSY = 0xFF, 0x00


class Blocks(Protocol):
    """What is on the card."""

    count: int

    def read(self, number: int) -> bytes: ...

    def write(self, number: int, data: bytes) -> None: ...


@dataclass(frozen=True)
class Times:
    """In cycles."""

    access: int  # from a command to its data
    busy: int  # after each block written
    init: int  # from the first ACMD41 until the card is ready


class Card:
    """A card with blocks on it. clock: the present cycle."""

    def __init__(
        self, name: str, blocks: Blocks, high_capacity: bool, times: Times, clock: Callable[[], int]
    ) -> None:
        self.blocks, self.high_capacity, self.times, self.clock = (
            blocks,
            high_capacity,
            times,
            clock,
        )
        self.csd, self.cid = registers.csd(blocks.count, high_capacity), registers.cid(name)
        self.seen: Counter[str] = Counter()  # of what the summary tells
        self.spi = False  # else in SD mode
        self.busy_until = 0
        self.reset()

    def reset(self) -> None:
        """As CMD0 leaves it."""
        self.idle = True  # until it is initialised
        self.ready_at: int | None = None  # when ACMD41 has begun that
        self.knows_8 = self.app = self.crc_on = False
        self.length = BLOCK
        self.erase_from: int | None = None
        self.erase_to: int | None = None
        self.well_written = 0
        self.command = bytearray()
        self.out: deque[int] = deque()
        self.reading: int | None = None  # the address of the next data
        self.many = False
        self.data_at = 0
        self.writing, self.held, self.at_block = Writing.NOT, bytearray(), 0

    def deselect(self) -> None:
        """What is under way is cut off; programming goes on."""
        if self._sends() or self.command or self.writing is Writing.DATA:
            self.seen["cut short"] += 1
        self.command.clear()
        self.out.clear()
        if self.reading is not None:
            self.reading, self.many = None, False
        if self.writing is Writing.DATA or not self.many:
            self.writing = Writing.NOT

    def exchange(self, byte: int) -> int:
        """A byte to the card, and the one that comes back meanwhile."""
        given = self._given()
        self._take(byte)
        return given

    # From the card.

    def _given(self) -> int:
        if self.out:
            return self.out.popleft()
        if self.clock() < self.busy_until:
            return BUSY
        if self.reading is not None and self.clock() >= self.data_at:
            self._load()
            return self.out.popleft()
        return NOTHING

    def _sends(self) -> bool:
        """Is there more to come than bytes without meaning?"""
        return self.reading is not None or any(byte != NOTHING for byte in self.out)

    def _load(self) -> None:
        """The next data, or why there are none."""
        assert self.reading is not None
        number, offset = divmod(self.reading, BLOCK)
        if number >= self.blocks.count:
            self.out.append(OUT_OF_RANGE)
            self.reading = None
            return
        self.send_data(self.blocks.read(number)[offset : offset + self.length])
        self.seen["blocks read"] += 1
        self.reading = self.reading + self.length if self.many else None
        self.data_at = self.clock() + self.times.access

    def send_data(self, data: bytes) -> None:
        """A token, data and their checksum."""
        self.out.extend([START, *data, *crc16(data).to_bytes(2, "big")])

    # To the card.

    def _take(self, byte: int) -> None:
        if self.command:
            self.command.append(byte)
            if len(self.command) == 6:
                self._command()
        elif self.writing is Writing.DATA:
            self._data(byte)
        elif self.writing is Writing.TOKEN and byte == (START_MANY if self.many else START):
            self._token()
        elif self.writing is Writing.TOKEN and self.many and byte == STOP_MANY:
            self.writing, self.many = Writing.NOT, False
            self.out.append(NOTHING)
            self.busy_for(self.times.busy)
        elif byte & 0xC0 == 0x40:
            self._begins(byte)

    def _begins(self, byte: int) -> None:
        """A command, which a busy card does not hear."""
        if self.clock() < self.busy_until:
            self.seen["commands while busy"] += 1
        else:
            self.command.append(byte)

    def _token(self) -> None:
        if self.clock() < self.busy_until:
            self.seen["commands while busy"] += 1
            return
        self.writing, self.held = Writing.DATA, bytearray()

    def _data(self, byte: int) -> None:
        self.held.append(byte)
        if len(self.held) < BLOCK + 2:
            return
        data, told = bytes(self.held[:BLOCK]), int.from_bytes(self.held[BLOCK:], "big")
        self.writing = Writing.TOKEN if self.many else Writing.NOT
        if self.crc_on and told != crc16(data):
            self.seen["wrong checksums"] += 1
            self.out.append(CRC_ERROR)
        elif self.at_block >= self.blocks.count:
            self.out.append(WRITE_ERROR)
        else:
            self.blocks.write(self.at_block, data)
            self.seen["blocks written"] += 1
            self.at_block, self.well_written = self.at_block + 1, self.well_written + 1
            self.out.append(ACCEPTED)
        self.busy_for(self.times.busy)

    def busy_for(self, cycles: int) -> None:
        self.busy_until = self.clock() + cycles

    def _command(self) -> None:
        number, argument = self.command[0] & 0x3F, int.from_bytes(self.command[1:5], "big")
        good = self.command[5] == crc7(bytes(self.command[:5])) << 1 | 1
        self.command = bytearray()
        if not self.spi and (number != 0 or not good):
            return  # in SD mode it would answer on another line
        app, self.app = self.app, False
        self._interrupt(number)
        if not good and (self.crc_on or number == 8):
            self.seen["wrong checksums"] += 1
            self.answer(BAD_CRC)
            return
        name = f"ACMD{number}" if app and f"ACMD{number}" in COMMANDS else f"CMD{number}"
        if name not in COMMANDS or (self.idle and name not in IN_IDLE):
            self.illegal(name)
            return
        self.seen["commands"] += 1
        COMMANDS[name](self, argument)

    def _interrupt(self, number: int) -> None:
        """A command ends what the card was sending, and, but for CMD13, what it was writing."""
        if number != 12:
            self.seen["cut short"] += self._sends()
            self.many = self.many and self.reading is None
            self.reading = None
        self.out.clear()
        if number not in (12, 13):
            self.writing, self.many = Writing.NOT, False

    def illegal(self, name: str) -> None:
        self.seen[f"illegal {name}"] += 1
        self.answer(ILLEGAL)

    def answer(self, r1: int = 0, more: bytes = b"") -> None:
        """R1, after one byte of thinking, and what follows it."""
        self.out.extend([NOTHING, r1 | (IDLE if self.idle else 0), *more])
