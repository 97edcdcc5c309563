"""Which tests takt test runs."""

from __future__ import annotations

import pytest
from takt import test as tests
from takt.errors import UserError


def names(*below: str) -> list[str]:
    return [stage.name for stage in tests.stages(list(below), "", False, 2)]


def test_all_unless_told() -> None:
    every = names()
    assert every[:2] == ["unit tests in C and C++", "the same under ASan and UBSan"]
    assert {"tests/unit/tools", "tests/models", "tests/system/pipes"} <= set(every)
    assert "tests/unit/kernel" not in every  # it has none in Python


def test_a_folder() -> None:
    assert names("system/pipes") == names("tests/system/pipes/") == ["tests/system/pipes"]
    assert names("unit/kernel") == names()[:2]
    assert names("unit/tools", "models") == ["tests/unit/tools", "tests/models"]
    assert names("unit") == names()[:2] + [one for one in names() if one.startswith("tests/unit/")]


def test_a_folder_of_tests_in_c_runs_no_other() -> None:
    for stage in tests.stages(["unit/usb", "unit/can"], "", False, 2):
        assert stage.command[stage.command.index("-L") + 1] == "^(can|usb)$"
    assert all("-L" not in stage.command for stage in tests.stages([], "", False, 2))


@pytest.mark.parametrize("place", ["system/pipe", "kernel", "", "."])
def test_no_folder(place: str) -> None:
    with pytest.raises(UserError, match="no tests are in"):
        names(place)
