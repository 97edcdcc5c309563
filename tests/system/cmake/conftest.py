"""The command line as a user runs it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import command
import pytest


@pytest.fixture
def takt() -> Callable[..., SimpleNamespace]:
    import json

    def run(*arguments: object) -> SimpleNamespace:
        done = command.takt(*map(str, arguments))
        is_json = done.stdout.startswith("{")
        found = json.loads(done.stdout) if is_json else None
        return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr, json=found)

    return run
