"""Takt as a package, in an environment of its own: pip install ."""

from __future__ import annotations

import os
import site
import subprocess
import venv
from pathlib import Path

from takt.paths import ROOT

TIMEOUT_S = 550


def install(folder: Path) -> Path:
    """Makes an environment in the folder. What Takt needs it has from the tests' environment, so
    that nothing is fetched (tests/unit/build/test_package.py compares that with pyproject.toml)."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    where = "import site; print(site.getsitepackages()[0])"
    said = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True)
    others = "\n".join(site.getsitepackages())
    Path(said.stdout.strip(), "others.pth").write_text(f"{others}\n")
    how = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    done = subprocess.run(
        [python, "-m", "pip", "install", *how, str(ROOT)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def surroundings(environment: Path, cache: Path) -> dict[str, str]:
    """With no other Takt on the PATH."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    path = f"{environment / 'bin'}:{os.environ['PATH']}"
    return given | {"PATH": path, "XDG_CACHE_HOME": str(cache)}


def takt(environment: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """From a folder elsewhere."""
    given = surroundings(environment, cwd / "cache")
    return subprocess.run(
        ["takt", *words], cwd=cwd, env=given, capture_output=True, text=True, timeout=TIMEOUT_S
    )
