"""Sketches with Arduino's own core for AVR, compiled as its platform.txt says.

It is Debian's package arduino-core-avr, unpacked by the set-up of the tests (./takt test) or
installed; nothing of it is kept here.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from takt.errors import UserError
from takt.paths import BUILD, shown

PLACES = (BUILD / "assets" / "arduino", Path("/"))
FOUND = [one / "usr/share/arduino/hardware/arduino/avr" for one in PLACES]
HARDWARE = next((one for one in FOUND if one.is_dir()), FOUND[-1])
CORE, VARIANT = HARDWARE / "cores" / "arduino", HARDWARE / "variants" / "standard"
WORK = BUILD / "lab" / "arduino"
MACHINE = ["-mmcu=atmega328p", "-DF_CPU=16000000L", "-DARDUINO=10819", "-DARDUINO_AVR_UNO",
           "-DARDUINO_ARCH_AVR", "-DDECIMAL_DIG=__DECIMAL_DIG__"]  # fmt: skip
ANY = ["-c", "-g", "-Os", "-w", "-ffunction-sections", "-fdata-sections", "-flto"]
C = [*ANY, "-std=gnu11", "-fno-fat-lto-objects"]
CXX = [*ANY, "-std=gnu++11", "-fpermissive", "-fno-exceptions", "-fno-threadsafe-statics",
       "-Wno-error=narrowing"]  # fmt: skip
KINDS = {".c": ["avr-gcc", *C], ".cpp": ["avr-g++", *CXX],
         ".S": ["avr-gcc", "-c", "-g", "-x", "assembler-with-cpp", "-flto"]}  # fmt: skip
LINK = ["avr-gcc", "-w", "-Os", "-g", "-flto", "-fuse-linker-plugin", "-Wl,--gc-sections"]


def is_here() -> bool:
    return CORE.is_dir()


def version() -> str:
    """Of the package's core."""
    for line in (HARDWARE / "platform.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("version="):
            return line.removeprefix("version=")
    return "unknown"


def _run(command: list[str], where: Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise UserError(done.stderr.strip(), shown(where))


def _compiled(source: Path, out: Path, options: list[str]) -> Path:
    found = out / f"{source.name}.o"
    includes = [f"-I{CORE}", f"-I{VARIANT}"]
    _run([*KINDS[source.suffix], *MACHINE, *includes, *options, str(source), "-o", str(found)], out)
    return found


def _core() -> Path:
    """The core as an archive, made once."""
    out = WORK / f"core-{version()}"
    archive = out / "core.a"
    if archive.exists():
        return archive
    out.mkdir(parents=True, exist_ok=True)
    sources = sorted(path for path in CORE.iterdir() if path.suffix in KINDS)
    objects = [_compiled(source, out, []) for source in sources]
    made = archive.with_suffix(".new")
    made.unlink(missing_ok=True)
    _run(["avr-gcc-ar", "rcs", str(made), *map(str, objects)], out)
    made.rename(archive)
    return archive


def built(sketch: Path) -> Path:
    """The ELF of a sketch of one file that needs no prototypes."""
    out = WORK / "sketches" / sketch.stem
    out.mkdir(parents=True, exist_ok=True)
    source, elf = out / f"{sketch.stem}.cpp", out / f"{sketch.stem}.elf"
    source.write_text(f'#include <Arduino.h>\n#line 1 "{sketch}"\n{sketch.read_text()}')
    sketch_o = _compiled(source, out, [])
    _run([*LINK, MACHINE[0], "-o", str(elf), str(sketch_o), str(_core()), "-lm"], out)
    return elf


def memory(elf: Path) -> tuple[int, int]:
    """Bytes of flash and of RAM, the stack not among them."""
    said = subprocess.run(["avr-size", elf], capture_output=True, text=True, check=True)
    text, data, bss = map(int, said.stdout.splitlines()[1].split()[:3])
    return text + data, data + bss
