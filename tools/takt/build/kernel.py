"""The kernel and its port, compiled for what a program uses; kept, for other programs that use the
same."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from takt.build import cmake, features, ninja
from takt.build.cmake import Target
from takt.build.ninja import NinjaFile, Progress
from takt.paths import ROOT

THREADS = "THREADS"  # the feature of programs with several
PORT_FACTS = ("TAKT_DYNAMIC", "PORT_HAS_DISPATCHER")
LAYERS = ("port", "kernel")  # each an archive; in the order in which they are linked


@contextmanager
def compiled(
    target: Target,
    board: str,
    variant: str,
    used: Collection[str],
    progress: Progress | None = None,
    root: Path = ROOT,
    options: tuple[str, ...] = (),
) -> Iterator[list[str]]:
    """The archives, up to date; no other build changes them within the context. root: of another
    copy of kernel/ and port/, which then has the archives, too; options: for the compiler."""
    used = _all_used(target, variant, used, root)
    text = features.header(used, root / "kernel")
    if THREADS not in used:
        options += ("-DTAKT_ONE_THREAD=1",)
    name = hashlib.sha256(repr((text, options)).encode()).hexdigest()[:8]
    place = target.folder if root == ROOT else root / board
    folder = place / "kernels" / f"{variant}-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ninja.write_if_changed(folder / "takt_uses.h", text)
        archives = _write(target, variant, folder, root, options)
        well, said = ninja.run(folder, archives, progress)
        cmake.require(well, said, f"the kernel ({board})", folder)
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield archives


def is_of_one_thread(target: Target, variant: str, used: Collection[str]) -> bool:
    """Whether the kernel of a program that uses these features knows one thread only."""
    return THREADS not in _all_used(target, variant, used, ROOT)


def _all_used(target: Target, variant: str, used: Collection[str], root: Path) -> frozenset[str]:
    traced = variant == "trace" and target.trace_events > 0
    facts = ["TAKT_TRACE_EVENTS > 0"] * traced + _facts(target)
    return features.with_what_follows(used, facts, root / "kernel")


def _facts(target: Target) -> list[str]:
    """Of the port: whether threads are created at run time, and whether it has a dispatcher."""
    files = (Path(folder) / "port_config.h" for folder in target.includes)
    text = "".join(file.read_text() for file in files if file.exists())
    return [name for name in PORT_FACTS if f"#define {name} 1" in text]


def _write(
    target: Target, variant: str, folder: Path, root: Path, options: tuple[str, ...]
) -> list[str]:
    """The ninja file, beside takt_uses.h, for sources below `root`; the archives it makes."""
    file = NinjaFile()
    archives = []
    for layer in LAYERS:
        objects = [
            _object(file, target, variant, folder, root, source, layer, options)
            for source in target.sources[layer]
            if variant == "lto" or not source.endswith("_lto.c")
        ]
        archive = folder / f"libtakt_{layer}.a"
        command = ["sh", "-c", 'rm -f "$0" && "$@"', str(archive), target.tool("ar"), "qcs"]
        file.add(archive, objects, [*command, str(archive), *map(str, objects)], layer)
        archives.append(str(archive))
    file.write(folder / "build.ninja")
    return archives


def _object(
    file: NinjaFile,
    target: Target,
    variant: str,
    folder: Path,
    root: Path,
    named: str,
    layer: str,
    more: tuple[str, ...],
) -> Path:
    """named: below the root; with options behind it, if there are any."""
    name, *options = named.split()
    source = root / name
    out = folder / layer / f"{'-'.join([source.name, *options])}.o"
    dep = f"{out}.d"
    out.parent.mkdir(exist_ok=True)
    folders = [str(root / "kernel"), *(_below(root, place) for place in target.includes)]
    command = [target.cc, *target.kernel_flags, *options]
    command += target.c_flags if source.suffix == ".c" else []
    command += ["-DPORT_LTO=1"] if variant == "lto" else []
    command += target.lto_flags if source.stem.endswith("_lto") else []
    command += ["-DTAKT_USES", f"-I{folder}", *(f"-I{place}" for place in folders)]
    command += [f"-DTAKT_TRACE_EVENTS={target.trace_events if variant == 'trace' else 0}", *more]
    command += ["-MD", "-MF", dep, "-c", str(source), "-o", str(out)]
    file.add(out, [source], command, f"{layer}/{out.stem}", dep)
    return out


def _below(root: Path, folder: str) -> str:
    """The project's folder, in another copy of it if there is one."""
    own = root / Path(folder).relative_to(ROOT) if folder.startswith(f"{ROOT}/") else Path(folder)
    return str(own if own.exists() else folder)
