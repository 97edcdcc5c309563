"""The command line as a user runs it."""

from __future__ import annotations

from collections.abc import Callable

import command
import pytest
from command import Ran


@pytest.fixture
def takt() -> Callable[..., Ran]:
    return command.run
