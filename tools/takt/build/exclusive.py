"""One build at a time in a folder."""

from __future__ import annotations

import errno
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from takt.build.mistakes import diagnostics
from takt.errors import UserError
from takt.paths import LOCK, shown


@contextmanager
def exclusive(out: Path) -> Iterator[None]:
    """One build at a time in a folder; a full disk is told as such."""
    try:
        with _lock_of(out) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise diagnostics.disk_full(shown(out)) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR):
            raise _refused(out, error) from error
        raise


def _lock_of(out: Path) -> IO[str]:
    """Makes the folder and its lock."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        return open(out / LOCK, "w")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise _refused(out, error) from error


def _refused(out: Path, error: OSError) -> UserError:
    why = "it is no folder" if error.errno == errno.EEXIST else error.strerror or str(error)
    what = f"cannot write here: {why[0].lower()}{why[1:]}"
    return UserError(what, shown(out), "choose another folder with --out")
