"""Which tests takt test runs."""

from __future__ import annotations

import itertools
import os

import pytest
from takt import test as tests
from takt.errors import UserError

IN_C = "unit tests in C and C++, under ASan and UBSan"


def names(*below: str, long: bool = False) -> list[str]:
    return [stage.name for stage in tests.stages(list(below), "", long, 2)]


def test_all_unless_told() -> None:
    every = names()
    assert every[0] == IN_C
    assert {"tests/unit/tools", "tests/models", "tests/system/pipes"} <= set(every)
    assert "tests/unit/kernel" not in every  # it has none in Python


def test_a_folder() -> None:
    assert names("system/pipes") == names("tests/system/pipes/") == ["tests/system/pipes"]
    assert names("unit/kernel") == [IN_C]
    assert names("unit/kernel", long=True) == [IN_C, "the same optimised"]
    assert names("unit/tools", "models") == ["tests/models", "tests/unit/tools"]
    assert names("unit") == [IN_C] + [one for one in names() if one.startswith("tests/unit/")]


def test_two_folders_at_a_time_and_the_longest_first() -> None:
    assert set(tests.LONGEST) < set(tests._folders())
    assert names()[1:3] == ["tests/system/cli", "tests/system/examples"]
    for jobs, below, workers in ((2, [], []), (4, [], ["2"]), (2, ["models"], ["2"]), (1, [], [])):
        command = tests.stages(below, "", False, jobs)[-1].command
        assert [after for at, after in itertools.pairwise(command) if at == "-n"] == workers


def test_a_folder_of_tests_in_c_runs_no_other() -> None:
    for stage in tests.stages(["unit/usb", "unit/can"], "", False, 2):
        assert stage.command[stage.command.index("-L") + 1] == "^(can|usb)$"
    assert all("-L" not in stage.command for stage in tests.stages([], "", False, 2))


@pytest.mark.parametrize(
    ("cpus", "lanes", "places"),
    [({0, 1}, 2, ["0", "1"]), ({3, 5}, 2, ["3", "5"]), ({0}, 1, ["0"]), ({0, 1, 2, 3}, 2, [])],
)
def test_a_lane_has_a_cpu_where_there_are_as_many(
    monkeypatch: pytest.MonkeyPatch, cpus: set[int], lanes: int, places: list[str]
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: cpus)
    expected = [["taskset", "-c", place] for place in places] or [[]] * lanes
    assert tests._places(lanes) == expected


@pytest.mark.parametrize("place", ["system/pipe", "kernel", "", "."])
def test_no_folder(place: str) -> None:
    with pytest.raises(UserError, match="no tests are in"):
        names(place)
