"""How PlatformIO builds with Takt: `takt build` makes the program, from the project's own files,
with the libraries that PlatformIO has put into the project."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from SCons.Script import COMMAND_LINE_TARGETS, AlwaysBuild, Default, DefaultEnvironment

env = DefaultEnvironment()
env.Replace(PROGNAME="firmware", PROGSUFFIX=".elf")
TAKT = Path(env.PioPlatform().manifest["takt"])
BOARD = env["BOARD"]
BUILD = Path(env.subst("$BUILD_DIR"))
PROJECT, SOURCES = Path(env.subst("$PROJECT_DIR")), Path(env.subst("$PROJECT_SRC_DIR"))
TESTS = Path(env.subst("$PROJECT_TEST_DIR"))
TESTING = "__test" in COMMAND_LINE_TARGETS
SECONDS = "custom_takt_seconds"  # of virtual time, of tests and takt-run
ERROR = re.compile(r"^error: ([^:\n]+:\d+): ", re.MULTILINE)  # editors know FILE:LINE: error:
TABS = (".ino", ".pde")
# Options, or groups of such, that a build would not heed; and values that change nothing.
OURS = "leave it out: how is compiled is Takt's"
FOUND = "leave it out: libraries are found by the headers that are included"
NOT_TAKEN = {
    "build_src_filter": "move what is not to be built out of src/",
    "build_src_flags": "write -D... into build_flags",
    "build_unflags": OURS,
    "build_type": OURS,
    "debug_build_flags": OURS,
    "board_build.": "leave it out: chip and clock are what the board has",
    "lib_ldf_mode": FOUND,
    "lib_compat_mode": FOUND,
    "test_build_src": "move what tests need into lib/",
}
USUAL = {"build_type": "release", "lib_ldf_mode": "chain", "lib_compat_mode": "soft"}
ENVIRONMENT = "TAKT_PLATFORMIO_ENV"  # tools/takt/build/platformio.py
# Runs a program that is tested; what it writes on Serial is what the test says.
PROGRAM = """#!/bin/sh
export {environment}
rm -f {serial}
{command} >{report} 2>{errors}
code=$?
[ ! -f {serial} ] || cat {serial}
[ "$code" = 0 ] || cat {errors} >&2
exit "$code"
"""


def refuse(what, where, fix):
    sys.stderr.write(f"error: {where}: {what}\n  fix: {fix}\n")
    env.Exit(1)


def check_options():
    """Refuses what a build would ignore."""
    if not TAKT.is_file():
        refuse("Takt is not there", TAKT, "run ./takt package platformio again where Takt is")
    for option in env.GetProjectConfig().options(env=env["PIOENV"]):
        name = option.partition(".")[0] + "." if "." in option else option
        value = env.GetProjectOption(option, None)
        if name in NOT_TAKEN and value and value != USUAL.get(name):
            refuse(f"Takt does not know {option}", "platformio.ini", NOT_TAKEN[name])
    flags = env.get("BUILD_FLAGS")
    parsed = env.ParseFlagsExtended(flags) if flags else {}
    others = sorted(name for name, value in parsed.items() if value and name != "CPPDEFINES")
    if others:
        fix = "leave -D... only; headers belong into include/, libraries into lib/"
        refuse(f"build_flags has more than macros: {', '.join(others)}", "platformio.ini", fix)


def sketch():
    """What is built: a test's folder, the project if src/ has C++ only, or src/ with its tabs."""
    if TESTING:
        name = env.get("PIOTEST_RUNNING_NAME", "*")
        beside = [file for file in TESTS.glob("*.c*") if file.is_file()]
        if name != "*" and beside:
            refuse("a source of no test", beside[0], "move it into a test's folder, or into lib/")
        return TESTS if name == "*" else TESTS / name
    tabs = [file for file in SOURCES.glob("*") if file.suffix in TABS]
    return SOURCES if tabs or SOURCES != PROJECT / "src" else PROJECT


def macros():
    """NAME or NAME=VALUE each, of build_flags and of the framework of tests."""
    env.ProcessFlags(env.get("BUILD_FLAGS"))
    if TESTING:
        env.ConfigureTestTarget()
        env.Append(CPPDEFINES=["PIO_UNIT_TESTING"])
    found = (one if isinstance(one, (list, tuple)) else [one] for one in env.get("CPPDEFINES", []))
    words = [[env.subst(str(word)) for word in one if word is not None] for one in found]
    return list(dict.fromkeys("=".join(one) for one in words))


