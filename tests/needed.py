"""What a test cannot do without and is not here: it is skipped in the ordinary run, and fails where
all is to be tested."""

from __future__ import annotations

from typing import NoReturn

import pytest
from takt.cli.tally import Extent

extent = Extent.LONG  # tests/conftest.py


def lacks(what: str) -> NoReturn:
    if extent > Extent.ORDINARY:
        pytest.fail(what)
    pytest.skip(what)
