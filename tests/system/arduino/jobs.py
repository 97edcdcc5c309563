"""Sketches with periodic jobs."""

from __future__ import annotations

from pathlib import Path


def sketch(folder: Path, text: str) -> Path:
    """A new one, below `folder`."""
    jobs = folder / "jobs"
    jobs.mkdir()
    (jobs / "jobs.ino").write_text(f"#include <Takt.h>\n{text}")
    return jobs