def libraries():
    """Folders of libraries; that of Unity's settings is one, too."""
    found = [Path(env.subst(str(place))) for place in env.GetLibSourceDirs()]
    found += [Path(env.subst("$UNITY_CONFIG_DIR"))] if "UNITY_CONFIG_DIR" in env else []
    return [place for place in found if place.is_dir()]


def takt(*words):
    """A command of Takt about what is built."""
    command = [str(TAKT), *words, str(sketch()), "--board", BOARD]
    command += [word for name in MACROS for word in ("--define", name)]
    return command + [word for place in libraries() for word in ("--library", str(place))]


def build(target, source, env):
    made = [*takt("build"), "--no-trace", "--json", "--warnings", "--out", str(BUILD / "takt")]
    answer = BUILD / "takt.json"
    with answer.open("w") as out:
        process = subprocess.Popen(made, stdout=out, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:  # at once, for a build may take a while
            sys.stderr.write(ERROR.sub(r"\1: error: ", line))
    if process.wait() != 0:
        return process.returncode
    said = json.loads(answer.read_text())
    for kind, file in said["files"].items():
        shutil.copyfile(file, BUILD / f"firmware.{kind}")
    sizes = f"flash {said['flash_bytes']}\nRAM {said['ram_bytes']}\n"
    (BUILD / "size.txt").write_text(sizes)
    print("\n".join(said["told"]))
    return write_program() if TESTING else 0


def write_program():
    """What `pio test` runs."""
    out = BUILD / "takt"
    files = {"serial": "serial.txt", "report": "result.json", "errors": "errors.txt"}
    named = {name: shlex.quote(str(out / file)) for name, file in files.items()}
    named["environment"] = shlex.quote(f"{ENVIRONMENT}={env['PIOENV']}")
    run = [*takt("run"), "--no-trace", "--json", "--out", str(out), "--seconds", seconds()]
    (BUILD / "program").write_text(PROGRAM.format(command=shlex.join(run), **named))
    (BUILD / "program").chmod(0o755)
    return 0


def seconds():
    return env.GetProjectOption(SECONDS, "10")


def run_on_platform(target, source, env):
    made = [*takt("run"), "--seconds", seconds(), "--out", str(BUILD / "takt-run")]
    return subprocess.run(made, check=False).returncode


def check(target, source, env):
    made = [*takt("check"), "--out", str(BUILD / "takt-check")]
    return subprocess.run(made, check=False).returncode


def upload(target, source, env):
    port = env.subst("$UPLOAD_PORT")
    made = [str(TAKT), "flash", str(BUILD / "firmware.hex"), "--board", BOARD]
    return subprocess.run([*made, *(["--port", port] if port else [])], check=False).returncode


def tell_editors():
    """What editors ask: compiler, headers and macros."""
    asked = [str(TAKT), "package", "preprocessor", "--board", BOARD]
    words = shlex.split(subprocess.check_output(asked, text=True))
    env.Replace(CXX=words[0], CC=words[0].replace("g++", "gcc"))
    env.Append(
        CPPPATH=[word[2:] for word in words if word.startswith("-I")],
        CPPDEFINES=[word[2:] for word in words if word.startswith("-D")],
        CXXFLAGS=[word for word in words[1:] if not word.startswith(("-I", "-D"))],
    )


os.environ[ENVIRONMENT] = env["PIOENV"]
check_options()
MACROS = macros()
if env.IsIntegrationDump():
    tell_editors()
env.Replace(
    SIZECHECKCMD=["cat", str(BUILD / "size.txt")],
    SIZEPROGREGEXP=r"^flash (\d+)",
    SIZEDATAREGEXP=r"^RAM (\d+)",
)
firmware = env.Command("$PROGPATH", None, env.VerboseAction(build, "Building $TARGET"))
size = env.Alias("checkprogsize", firmware, env.VerboseAction(env.CheckUploadSize, "Checking size"))
AlwaysBuild(firmware, size)
Default(firmware, size)
env.AddPlatformTarget("upload", firmware, env.VerboseAction(upload, "Uploading"), "Upload")
env.AddPlatformTarget(
    "takt-run", None, env.VerboseAction(run_on_platform, "Running in virtual time"), "Run",
    "On the virtual platform, in the world beside the sketch",
)  # fmt: skip
env.AddPlatformTarget(
    "takt-check", None, env.VerboseAction(check, "Checking"), "Check",
    "Does every loop get its budget in time?",
)  # fmt: skip
