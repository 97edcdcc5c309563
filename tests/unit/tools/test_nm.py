"""What objects define and refer to."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from takt.build import stackfile
from takt.build.cmake import Target
from takt.build.nm import Names, names
from takt.errors import UserError

SOURCE = """
extern char takt_stack_one[], takt_stack_one_end[], strange[];
extern char maybe[] __attribute__((weak));
static int own(void) { return strange != maybe; }
int given(void) { return own() + (takt_stack_one_end - takt_stack_one); }
"""


def archive(folder: Path, source: str) -> Path:
    (folder / "a.c").write_text(source)
    subprocess.run(["gcc", "-O0", "-c", "a.c"], cwd=folder, check=True)
    (folder / "liba.a").unlink(missing_ok=True)
    subprocess.run(["ar", "rc", "liba.a", "a.o"], cwd=folder, check=True)
    return folder / "liba.a"


def test_what_is_defined_and_what_is_referred_to(tmp_path: Path) -> None:
    archive(tmp_path, SOURCE)
    found = names("nm", [tmp_path / "a.o"])
    assert found.defined >= {"given", "own"}
    assert found.referred >= {"takt_stack_one", "takt_stack_one_end", "strange", "maybe"}
    assert not found.defined & found.referred


@pytest.mark.parametrize("tool", ["false", "nm"])
def test_what_nm_cannot_read_is_an_error(tmp_path: Path, tool: str) -> None:
    (tmp_path / "a.o").write_text("no object")
    with pytest.raises(UserError, match="cannot read what has been compiled"):
        names(tool, [tmp_path / "a.o"])


class Host(Target):
    def __init__(self, nm: str = "nm") -> None:
        self.nm = nm

    def tool(self, name: str) -> str:
        return str(shutil.which(self.nm))


def test_stacks_that_archives_leave(tmp_path: Path) -> None:
    """Of the archives as they are now; a failure is not remembered."""
    kept = archive(tmp_path, SOURCE)
    none = Names(frozenset(), frozenset())
    with pytest.raises(UserError):
        stackfile.wanted(Host("false"), none, [str(kept)])
    assert stackfile.wanted(Host(), none, [str(kept)]) == ["takt_stack_one"]
    archive(tmp_path, SOURCE.replace("takt_stack_one", "takt_stack_two"))
    os.utime(kept, ns=(0, 1))  # older than before
    assert stackfile.wanted(Host(), none, [str(kept)]) == ["takt_stack_two"]
