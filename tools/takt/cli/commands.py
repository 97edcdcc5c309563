"""The command line: reads arguments, calls one module per command, prints what it returns. Modules
are imported when their command runs, so that starting is quick."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from takt.cli import (
    can_command,
    docs_command,
    flash_command,
    lib_command,
    package_command,
    test_command,
    trace_command,
    version,
)
from takt.cli.building import build as _build
from takt.cli.labs import commands as lab_commands
from takt.cli.options import (
    BoardOption,
    ChecksOption,
    CompilerOption,
    CpusOption,
    DefineOption,
    DepfileOption,
    FlashOption,
    IfItFitsOption,
    IsoOption,
    JsonOption,
    LibraryOption,
    LtoOption,
    OutOption,
    SecondsOption,
    SketchArgument,
    TraceOption,
    VerboseOption,
    WarningsOption,
    example,
)
from takt.errors import UserError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.callback()(version.takt)
app.add_typer(lab_commands.app, name="lab")
app.add_typer(lib_command.app, name="lib")
app.add_typer(package_command.app, name="package")
app.command(epilog=example("takt flash examples/blink --board uno"))(flash_command.flash)
app.command(epilog=example("takt test -k sem"))(test_command.test)
app.command(epilog=example("takt trace examples/rover --thread 'loop 1' --from 0.2 --to 0.4"))(
    trace_command.trace
)
app.command(epilog=example("takt can can.log --dbc car.dbc"))(can_command.can)
app.command(epilog=example("takt docs"))(docs_command.docs)


@app.command(epilog=example("takt new my-sketch"))
def new(
    name: Annotated[Path, typer.Argument(help="Folder to make.")],
    board: BoardOption = None,
    json: JsonOption = False,
) -> None:
    """Make a sketch with two loops and a world around it."""
    from takt.cli import console
    from takt.cli import new as maker
    from takt.paths import COMMAND, shown

    files = [shown(path) for path in maker.create(name, board)]
    if json:
        console.print_json({"files": files})
    else:
        print(f"made {', '.join(files)}\nnext: {COMMAND} run {shlex.quote(shown(name))}")


@app.command(epilog=example("takt build examples/blink"))
def build(
    folder: SketchArgument,
    board: BoardOption = None,
    trace: TraceOption = True,
    lto: LtoOption = False,
    flash: FlashOption = False,
    iso: IsoOption = False,
    compiler: CompilerOption = None,
    checks: ChecksOption = False,
    out: OutOption = None,
    depfile: DepfileOption = None,
    library: LibraryOption = None,
    define: DefineOption = None,
    verbose: VerboseOption = False,
    warnings: WarningsOption = False,
    json: JsonOption = False,
) -> None:
    """Build flashable images; refuse what cannot keep its promises."""
    from takt.cli import console
    from takt.cli.summary import build_dict, show_build

    how = {"lto": lto, "flash": flash, "iso": iso, "compiler": compiler, "checks": checks}
    how |= {"defines": define, "depfile": depfile, "warnings": warnings}
    built = _build(folder, board, trace, out, library, verbose, **how)
    console.print_warnings(built.warnings)
    if json:
        console.print_json(build_dict(built))
    else:
        show_build(built, console.stdout())


@app.command(epilog=example("takt run examples/rover --seconds 60"))
def run(
    folder: SketchArgument,
    board: BoardOption = None,
    seconds: SecondsOption = 10.0,
    cpus: CpusOption = 1,
    trace: IfItFitsOption = None,
    lto: LtoOption = False,
    flash: FlashOption = False,
    compiler: CompilerOption = None,
    checks: ChecksOption = False,
    out: OutOption = None,
    library: LibraryOption = None,
    define: DefineOption = None,
    verbose: VerboseOption = False,
    json: JsonOption = False,
) -> None:
    """Build, admit, run in virtual time, and show what happened."""
    from takt.cli import console, running
    from takt.result import report

    if not 0.001 <= seconds <= 86400:
        raise UserError(f"{seconds:g} s", "--seconds", "choose 0.001 to 86400", 2)
    how = {"lto": lto, "flash": flash, "cpus": cpus, "compiler": compiler, "checks": checks}
    how |= {"defines": define}
    asked = running.Asked(folder, board, trace, out, library, how)
    result = running.run(asked, seconds, verbose, picture=not json)
    console.print_warnings(result.warnings)
    if json:
        console.print_json(result.as_dict())
    else:
        report.show(result, console.stdout())
    if result.failed and not json:
        console.print_error(result.failed, json)
    failed = 1 if result.missed or result.failures else 0
    raise typer.Exit(130 if result.interrupted else failed)


@app.command("report", epilog=example("takt report examples/rover"))
def report_command(
    folder: SketchArgument,
    board: BoardOption = None,
    out: OutOption = None,
    json: JsonOption = False,
) -> None:
    """Show the last run again."""
    from takt.cli import console, running
    from takt.result import outputs, report
    from takt.world import world

    chosen = world.board_for(folder, board)
    place = running.last_folder(folder, chosen, out)
    with outputs.reading(place):
        if json:
            console.print_json(outputs.load_saved(place)["result"])
        else:
            report.show_saved(place, console.stdout())


@app.command(epilog=example("takt check examples/rover"))
def check(
    folder: SketchArgument,
    board: BoardOption = None,
    cpus: CpusOption = 1,
    trace: TraceOption = True,
    flash: FlashOption = False,
    compiler: CompilerOption = None,
    checks: ChecksOption = False,
    out: OutOption = None,
    library: LibraryOption = None,
    define: DefineOption = None,
    verbose: VerboseOption = False,
    json: JsonOption = False,
) -> None:
    """Say whether every loop gets its budget in time, and why."""
    from takt.cli import console
    from takt.cli.check import Check
    from takt.world import world

    world.look_at(folder, world.board_for(folder, board))
    how = {"flash": flash, "cpus": cpus, "compiler": compiler, "checks": checks}
    how |= {"defines": define}
    result = Check(_build(folder, board, trace, out, library, verbose, admit=False, **how))
    console.print_warnings(result.build.warnings)
    if json:
        console.print_json(result.as_dict())
    else:
        result.show(console.stdout())
    raise typer.Exit(0 if result.admitted else 1)


@app.command(epilog=example("takt size examples/rover"))
def size(
    folder: SketchArgument,
    board: BoardOption = None,
    trace: TraceOption = True,
    lto: LtoOption = False,
    flash: FlashOption = False,
    compiler: CompilerOption = None,
    checks: ChecksOption = False,
    out: OutOption = None,
    library: LibraryOption = None,
    define: DefineOption = None,
    json: JsonOption = False,
) -> None:
    """Show where flash and RAM go."""
    from takt.cli import console
    from takt.cli.size import measure

    how = {"lto": lto, "flash": flash, "compiler": compiler, "checks": checks, "defines": define}
    result = measure(_build(folder, board, trace, out, library, **how))
    if json:
        console.print_json(result.as_dict())
    else:
        result.show(console.stdout())


@app.command(epilog=example("takt boards"))
def boards(json: JsonOption = False) -> None:
    """List the boards."""
    from takt import boards as known
    from takt.cli import console

    if json:
        found = [known.load(name) for name in known.names()]
        console.print_json({"boards": [board.as_dict() for board in found]})
    else:
        print(known.listing())


@app.command(epilog=example("takt doctor"))
def doctor(json: JsonOption = False) -> None:
    """Look whether everything is installed."""
    from takt.cli import console
    from takt.cli import doctor as doc

    findings = doc.examine()
    if json:
        console.print_json(
            {"healthy": doc.healthy(findings), "findings": [f.as_dict() for f in findings]}
        )
    else:
        print("\n".join(f.told() for f in findings))
    raise typer.Exit(0 if doc.healthy(findings) else 1)


def main() -> None:
    """Runs a command; every error a user can mend is one message."""
    as_json = "--json" in sys.argv
    try:
        sys.exit(app(prog_name="takt", standalone_mode=False) or 0)
    except UserError as error:
        from takt.cli import console

        console.print_error(error, as_json)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        if hasattr(error, "format_message"):
            _usage_error(error, as_json)
        if "TAKT_DEBUG" in os.environ:
            raise
        print(f"internal error: {type(error).__name__}: {error}", file=sys.stderr)
        print("  please report it; TAKT_DEBUG=1 shows where it happened", file=sys.stderr)
        sys.exit(1)


def _usage_error(error: Any, as_json: bool) -> None:
    """What typer says of arguments it cannot read."""
    if as_json:
        from takt.cli import console

        console.print_json({"error": {"what": error.format_message(), "where": "", "fix": ""}})
    error.show()
    sys.exit(2)
