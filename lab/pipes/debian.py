"""Debian's packages for this lab: binaries unpacked and not installed, and sources.

apt keeps what it knows in a folder of the lab's own, from the machine's own list of places with
sources switched on; the machine's settings stay as they are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from takt.errors import UserError
from takt.paths import BUILD, shown

WORK = BUILD / "lab" / "pipes"
APT = WORK / "apt"
LOG = WORK / "setup.log"
PLACES = Path("/etc/apt")
SHOWN = 15  # lines of a log


class NotSetUp(UserError):
    """What this lab needs is not here."""

    def __init__(self, what: str) -> None:
        super().__init__(what, "lab/pipes", "./takt lab setup pipes")


def run(command: list[str], what: str, folder: Path | None = None) -> str:
    """Runs a command, at the others' convenience; its output, which the log has too."""
    WORK.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["nice", "-n", "10", *command],
        cwd=folder or WORK,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=os.environ | {"LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"},
    )
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"== {what}: {' '.join(command)}\n{done.stdout}")
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-SHOWN:])
        raise UserError(f"could not {what}", shown(LOG), "see its last lines above", detail=last)
    return done.stdout


def _missing(packages: tuple[str, ...]) -> list[str]:
    found = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${Status}\n", *packages],
        capture_output=True,
        text=True,
    ).stdout
    return [one for one in packages if f"{one} install ok installed" not in found]


def install(packages: tuple[str, ...]) -> None:
    """Installs what is missing of these."""
    if shutil.which("apt-get") is None:
        fix = "the lab's Linux and QEMU come from Debian: use a Debian 12 machine"
        raise UserError("no apt-get here", "takt lab setup pipes", fix)
    missing = _missing(packages)
    if not missing:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if os.geteuid() != 0:
        fix = f"sudo {' '.join(command)}"
        raise UserError(f"packages are missing: {', '.join(missing)}", "takt lab setup pipes", fix)
    run(["apt-get", "update"], "read the package lists")
    run(command, f"install {', '.join(missing)}")


def _write_places() -> None:
    """The machine's list of places, with sources; the two forms that apt has of it."""
    lists, stanzas = [], []
    for path in (PLACES / "sources.list", *sorted(PLACES.glob("sources.list.d/*.list"))):
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for line in re.findall(r"^deb\s.*$", text, re.MULTILINE):
            lists += [line, re.sub(r"^deb\b", "deb-src", line)]
    for path in sorted(PLACES.glob("sources.list.d/*.sources")):
        text = path.read_text(encoding="utf-8")
        stanzas.append(re.sub(r"(?m)^Types:.*$", "Types: deb deb-src", text).strip())
    folder = APT / "places"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "all.list").write_text("\n".join(lists) + "\n", encoding="utf-8")
    (folder / "all.sources").write_text("\n\n".join(stanzas) + "\n", encoding="utf-8")


def _options() -> list[str]:
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": APT / "places",
        "Dir::State::Lists": APT / "lists",
        "Dir::Cache": APT / "cache",
        "APT::Sandbox::User": "root",
    }
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def update() -> None:
    """Reads the lists of packages and sources anew."""
    _write_places()
    for folder in ("lists/partial", "cache/archives/partial"):
        (APT / folder).mkdir(parents=True, exist_ok=True)
    run(["apt-get", *_options(), "update"], "read the lists of sources")


def dependency(package: str, pattern: str) -> str:
    """The package that an empty one stands for, as linux-image-amd64 for the newest kernel."""
    said = run(["apt-cache", *_options(), "depends", package], f"look up {package}")
    found = re.search(rf"Depends: ({pattern})", said)
    if not found:
        fix = "this lab was made for Debian 12; see its package lists"
        raise UserError(f"{package} depends on nothing like {pattern}", shown(LOG), fix)
    return found[1]


def unpack(package: str, folder: Path) -> None:
    """The files of a package below a folder, as they would lie below /."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(["apt-get", *_options(), "download", package], f"fetch {package}", folder)
    (file,) = folder.glob("*.deb")
    run(["dpkg-deb", "-x", file.name, "."], f"unpack {package}", folder)
    file.unlink()


def source(package: str, folder: Path) -> Path:
    """A package's source with Debian's patches; the folder it is in."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = ["apt-get", *_options(), "--only-source", "source", package]
    run(command, f"fetch the source of {package}", folder)
    (tree,) = (one for one in folder.iterdir() if one.is_dir())
    return tree
