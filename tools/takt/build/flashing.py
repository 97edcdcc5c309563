"""Writing flash: avrdude, as the board's [flashing] says."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from takt.boards import Board
from takt.build.cmake import need_tool
from takt.errors import UserError
from takt.paths import shown

SECONDS = 180
SERIAL = ("ttyACM*", "ttyUSB*")  # in /dev
ABSENT = ("unable to open programmer", "ser_open", "not in sync")


@dataclass(frozen=True)
class Way:
    """To a board."""

    part: str
    programmer: str
    port: str | None  # None: a programmer that avrdude finds itself
    baud: int | None

    @property
    def where(self) -> str:
        """For people."""
        return f"the board at {self.port}" if self.port else f"the board at the {self.programmer}"

    def command(self, image: Path) -> list[str]:
        """What is run."""
        words = ["avrdude", "-p", self.part, "-c", self.programmer]
        words += ["-P", self.port] if self.port else []
        words += ["-b", str(self.baud), "-D"] if self.baud else []
        return [*words, "-U", f"flash:w:{image}:i"]

    def write(self, image: Path) -> str:
        """Writes and verifies an Intel HEX file; what avrdude said."""
        try:
            done = subprocess.run(
                self.command(image), capture_output=True, text=True, errors="replace",
                timeout=SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise UserError(f"avrdude has not ended after {SECONDS} s", self.where) from None
        said = done.stdout + done.stderr
        if done.returncode != 0:
            raise self._failure(said)
        return said

    def _failure(self, said: str) -> UserError:
        absent = any(text.lower() in said.lower() for text in ABSENT)
        what = f"no {self.part} answers" if absent else f"avrdude could not write to {self.part}"
        fix = "connect the board, close what else uses its port, see --port"
        return UserError(what, self.where, fix, detail="\n".join(said.splitlines()[-12:]))


def image(path: Path) -> Path:
    """A file that a build has left; raises where there is none."""
    if not path.is_file():
        raise UserError("no such image", shown(path), "build the sketch, or name its folder", 2)
    return path


def ports() -> list[str]:
    """Serial ports of USB here."""
    return sorted(str(port) for kind in SERIAL for port in Path("/dev").glob(kind))


def _port(named: str | None) -> str:
    found = ports()
    if named is not None:
        if not Path(named).exists():
            raise UserError(
                f"there is no {named}", "--port", f"ports here: {', '.join(found) or 'none'}"
            )
        return named
    if not found:
        raise UserError(
            "no board is connected: there is no serial port of USB",
            fix="connect the board, or name its port with --port",
        )
    if len(found) > 1:
        raise UserError("several boards may be meant", "--port", f"choose: {', '.join(found)}")
    return found[0]


def way(board: Board, port: str | None) -> Way:
    """How to reach a board; raises where there is none, before anything is built."""
    how = board.raw.get("flashing", {}).get("avrdude")
    if how is None:
        raise UserError(
            f"takt flash knows no way to {board.name}",
            "--board",
            "copy the image that `takt build` makes to it by its own means",
        )
    need_tool("avrdude", "avrdude")
    serial = "baud" in how
    return Way(how["part"], how["programmer"], _port(port) if serial else port, how.get("baud"))
