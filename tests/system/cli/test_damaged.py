"""Programs that are damaged: a message, never a traceback; and where the tool can make the program
anew, the right answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from everywhere import BOARDS
from takt import boards
from takt.build.build import build
from takt.code.elf import Program
from takt.code.unwind import Unwinder
from takt.errors import UserError
from takt.machine.machines import machine_of

SKETCH = (
    "void setup() { Serial.begin(9600); }\nvoid loop(1, 10, 100) { Serial.println(1); delay(9); }\n"
)
ROUNDS = 60  # of each kind


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The ELF file of the sketch for a board."""
    folder = tmp_path_factory.mktemp("sound") / "sound"
    folder.mkdir()
    (folder / "sound.ino").write_text(SKETCH)
    return lambda board: build(folder, boards.load(board), out=folder / board).elf


def tables(data: bytes, path: Path) -> list[range]:
    """Where in the file its headers, tables of symbols and strings and DWARF are."""
    with open(path, "rb") as stream:
        elf = ELFFile(stream)
        head, entry = elf["e_shoff"], elf["e_shentsize"]
        found = [range(0, elf["e_ehsize"]), range(head, head + entry * elf["e_shnum"])]
        found.append(range(elf["e_phoff"], elf["e_phoff"] + elf["e_phentsize"] * elf["e_phnum"]))
        for section in elf.iter_sections():
            names = (".symtab", ".strtab", ".shstrtab", ".debug", ".rel", ".takt")
            if section.name.startswith(names) and section["sh_size"]:
                at = section["sh_offset"]
                found.append(range(at, min(len(data), at + section["sh_size"])))
    return [part for part in found if len(part)]


def damages(data: bytes, parts: list[range], rng: random.Random) -> Iterator[bytes]:
    for _ in range(ROUNDS):
        part = rng.choice(parts)
        at = rng.choice(part)
        flipped = bytearray(data)
        for _ in range(rng.choice((1, 1, 3, 20))):
            flipped[rng.choice(part)] ^= 1 << rng.randrange(8)
        yield bytes(flipped)
        yield data[: rng.choice((at, rng.randrange(len(data)), rng.randrange(200)))]
        size = min(len(part), rng.choice((1, 4, 64, 4096)))
        zeroed = bytearray(data)
        zeroed[at : at + size] = bytes(len(zeroed[at : at + size]))
        yield bytes(zeroed)
        ones = bytearray(data)
        ones[at : at + 4] = b"\xff" * len(ones[at : at + 4])
        yield bytes(ones)


@pytest.mark.parametrize("board", [b for b in ("pico", "uno", "lm3s6965evb", "pc") if b in BOARDS])
def test_whatever_is_damaged_is_a_message(
    built: Callable[[str], Path], tmp_path: Path, board: str
) -> None:
    """What reads the file as a whole."""
    sound = built(board)
    data, path = sound.read_bytes(), tmp_path / "damaged.elf"
    refused = 0
    for damaged in damages(data, tables(data, sound), random.Random(board)):
        path.write_bytes(damaged)
        try:
            program = Program(path)
            start = program.functions[0].address if program.functions else 0
            list(
                Unwinder(program, lambda _at, size: bytes(size)).chain(start, {13: 0, 7: 0, 32: 0})
            )
        except UserError as error:
            assert "damaged, or none of Takt's" in error.what and error.fix
            refused += 1
    assert refused > ROUNDS, "most of what is cut off cannot be read"


@pytest.mark.parametrize("board", ("pico", "uno"))
def test_a_machine_refuses_them_as_well(
    built: Callable[[str], Path], tmp_path: Path, board: str
) -> None:
    sound, path = built(board), tmp_path / "damaged.elf"
    machine = machine_of(boards.load(board))
    for damaged in (b"", b"\x7fELF", sound.read_bytes()[:3000], bytes(5000)):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match="damaged, or none of Takt's"):
            machine.load_elf(path)


@pytest.mark.parametrize("command", (["check"], ["size"], ["run", "--seconds", "0.01"], ["build"]))
def test_what_has_been_damaged_since_is_made_anew(
    takt: Callable, write: Callable, command: list[str]
) -> None:
    folder = write("harmed", SKETCH)
    arguments = [command[0], folder, *command[1:], "--json"]
    right = takt(*arguments)
    assert right.code == 0, right.err
    linked = folder / "build" / "pico" / "obj" / "linked.elf"
    sound, rng = linked.read_bytes(), random.Random(command[0])
    for damaged in rng.sample(list(damages(sound, tables(sound, linked), rng)), 5):
        linked.write_bytes(damaged)
        ran = takt(*arguments)
        assert (ran.code, ran.json) == (0, right.json), ran.err


RECORDS = ("{}", "[]", "null", '"x"', '{"result": {"threads": null}}', '{"result": 3}', "{", "\0")


@pytest.mark.parametrize("text", RECORDS)
def test_a_report_that_is_damaged(takt: Callable, tmp_path: Path, text: str) -> None:
    """Or something else by that name."""
    folder = tmp_path / "blink"
    folder.mkdir()
    (folder / "blink.ino").write_text(SKETCH)
    assert takt("run", folder, "--seconds", "0.1", "--json").code == 0
    (folder / "build" / "pico" / "report.json").write_text(text)
    for words in (("report", folder), ("trace", folder)):
        ran = takt(*words)
        assert ran.code == 1 and "what the last run has left is damaged" in ran.err
        assert "./takt run" in ran.err and "internal" not in ran.err


def test_a_trace_that_is_damaged(takt: Callable, tmp_path: Path) -> None:
    folder = tmp_path / "blink"
    folder.mkdir()
    (folder / "blink.ino").write_text(SKETCH)
    assert takt("run", folder, "--seconds", "0.1", "--json").code == 0
    trace = folder / "build" / "pico" / "trace.bin"
    rng, sound = random.Random(1), trace.read_bytes()
    told = 0
    for _ in range(8):
        data = bytearray(sound)
        for _ in range(20):
            data[rng.randrange(len(data))] = rng.randrange(256)
        trace.write_bytes(bytes(data))
        ran = takt("trace", folder)
        assert "internal" not in ran.err
        told += ran.code == 1 and "is damaged" in ran.err
    assert told
