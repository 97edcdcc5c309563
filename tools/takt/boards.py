"""Boards: board/<name>/board.toml, or a folder elsewhere that has such a file.

A board that is another one with something added names it: base = "pico". It inherits every table
and value that its own file does not have; a table of its own replaces that of the base, and in
lists of tables (interrupts) one replaces that of the same name.
"""

from __future__ import annotations

import difflib
import hashlib
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from takt.errors import UserError
from takt.paths import ROOT, shown

FOLDER = ROOT / "board"
FILE = "board.toml"
GCC, CLANG = COMPILERS = ("gcc", "clang")


@dataclass(frozen=True)
class Memory:
    origin: int
    size: int


@dataclass(frozen=True)
class Board:
    name: str
    chip: str
    core: str
    clock_hz: int
    flash: Memory
    ram: Memory
    pins: dict[str, int] = field(default_factory=dict)
    capabilities: list[str] = field(default_factory=list)
    serial: dict[str, Any] = field(default_factory=dict)
    costs: dict[str, Any] = field(default_factory=dict)
    description: str = ""
    raw: dict[str, Any] = field(default_factory=dict)  # the whole file
    folder: Path = FOLDER
    compiler: str = GCC  # of kernel, drivers and sketches
    checks: bool = False  # the kernel looks whether its callers and its own data are right

    @property
    def variety(self) -> str:
        """Of its programs: how they are compiled, as a suffix of folders."""
        return f"-{self.compiler}" * (self.compiler != GCC) + "-checks" * self.checks

    @property
    def libraries(self) -> str:
        """The folder that what its sketches link with is built in."""
        own = self.folder.parent != FOLDER
        tag = hashlib.sha256(str(self.folder).encode()).hexdigest()[:8]
        return f"{self.name}-{tag}{self.variety}" if own else f"{self.name}{self.variety}"

    @property
    def architecture(self) -> str:
        """What Arduino's libraries call chips of this kind; empty: nothing."""
        return str(self.raw.get("arduino", {}).get("architecture", ""))

    @property
    def defines(self) -> list[str]:
        """What Arduino's core for the board defines, by which libraries know it."""
        return list(self.raw.get("arduino", {}).get("defines", []))

    @property
    def usb(self) -> list[tuple[str, str]]:
        """Vendor and product of its serial port, by which development environments know it."""
        pairs = (pair.partition(":") for pair in self.raw.get("arduino", {}).get("usb", []))
        return [(f"0x{vendor}", f"0x{product}") for vendor, _, product in pairs]

    @property
    def timing(self) -> str:
        """What virtual time counts on the machine that runs the board's programs here."""
        if "qemu" in self.raw:
            return f"{2 ** self.raw['qemu']['shift']} ns for every instruction (QEMU)"
        return "50 ns for every basic block of the program" if self.chip == "host" else "cycles"

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return {
            "timing": self.timing,
            "name": self.name,
            "description": self.description,
            "chip": self.chip,
            "core": self.core,
            "clock_hz": self.clock_hz,
            "flash_bytes": self.flash.size,
            "ram_bytes": self.ram.size,
            "capabilities": self.capabilities,
        }


def names() -> list[str]:
    return sorted(path.parent.name for path in FOLDER.glob("*/board.toml"))


def listing() -> str:
    """All boards, one a line."""
    found = [load(name) for name in names()]
    width = max(len(board.name) for board in found)
    return "\n".join(
        f"{board.name:{width}}  {board.description}, {board.clock_hz / 1e6:g} MHz, "
        f"flash {board.flash.size // 1024} KB, RAM {board.ram.size // 1024} KB\n"
        f"{'':{width}}  has {', '.join(board.capabilities)}"
        for board in found
    )


SAME_CHIP = {  # boards of Arduino's with an ATmega328P at 16 MHz, and what the uno has not
    "nano": ", which has all its pins but A6 and A7",
    "duemilanove": "",
    "mini": ", which has all its pins but A6 and A7",
    "pro-mini": ", which has all its pins but A6 and A7; at 5 V and 16 MHz",
    "promini": ", which has all its pins but A6 and A7; at 5 V and 16 MHz",
}


def with_capability(capability: str) -> list[str]:
    """Names of the boards that have it."""
    return [name for name in names() if capability in load(name).capabilities]


def load(name: str, where: str = "--board", beside: Path = Path()) -> Board:
    """Reads a board; an unknown name is a usage error that lists the known ones. where: what names
    it; beside: the folder from which a path leads to it."""
    if "/" in name or name in (".", ".."):
        return _read_in(_folder_elsewhere(name, where, beside))
    if name not in names():
        known = names()
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        if chip := SAME_CHIP.get(name.lower().removeprefix("arduino-")):
            hint = f"it has the chip of the uno: --board uno{chip}. "
        raise UserError(
            f"unknown board '{name}'",
            where=where,
            fix=f"{hint}known boards: {', '.join(known) or 'none'}; one elsewhere is named by its "
            "folder, with a /: ./my-board",
            exit_code=2,
        )
    return _read_in(FOLDER / name)


def _folder_elsewhere(name: str, where: str, beside: Path) -> Path:
    folder = (beside / Path(name).expanduser()).resolve()
    for file in (FILE, "board.cmake"):
        if not (folder / file).is_file():
            what = f"no board: there is no {shown(folder / file)}"
            raise UserError(what, where, "docs/porting.md says what a board's folder holds", 2)
    return folder


def _read_in(folder: Path) -> Board:
    path = folder / FILE
    try:
        return _parse(folder, _read(path))
    except (tomllib.TOMLDecodeError, OSError, KeyError, TypeError) as error:
        raise UserError(f"cannot read the board: {error!r}", where=shown(path)) from error


def _read(path: Path) -> dict[str, Any]:
    """A board file over that of its base."""
    own = tomllib.loads(path.read_text())
    if "base" not in own:
        return own
    base = tomllib.loads((FOLDER / own["base"] / FILE).read_text())
    return base | {key: _over(base.get(key), value) for key, value in own.items()}


def _over(base: Any, own: Any) -> Any:
    """A value of the file over that of the base."""
    if not (isinstance(base, list) and isinstance(own, list) and isinstance(own[0], dict)):
        return own
    names = [table["name"] for table in own]
    return [table for table in base if table["name"] not in names] + own


def _parse(folder: Path, raw: dict[str, Any]) -> Board:
    return Board(
        name=folder.name,
        folder=folder,
        chip=raw["chip"],
        core=raw["core"],
        clock_hz=raw["clock_hz"],
        flash=Memory(raw["flash"]["origin"], raw["flash"]["size"]),
        ram=Memory(raw["ram"]["origin"], raw["ram"]["size"]),
        pins=_pins(raw.get("pins", {})),
        capabilities=_capabilities(raw.get("capabilities", [])),
        serial=raw.get("serial", {}),
        costs=raw.get("costs", {}),
        description=raw.get("description", ""),
        raw=raw,
    )


def _pins(table: dict[str, Any]) -> dict[str, int]:
    return {name: pin for name, pin in table.items() if isinstance(pin, int)}


def _capabilities(value: Any) -> list[str]:
    if isinstance(value, dict):
        return sorted(name for name, on in value.items() if on)
    return list(value)
