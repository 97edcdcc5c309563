"""The commands of an SD card in SPI mode: what each does, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING

from takt.world.parts.sd import registers
from takt.world.parts.sd.registers import BLOCK

if TYPE_CHECKING:
    from takt.world.parts.sd.card import Card

# Before the card is initialised there are only these.
IN_IDLE = ("CMD0", "CMD1", "CMD8", "CMD55", "CMD58", "CMD59", "ACMD41")
ERASE_RESET, SEQUENCE_ERROR, ADDRESS_ERROR, PARAMETER_ERROR = 0x02, 0x10, 0x20, 0x40  # of R1
VOLTS = 0x00FF_8000  # of OCR: 2.7 to 3.6 V
POWERED, HIGH_CAPACITY = 1 << 31, 1 << 30  # of OCR; the latter also of ACMD41's argument
VHS = 1  # of CMD8: 2.7 to 3.6 V


class Writing(Enum):
    """What becomes of bytes that come in while no command does."""

    NOT = auto()
    TOKEN = auto()  # the token of a block is awaited
    DATA = auto()  # a block and its checksum come


def go_idle(card: Card, _argument: int) -> None:
    card.reset()
    card.spi = True
    card.answer()


def send_if_cond(card: Card, argument: int) -> None:
    volts, pattern = argument >> 8 & 0xF, argument & 0xFF
    card.knows_8 = volts == VHS
    card.answer(0, bytes([0, 0, volts if volts == VHS else 0, pattern]))


def initialise(card: Card, argument: int) -> None:
    """One of high capacity is never ready for a host that does not know such cards."""
    if not card.high_capacity or (card.knows_8 and argument & HIGH_CAPACITY):
        if card.ready_at is None:
            card.ready_at = card.clock() + card.times.init
        card.idle = card.idle and card.clock() < card.ready_at
    card.answer()


def send_csd(card: Card, _argument: int) -> None:
    card.answer()
    card.send_data(card.csd)


def send_cid(card: Card, _argument: int) -> None:
    card.answer()
    card.send_data(card.cid)


def stop(card: Card, _argument: int) -> None:
    """Of reading, or of writing that has failed: after a byte without meaning, R1b."""
    if not card.many:
        card.illegal("CMD12")
        return
    wrote = card.writing is not Writing.NOT
    card.reading, card.many, card.writing = None, False, Writing.NOT
    card.answer()
    card.busy_for(card.times.busy if wrote else 0)


def send_status(card: Card, _argument: int) -> None:
    card.answer(0, b"\0")


def set_block_length(card: Card, argument: int) -> None:
    """Of reading, in a card of standard capacity."""
    if not 1 <= argument <= BLOCK:
        card.answer(PARAMETER_ERROR)
        return
    card.length = BLOCK if card.high_capacity else argument
    card.answer()


def _address(card: Card, argument: int) -> int:
    """In bytes."""
    return argument * BLOCK if card.high_capacity else argument


def _read(card: Card, argument: int, many: bool) -> None:
    address = _address(card, argument)
    if address // BLOCK >= card.blocks.count:
        card.answer(PARAMETER_ERROR)
    elif address % BLOCK + card.length > BLOCK:
        card.answer(ADDRESS_ERROR)
    else:
        card.answer()
        card.reading, card.many = address, many
        card.data_at = card.clock() + card.times.access


def read_one(card: Card, argument: int) -> None:
    _read(card, argument, False)


def read_many(card: Card, argument: int) -> None:
    _read(card, argument, True)


def _write(card: Card, argument: int, many: bool) -> None:
    address = _address(card, argument)
    if address // BLOCK >= card.blocks.count or card.length != BLOCK:
        card.answer(PARAMETER_ERROR)
    elif address % BLOCK:
        card.answer(ADDRESS_ERROR)
    else:
        card.answer()
        card.at_block, card.many, card.well_written = address // BLOCK, many, 0
        card.writing = Writing.TOKEN


def write_one(card: Card, argument: int) -> None:
    _write(card, argument, False)


def write_many(card: Card, argument: int) -> None:
    _write(card, argument, True)


def erase_first(card: Card, argument: int) -> None:
    card.erase_from, card.erase_to = _address(card, argument) // BLOCK, None
    card.answer()


def erase_last(card: Card, argument: int) -> None:
    if card.erase_from is None:
        card.answer(SEQUENCE_ERROR)
        return
    card.erase_to = _address(card, argument) // BLOCK
    card.answer()


def erase(card: Card, _argument: int) -> None:
    first, last = card.erase_from, card.erase_to
    card.erase_from = card.erase_to = None
    if first is None or last is None:
        card.answer(SEQUENCE_ERROR)
    elif not first <= last < card.blocks.count:
        card.answer(PARAMETER_ERROR)
    else:
        for number in range(first, last + 1):
            card.blocks.write(number, bytes(BLOCK))
        card.seen["blocks erased"] += last - first + 1
        card.answer()
        card.busy_for(card.times.busy)


def app_command(card: Card, _argument: int) -> None:
    card.app = True
    card.answer()


def read_ocr(card: Card, _argument: int) -> None:
    capacity = HIGH_CAPACITY if card.high_capacity else 0
    ocr = VOLTS if card.idle else VOLTS | POWERED | capacity
    card.answer(0, ocr.to_bytes(4, "big"))


def crc_on_off(card: Card, argument: int) -> None:
    card.crc_on = bool(argument & 1)
    card.answer()


def sd_status(card: Card, _argument: int) -> None:
    card.answer(0, b"\0")
    card.send_data(registers.status())


def send_well_written(card: Card, _argument: int) -> None:
    card.answer()
    card.send_data(card.well_written.to_bytes(4, "big"))


def nothing(card: Card, _argument: int) -> None:
    """What is only a hint to the card: blocks to be erased beforehand, the pull-up on CS."""
    card.answer()


def send_scr(card: Card, _argument: int) -> None:
    card.answer()
    card.send_data(registers.scr())


COMMANDS: dict[str, Callable[[Card, int], None]] = {
    "CMD0": go_idle,
    "CMD1": initialise,
    "CMD8": send_if_cond,
    "CMD9": send_csd,
    "CMD10": send_cid,
    "CMD12": stop,
    "CMD13": send_status,
    "CMD16": set_block_length,
    "CMD17": read_one,
    "CMD18": read_many,
    "CMD24": write_one,
    "CMD25": write_many,
    "CMD32": erase_first,
    "CMD33": erase_last,
    "CMD38": erase,
    "CMD55": app_command,
    "CMD58": read_ocr,
    "CMD59": crc_on_off,
    "ACMD13": sd_status,
    "ACMD22": send_well_written,
    "ACMD23": nothing,
    "ACMD41": initialise,
    "ACMD42": nothing,
    "ACMD51": send_scr,
}
